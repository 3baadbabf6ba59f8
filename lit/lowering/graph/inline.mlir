// RUN: relay-opt %s -p relay-inline --split-input-file | filecheck %s

// CHECK-NOT: @helper
// CHECK:       func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    %0 = relay.exp %x
// CHECK-NEXT:    %1 = relay.nn.relu %0
// CHECK-NEXT:    %2 = func.call @kernel(%1)
// CHECK-NEXT:    func.return %2
func.func private @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %a : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func private @helper(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @inner(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.nn.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @kernel(%0) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
func.func private @kernel(%a: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %0 = relay.negative %a : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// What uses itself stays, and so does what is used as a value.

// CHECK-LABEL: func.func private @again
// CHECK:         func.call @again
// CHECK-LABEL: func.func private @value
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = func.call @again(%x)
// CHECK-NEXT:    %f = relay.global @value
func.func private @again(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @again(%a) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func private @value(%a: tensor<4xf32>) -> tensor<4xf32> {
  func.return %a : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @again(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %f = relay.global @value : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.invoke %f(%0) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
