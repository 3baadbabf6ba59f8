// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<1x3x?xf32>) {
  // CHECK-NEXT: relay.reshape %x {newshape = [0, -1]} : (tensor<1x3x?xf32>) -> tensor<1x?xf32>
  %0 = relay.reshape %x {newshape = [0, -1]} : (tensor<1x3x?xf32>) -> tensor<1x?xf32>
  // CHECK-NEXT: relay.reshape %x {newshape = [-4, 1, -1, -2]} : (tensor<1x3x?xf32>) -> tensor<1x1x3x?xf32>
  %1 = relay.reshape %x {newshape = [-4, 1, -1, -2]} : (tensor<1x3x?xf32>) -> tensor<1x1x3x?xf32>
  // CHECK-NEXT: relay.nn.batch_flatten %x : (tensor<1x3x?xf32>) -> tensor<1x?xf32>
  %2 = relay.nn.batch_flatten %x : (tensor<1x3x?xf32>) -> tensor<1x?xf32>
  // CHECK-NEXT: relay.expand_dims %x {axis = -1, num_newaxis = 2} : (tensor<1x3x?xf32>) -> tensor<1x3x?x1x1xf32>
  %3 = relay.expand_dims %x {axis = -1, num_newaxis = 2} : (tensor<1x3x?xf32>) -> tensor<1x3x?x1x1xf32>
  // CHECK-NEXT: relay.squeeze %x {axis = [0]} : (tensor<1x3x?xf32>) -> tensor<3x?xf32>
  %4 = relay.squeeze %x {axis = [0]} : (tensor<1x3x?xf32>) -> tensor<3x?xf32>
  // CHECK-NEXT: relay.shape_of %x {dtype = i64} : (tensor<1x3x?xf32>) -> tensor<3xi64>
  %5 = relay.shape_of %x {dtype = i64} : (tensor<1x3x?xf32>) -> tensor<3xi64>
  func.return
}
