// RUN: relay-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: func.func @per_channel
// CHECK:         example.snake %x, %alpha : (tensor<1x4x?xf32>, tensor<4x1xf32>) -> tensor<1x4x?xf32>
func.func @per_channel(%x: tensor<1x4x?xf32>, %alpha: tensor<4x1xf32>) -> tensor<1x4x?xf32> {
  %0 = example.snake %x, %alpha : (tensor<1x4x?xf32>, tensor<4x1xf32>) -> tensor<1x4x?xf32>
  func.return %0 : tensor<1x4x?xf32>
}

// -----

// CHECK: C1: operands have element types f32 and f16
func.func @c1(%x: tensor<2xf32>, %alpha: tensor<2xf16>) -> tensor<2xf32> {
  %0 = example.snake %x, %alpha : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----

// CHECK: C2: snake takes floating-point numbers, not i32
func.func @c2(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = example.snake %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return %0 : tensor<2xi32>
}

// -----

// CHECK: C3: alpha of shape (3, 2) does not broadcast to (2,)
func.func @c3(%x: tensor<2xf32>, %alpha: tensor<3x2xf32>) -> tensor<2xf32> {
  %0 = example.snake %x, %alpha : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
