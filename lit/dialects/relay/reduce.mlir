// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<2x3x?xf32>, %b: tensor<2x3xi1>, %mean: tensor<2x1x?xf32>) {
  // CHECK-NEXT: relay.sum %x : (tensor<2x3x?xf32>) -> tensor<f32>
  %0 = relay.sum %x : (tensor<2x3x?xf32>) -> tensor<f32>
  // CHECK-NEXT: relay.prod %x {axis = [1]} : (tensor<2x3x?xf32>) -> tensor<2x?xf32>
  %1 = relay.prod %x {axis = [1]} : (tensor<2x3x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: relay.max %x {axis = [0, -1], keepdims = true} : (tensor<2x3x?xf32>) -> tensor<1x3x1xf32>
  %2 = relay.max %x {axis = [0, -1], keepdims = true} : (tensor<2x3x?xf32>) -> tensor<1x3x1xf32>
  // CHECK-NEXT: relay.min %x {axis = [1], exclude = true} : (tensor<2x3x?xf32>) -> tensor<3xf32>
  %3 = relay.min %x {axis = [1], exclude = true} : (tensor<2x3x?xf32>) -> tensor<3xf32>
  // CHECK-NEXT: relay.mean %x {axis = [1]} : (tensor<2x3x?xf32>) -> tensor<2x?xf32>
  %4 = relay.mean %x {axis = [1]} : (tensor<2x3x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: relay.all %b {axis = [0]} : (tensor<2x3xi1>) -> tensor<3xi1>
  %5 = relay.all %b {axis = [0]} : (tensor<2x3xi1>) -> tensor<3xi1>
  // CHECK-NEXT: relay.any %b : (tensor<2x3xi1>) -> tensor<i1>
  %6 = relay.any %b : (tensor<2x3xi1>) -> tensor<i1>
  // CHECK-NEXT: relay.argmax %x {axis = [1]} : (tensor<2x3x?xf32>) -> tensor<2x?xi32>
  %7 = relay.argmax %x {axis = [1]} : (tensor<2x3x?xf32>) -> tensor<2x?xi32>
  // CHECK-NEXT: relay.argmin %x {axis = [1], keepdims = true, select_last_index = true} : (tensor<2x3x?xf32>) -> tensor<2x1x?xi32>
  %8 = relay.argmin %x {axis = [1], keepdims = true, select_last_index = true} : (tensor<2x3x?xf32>) -> tensor<2x1x?xi32>
  // CHECK-NEXT: relay.variance %x, %mean {axis = [1], unbiased = true} : (tensor<2x3x?xf32>, tensor<2x1x?xf32>) -> tensor<2x?xf32>
  %9 = relay.variance %x, %mean {axis = [1], unbiased = true} : (tensor<2x3x?xf32>, tensor<2x1x?xf32>) -> tensor<2x?xf32>
  func.return
}
