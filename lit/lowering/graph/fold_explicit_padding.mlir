// RUN: relay-opt %s -p relay-fold-explicit-padding | filecheck %s

// CHECK-LABEL: func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> (tensor<1x4x8x9xf32>, tensor<1x3x9x9xf32>) {
// CHECK-NEXT:    %0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 2]} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x9xf32>
// CHECK-NEXT:    %1 = relay.nn.avg_pool2d %x {pool_size = [2, 2], padding = [1, 1, 1, 1], count_include_pad = true} : (tensor<1x3x8x8xf32>) -> tensor<1x3x9x9xf32>
// CHECK-NEXT:    func.return %0, %1 : tensor<1x4x8x9xf32>, tensor<1x3x9x9xf32>
func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> (tensor<1x4x8x9xf32>, tensor<1x3x9x9xf32>) {
  %0 = relay.nn.pad %x {pad_width = [0, 0, 0, 0, 1, 1, 1, 2]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x11xf32>
  %1 = relay.nn.conv2d %0, %w : (tensor<1x3x10x11xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x9xf32>
  %2 = relay.nn.pad %x {pad_width = [0, 0, 0, 0, 1, 1, 1, 1]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x10xf32>
  %3 = relay.nn.avg_pool2d %2 {pool_size = [2, 2]} : (tensor<1x3x10x10xf32>) -> tensor<1x3x9x9xf32>
  func.return %1, %3 : tensor<1x4x8x9xf32>, tensor<1x3x9x9xf32>
}
