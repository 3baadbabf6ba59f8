// RUN: relay-opt %s -p relay-first-order-gradient | filecheck %s

// The gradients of the sum by both factors; that of the one that is broadcast is summed down.
// CHECK-LABEL: func.func @product(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<f32>, tuple<tensor<2x3xf32>, tensor<3xf32>>)
// CHECK-NEXT:    %0 = relay.multiply %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %1 = relay.tanh %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %2 = relay.sum %1 : (tensor<2x3xf32>) -> tensor<f32>
// CHECK-NEXT:    %3 = relay.ones_like %2 : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %4 = relay.reshape %3 {newshape = [1, 1]} : (tensor<f32>) -> tensor<1x1xf32>
// CHECK-NEXT:    %5 = relay.broadcast_to %4 {shape = [2, 3]} : (tensor<1x1xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %6 = relay.multiply %1, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %7 = relay.negative %6 : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %8 = relay.constant 1.0 : tensor<f32>
// CHECK-NEXT:    %9 = relay.add %7, %8 : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %10 = relay.multiply %5, %9 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %11 = relay.multiply %10, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %12 = relay.multiply %10, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %13 = relay.sum %12 {axis = [0]} : (tensor<2x3xf32>) -> tensor<3xf32>
// CHECK-NEXT:    %14 = relay.tuple %11, %13 : (tensor<2x3xf32>, tensor<3xf32>) -> tuple<tensor<2x3xf32>, tensor<3xf32>>
// CHECK-NEXT:    func.return %2, %14 : tensor<f32>, tuple<tensor<2x3xf32>, tensor<3xf32>>
func.func @product(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<f32> {
  %0 = relay.multiply %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = relay.tanh %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = relay.sum %1 : (tensor<2x3xf32>) -> tensor<f32>
  func.return %2 : tensor<f32>
}

// The gradient of a constant is not computed, that of an argument of integers is zero.
// CHECK-LABEL: func.func @layer(%x: tensor<2x3xf32>, %n: tensor<2xi32>) -> (tensor<2x1xf32>, tuple<tensor<2x3xf32>, tensor<2xi32>>)
// CHECK-NEXT:    %weight = relay.constant {{\[\[1.0, 2.0, 3.0\]\]}} : tensor<1x3xf32>
// CHECK-NEXT:    %0 = relay.nn.dense %x, %weight : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x1xf32>
// CHECK-NEXT:    %1 = relay.ones_like %0 : (tensor<2x1xf32>) -> tensor<2x1xf32>
// CHECK-NEXT:    %2 = relay.nn.matmul %1, %weight : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %3 = relay.zeros_like %n : (tensor<2xi32>) -> tensor<2xi32>
// CHECK-NEXT:    %4 = relay.tuple %2, %3 : (tensor<2x3xf32>, tensor<2xi32>) -> tuple<tensor<2x3xf32>, tensor<2xi32>>
// CHECK-NEXT:    func.return %0, %4 : tensor<2x1xf32>, tuple<tensor<2x3xf32>, tensor<2xi32>>
func.func @layer(%x: tensor<2x3xf32>, %n: tensor<2xi32>) -> tensor<2x1xf32> {
  %weight = relay.constant [[1.0, 2.0, 3.0]] : tensor<1x3xf32>
  %0 = relay.nn.dense %x, %weight : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x1xf32>
  func.return %0 : tensor<2x1xf32>
}
