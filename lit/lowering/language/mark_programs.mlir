// RUN: relay-opt %s -p relay-mark-programs --split-input-file | filecheck %s

// Kernels, views and choices between tensors: no program.

// CHECK-LABEL: func.func @main
// CHECK-NOT:     relay.program
func.func @main(%c: tensor<i1>, %x: tensor<2x2xf32>) -> tensor<4xf32> {
  %0 = relay.if %c -> (tensor<2x2xf32>) {
    %1 = func.call @kernel(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    relay.yield %1 : tensor<2x2xf32>
  } else {
    relay.yield %x : tensor<2x2xf32>
  }
  %2 = relay.reshape %0 {newshape = [4]} : (tensor<2x2xf32>) -> tensor<4xf32>
  func.return %2 : tensor<4xf32>
}
func.func private @kernel(%a: tensor<2x2xf32>) -> tensor<2x2xf32> attributes {relay.primitive} {
  %0 = relay.negative %a : (tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %0 : tensor<2x2xf32>
}

// -----

// One function that is left to call makes a program of all but the kernels.

// CHECK-LABEL: func.func @main
// CHECK-SAME:    attributes {relay.program}
// CHECK:       func.func private @again
// CHECK-SAME:    attributes {relay.program}
// CHECK:       func.func private @kernel
// CHECK-SAME:    attributes {relay.primitive} {
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @again(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func private @again(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @kernel(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = func.call @again(%0) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}
func.func private @kernel(%a: tensor<2xf32>) -> tensor<2xf32> attributes {relay.primitive} {
  %0 = relay.negative %a : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----

// So does a value that is no tensor.

// CHECK-LABEL: func.func @main
// CHECK-SAME:    attributes {relay.program}
func.func @main(%x: tensor<2xf32>, %p: tuple<tensor<f32>>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
