// RUN: relay-opt %s -p 'relay-convert-layout{desired="nn.conv2d:NHWC:default","nn.max_pool2d:NHWC"}' | filecheck %s

// Transforms stand at the borders; the mean needs none.

// CHECK-LABEL: func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> (tensor<1x4x3x3xf32>, tensor<1x4xf32>) {
// CHECK-NEXT:    %0 = relay.layout_transform %x {src_layout = "NCHW", dst_layout = "NHWC"} : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
// CHECK-NEXT:    %1 = relay.layout_transform %w {src_layout = "OIHW", dst_layout = "HWIO"} : (tensor<4x3x3x3xf32>) -> tensor<3x3x3x4xf32>
// CHECK-NEXT:    %2 = relay.nn.conv2d %0, %1 {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
// CHECK-NEXT:    %3 = relay.nn.bias_add %2, %b {axis = 3} : (tensor<1x6x6x4xf32>, tensor<4xf32>) -> tensor<1x6x6x4xf32>
// CHECK-NEXT:    %4 = relay.nn.max_pool2d %3 {pool_size = [2, 2], strides = [2, 2], layout = "NHWC"} : (tensor<1x6x6x4xf32>) -> tensor<1x3x3x4xf32>
// CHECK-NEXT:    %5 = relay.layout_transform %4 {src_layout = "NHWC", dst_layout = "NCHW"} : (tensor<1x3x3x4xf32>) -> tensor<1x4x3x3xf32>
// CHECK-NEXT:    %6 = relay.mean %4 {axis = [1, 2]} : (tensor<1x3x3x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:    func.return %5, %6 : tensor<1x4x3x3xf32>, tensor<1x4xf32>
func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> (tensor<1x4x3x3xf32>, tensor<1x4xf32>) {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = relay.nn.bias_add %0, %b : (tensor<1x4x6x6xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
  %2 = relay.nn.max_pool2d %1 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x4x6x6xf32>) -> tensor<1x4x3x3xf32>
  %3 = relay.mean %2 {axis = [2, 3]} : (tensor<1x4x3x3xf32>) -> tensor<1x4xf32>
  func.return %2, %3 : tensor<1x4x3x3xf32>, tensor<1x4xf32>
}
