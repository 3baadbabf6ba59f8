// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<1x8x10x?xf32>, %line: tensor<1x8x10xi8>, %cube: tensor<1x4x6x6x8xf32>) {
  // CHECK-NEXT: relay.nn.max_pool2d %x {pool_size = [3, 3], strides = [2, 2], padding = [1]} : (tensor<1x8x10x?xf32>) -> tensor<1x8x5x?xf32>
  %0 = relay.nn.max_pool2d %x {pool_size = [3, 3], strides = [2, 2], padding = [1]} : (tensor<1x8x10x?xf32>) -> tensor<1x8x5x?xf32>
  // CHECK-NEXT: relay.nn.avg_pool2d %x {pool_size = [2], ceil_mode = true, count_include_pad = true} :
  %1 = relay.nn.avg_pool2d %x {pool_size = [2], ceil_mode = true, count_include_pad = true} : (tensor<1x8x10x?xf32>) -> tensor<1x8x9x?xf32>
  // CHECK-NEXT: relay.nn.max_pool1d %line {pool_size = [2], strides = [2], padding = [0, 1]} : (tensor<1x8x10xi8>) -> tensor<1x8x5xi8>
  %2 = relay.nn.max_pool1d %line {pool_size = [2], strides = [2], padding = [0, 1]} : (tensor<1x8x10xi8>) -> tensor<1x8x5xi8>
  // CHECK-NEXT: relay.nn.avg_pool1d %line {pool_size = [2]} : (tensor<1x8x10xi8>) -> tensor<1x8x9xi8>
  %3 = relay.nn.avg_pool1d %line {pool_size = [2]} : (tensor<1x8x10xi8>) -> tensor<1x8x9xi8>
  // CHECK-NEXT: relay.nn.max_pool3d %cube {pool_size = [2], layout = "NDHWC"} : (tensor<1x4x6x6x8xf32>) -> tensor<1x3x5x5x8xf32>
  %4 = relay.nn.max_pool3d %cube {pool_size = [2], layout = "NDHWC"} : (tensor<1x4x6x6x8xf32>) -> tensor<1x3x5x5x8xf32>
  // CHECK-NEXT: relay.nn.avg_pool3d %cube {pool_size = [2], dilation = [2, 1, 1], layout = "NDHWC"} : (tensor<1x4x6x6x8xf32>) -> tensor<1x2x5x5x8xf32>
  %5 = relay.nn.avg_pool3d %cube {pool_size = [2], dilation = [2, 1, 1], layout = "NDHWC"} : (tensor<1x4x6x6x8xf32>) -> tensor<1x2x5x5x8xf32>
  func.return
}

// CHECK-LABEL: func.func @regions
func.func @regions(%x: tensor<1x8x10x?xf32>, %line: tensor<1x8x10xf32>, %blocked: tensor<1x2x10x12x4xf32>) {
  // CHECK-NEXT: relay.nn.adaptive_max_pool1d %line {output_size = [4]} : (tensor<1x8x10xf32>) -> tensor<1x8x4xf32>
  %0 = relay.nn.adaptive_max_pool1d %line {output_size = [4]} : (tensor<1x8x10xf32>) -> tensor<1x8x4xf32>
  // CHECK-NEXT: relay.nn.adaptive_avg_pool1d %line : (tensor<1x8x10xf32>) -> tensor<1x8x10xf32>
  %1 = relay.nn.adaptive_avg_pool1d %line : (tensor<1x8x10xf32>) -> tensor<1x8x10xf32>
  // CHECK-NEXT: relay.nn.adaptive_max_pool2d %x {output_size = [4, 3]} : (tensor<1x8x10x?xf32>) -> tensor<1x8x4x3xf32>
  %2 = relay.nn.adaptive_max_pool2d %x {output_size = [4, 3]} : (tensor<1x8x10x?xf32>) -> tensor<1x8x4x3xf32>
  // CHECK-NEXT: relay.nn.adaptive_avg_pool2d %x {output_size = [7]} : (tensor<1x8x10x?xf32>) -> tensor<1x8x7x7xf32>
  %3 = relay.nn.adaptive_avg_pool2d %x {output_size = [7]} : (tensor<1x8x10x?xf32>) -> tensor<1x8x7x7xf32>
  // CHECK-NEXT: relay.nn.global_max_pool2d %x : (tensor<1x8x10x?xf32>) -> tensor<1x8x1x1xf32>
  %4 = relay.nn.global_max_pool2d %x : (tensor<1x8x10x?xf32>) -> tensor<1x8x1x1xf32>
  // CHECK-NEXT: relay.nn.global_avg_pool2d %blocked {layout = "NCHW4c", out_layout = "NHWC"} : (tensor<1x2x10x12x4xf32>) -> tensor<1x1x1x8xf32>
  %5 = relay.nn.global_avg_pool2d %blocked {layout = "NCHW4c", out_layout = "NHWC"} : (tensor<1x2x10x12x4xf32>) -> tensor<1x1x1x8xf32>
  func.return
}
