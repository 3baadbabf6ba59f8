// RUN: relay-opt %s -p relay-canonicalize-ops | filecheck %s

// CHECK-LABEL: func.func @bias_add
// CHECK-NEXT:    %0 = relay.expand_dims %b {axis = 1} : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK-NEXT:    %1 = relay.add %x, %0 : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
func.func @bias_add(%x: tensor<2x3x4xf32>, %b: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = relay.nn.bias_add %x, %b : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  func.return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @dense
// CHECK-NEXT:    %0 = relay.constant {{\[\[1.0, 3.0, 5.0\], \[2.0, 4.0, 6.0\]\]}} : tensor<2x3xf32>
// CHECK-NEXT:    %1 = relay.nn.matmul %x, %0 : (tensor<1x2xf32>, tensor<2x3xf32>) -> tensor<1x3xf32>
func.func @dense(%x: tensor<1x2xf32>) -> tensor<1x3xf32> {
  %weight = relay.constant [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] : tensor<3x2xf32>
  %0 = relay.nn.dense %x, %weight : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<1x3xf32>
  func.return %0 : tensor<1x3xf32>
}

// CHECK-LABEL: func.func @scalars
// CHECK-NEXT:    %0 = relay.constant 2.0 : tensor<f32>
// CHECK-NEXT:    %1 = relay.multiply %x, %0 : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
func.func @scalars(%x: tensor<2xf32>) -> tensor<2xf32> {
  %two = relay.constant [2.0] : tensor<1xf32>
  %0 = relay.multiply %x, %two : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
