// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @creation
func.func @creation(%x: tensor<2x?xi8>, %fill: tensor<f32>, %indices: tensor<2x3xi64>) {
  // CHECK-NEXT: relay.zeros {shape = [2, 3], dtype = ui8} : () -> tensor<2x3xui8>
  %0 = relay.zeros {shape = [2, 3], dtype = ui8} : () -> tensor<2x3xui8>
  // CHECK-NEXT: relay.ones {shape = [], dtype = i1} : () -> tensor<i1>
  %1 = relay.ones {shape = [], dtype = i1} : () -> tensor<i1>
  // CHECK-NEXT: relay.full %fill {shape = [2]} : (tensor<f32>) -> tensor<2xf32>
  %2 = relay.full %fill {shape = [2]} : (tensor<f32>) -> tensor<2xf32>
  // CHECK-NEXT: relay.full %fill {shape = [2], dtype = i32} : (tensor<f32>) -> tensor<2xi32>
  %3 = relay.full %fill {shape = [2], dtype = i32} : (tensor<f32>) -> tensor<2xi32>
  // CHECK-NEXT: relay.zeros_like %x : (tensor<2x?xi8>) -> tensor<2x?xi8>
  %4 = relay.zeros_like %x : (tensor<2x?xi8>) -> tensor<2x?xi8>
  // CHECK-NEXT: relay.ones_like %x
  %5 = relay.ones_like %x : (tensor<2x?xi8>) -> tensor<2x?xi8>
  // CHECK-NEXT: relay.full_like %x, %fill : (tensor<2x?xi8>, tensor<f32>) -> tensor<2x?xi8>
  %6 = relay.full_like %x, %fill : (tensor<2x?xi8>, tensor<f32>) -> tensor<2x?xi8>
  // CHECK-NEXT: relay.arange {start = 0.0, stop = 5.0, step = 2.0, dtype = i64} : () -> tensor<3xi64>
  %7 = relay.arange {start = 0.0, stop = 5.0, step = 2.0, dtype = i64} : () -> tensor<3xi64>
  // CHECK-NEXT: relay.one_hot %indices, %fill, %fill {depth = 4} : (tensor<2x3xi64>, tensor<f32>, tensor<f32>) -> tensor<2x3x4xf32>
  %8 = relay.one_hot %indices, %fill, %fill {depth = 4} : (tensor<2x3xi64>, tensor<f32>, tensor<f32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: relay.one_hot %indices, %fill, %fill {depth = 4, axis = 0}
  %9 = relay.one_hot %indices, %fill, %fill {depth = 4, axis = 0} : (tensor<2x3xi64>, tensor<f32>, tensor<f32>) -> tensor<4x2x3xf32>
  func.return
}
