// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @picks
func.func @picks(%x: tensor<2x6x?xf32>, %y: tensor<4x5xf32>, %i: tensor<3xi64>, %j: tensor<4x2xi32>, %u: tensor<4x2xf32>, %k: tensor<i64>) {
  // CHECK-NEXT: relay.strided_slice %x {begin = [1, 0], end = [2, 6], strides = [1, 2]} : (tensor<2x6x?xf32>) -> tensor<1x3x?xf32>
  %0 = relay.strided_slice %x {begin = [1, 0], end = [2, 6], strides = [1, 2]} : (tensor<2x6x?xf32>) -> tensor<1x3x?xf32>
  // CHECK-NEXT: relay.strided_slice %x {begin = [1], end = [-1], slice_mode = "size", axes = [1]} : (tensor<2x6x?xf32>) -> tensor<2x5x?xf32>
  %1 = relay.strided_slice %x {begin = [1], end = [-1], slice_mode = "size", axes = [1]} : (tensor<2x6x?xf32>) -> tensor<2x5x?xf32>
  // CHECK-NEXT: relay.split %x {indices_or_sections = 2, axis = 1} : (tensor<2x6x?xf32>) -> (tensor<2x3x?xf32>, tensor<2x3x?xf32>)
  %2:2 = relay.split %x {indices_or_sections = 2, axis = 1} : (tensor<2x6x?xf32>) -> (tensor<2x3x?xf32>, tensor<2x3x?xf32>)
  // CHECK-NEXT: relay.split %x {indices_or_sections = [4], axis = 1} : (tensor<2x6x?xf32>) -> (tensor<2x4x?xf32>, tensor<2x2x?xf32>)
  %3:2 = relay.split %x {indices_or_sections = [4], axis = 1} : (tensor<2x6x?xf32>) -> (tensor<2x4x?xf32>, tensor<2x2x?xf32>)
  // CHECK-NEXT: relay.take %y, %i : (tensor<4x5xf32>, tensor<3xi64>) -> tensor<3xf32>
  %4 = relay.take %y, %i : (tensor<4x5xf32>, tensor<3xi64>) -> tensor<3xf32>
  // CHECK-NEXT: relay.take %y, %j {batch_dims = 1, axis = 1, mode = "wrap"} : (tensor<4x5xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
  %5 = relay.take %y, %j {batch_dims = 1, axis = 1, mode = "wrap"} : (tensor<4x5xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
  // CHECK-NEXT: relay.gather %y, %j {axis = 1} : (tensor<4x5xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
  %6 = relay.gather %y, %j {axis = 1} : (tensor<4x5xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
  // CHECK-NEXT: relay.gather_nd %x, %i : (tensor<2x6x?xf32>, tensor<3xi64>) -> tensor<f32>
  %7 = relay.gather_nd %x, %i : (tensor<2x6x?xf32>, tensor<3xi64>) -> tensor<f32>
  // CHECK-NEXT: relay.scatter_elements %y, %j, %u {axis = 1, reduction = "add"} : (tensor<4x5xf32>, tensor<4x2xi32>, tensor<4x2xf32>) -> tensor<4x5xf32>
  %8 = relay.scatter_elements %y, %j, %u {axis = 1, reduction = "add"} : (tensor<4x5xf32>, tensor<4x2xi32>, tensor<4x2xf32>) -> tensor<4x5xf32>
  // CHECK-NEXT: relay.cumsum %y {axis = 0, exclusive = true} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %9 = relay.cumsum %y {axis = 0, exclusive = true} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  // CHECK-NEXT: relay.cumsum %j {dtype = i64} : (tensor<4x2xi32>) -> tensor<8xi64>
  %10 = relay.cumsum %j {dtype = i64} : (tensor<4x2xi32>) -> tensor<8xi64>
  // CHECK-NEXT: relay.trilu %y, %k {upper = false} : (tensor<4x5xf32>, tensor<i64>) -> tensor<4x5xf32>
  %11 = relay.trilu %y, %k {upper = false} : (tensor<4x5xf32>, tensor<i64>) -> tensor<4x5xf32>
  func.return
}
