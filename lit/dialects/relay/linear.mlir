// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @products
func.func @products(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>, %a: tensor<5x2x8xf32>, %b: tensor<1x4x8xf32>) {
  // CHECK-NEXT: relay.nn.dense %x, %w : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  %0 = relay.nn.dense %x, %w : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  // CHECK-NEXT: relay.nn.dense %x, %w {units = 4, out_dtype = f64} : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf64>
  %1 = relay.nn.dense %x, %w {units = 4, out_dtype = f64} : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf64>
  // CHECK-NEXT: relay.nn.matmul %x, %w {transpose_b = true} : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  %2 = relay.nn.matmul %x, %w {transpose_a = false, transpose_b = true} : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  // CHECK-NEXT: relay.nn.batch_matmul %a, %b {transpose_b = true} : (tensor<5x2x8xf32>, tensor<1x4x8xf32>) -> tensor<5x2x4xf32>
  %3 = relay.nn.batch_matmul %a, %b {transpose_b = true} : (tensor<5x2x8xf32>, tensor<1x4x8xf32>) -> tensor<5x2x4xf32>
  func.return
}

// CHECK-LABEL: func.func @bias
func.func @bias(%x: tensor<1x8x4x4xf32>, %bias: tensor<8xf32>, %nhwc: tensor<1x4x4x8xf32>) {
  // CHECK-NEXT: relay.nn.bias_add %x, %bias : (tensor<1x8x4x4xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %0 = relay.nn.bias_add %x, %bias : (tensor<1x8x4x4xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  // CHECK-NEXT: relay.nn.bias_add %nhwc, %bias {axis = -1} :
  %1 = relay.nn.bias_add %nhwc, %bias {axis = -1} : (tensor<1x4x4x8xf32>, tensor<8xf32>) -> tensor<1x4x4x8xf32>
  func.return
}
