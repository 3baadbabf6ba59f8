// RUN: relay-opt %s -p relay-to-tensor,tensor-fuse-elementwise | filecheck %s

// A chain is one operation.
// CHECK-LABEL:   func.func private @chain
// CHECK:           linalg.generic
// CHECK:             arith.addf
// CHECK-NEXT:        math.exp
// CHECK-NOT:       linalg.generic
// CHECK:           func.return
func.func private @chain(%x: tensor<4x3xf32>, %y: tensor<3xf32>) -> tensor<4x3xf32> attributes {relay.primitive} {
  %0 = relay.add %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = relay.exp %0 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return %1 : tensor<4x3xf32>
}

// A producer moves into a reduction.
// CHECK-LABEL:   func.func private @reduction
// CHECK:           iterator_types = ["parallel", "reduction"]
// CHECK:             math.exp
// CHECK-NEXT:        arith.addf
// CHECK-NOT:       linalg.generic
// CHECK:           func.return
func.func private @reduction(%x: tensor<4x3xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %0 = relay.exp %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = relay.sum %0 {axis = [1]} : (tensor<4x3xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// An exponential a row is not computed again for every element of the row.
// CHECK-LABEL:   func.func private @broadcast
// CHECK:             math.exp
// CHECK:           linalg.generic
// CHECK:             arith.mulf
func.func private @broadcast(%x: tensor<4x3xf32>, %y: tensor<4x1xf32>) -> tensor<4x3xf32> attributes {relay.primitive} {
  %0 = relay.exp %y : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = relay.multiply %x, %0 : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
  func.return %1 : tensor<4x3xf32>
}
