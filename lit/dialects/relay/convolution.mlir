// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<1x8x?x12xf32>, %w: tensor<16x8x3x3xf32>, %line: tensor<1x8x12xi8>, %taps: tensor<4x8x3xi8>) {
  // CHECK-NEXT: relay.nn.conv2d %x, %w : (tensor<1x8x?x12xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x?x10xf32>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x?x12xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x?x10xf32>
  // Defaults are not printed; padding stays as it was given.
  // CHECK-NEXT: relay.nn.conv2d %x, %w {strides = [2, 2], padding = [1]} :
  %1 = relay.nn.conv2d %x, %w {strides = [2, 2], padding = [1], dilation = [1, 1], groups = 1} : (tensor<1x8x?x12xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x?x6xf32>
  // CHECK-NEXT: relay.nn.conv1d %line, %taps {padding = [1, 0], out_dtype = i32} : (tensor<1x8x12xi8>, tensor<4x8x3xi8>) -> tensor<1x4x11xi32>
  %2 = relay.nn.conv1d %line, %taps {padding = [1, 0], out_dtype = i32} : (tensor<1x8x12xi8>, tensor<4x8x3xi8>) -> tensor<1x4x11xi32>
  func.return
}

// CHECK-LABEL: func.func @layouts
func.func @layouts(%nhwc: tensor<1x10x12x8xf32>, %hwoi: tensor<3x3x8x1xf32>, %blocked: tensor<1x4x7x7x16xf32>, %packed: tensor<2x4x1x1x16x32xf32>) {
  // CHECK-NEXT: relay.nn.conv2d %nhwc, %hwoi {groups = 8, data_layout = "NHWC", kernel_layout = "HWOI"} : {{.*}} -> tensor<1x8x10x8xf32>
  %0 = relay.nn.conv2d %nhwc, %hwoi {groups = 8, data_layout = "NHWC", kernel_layout = "HWOI"} : (tensor<1x10x12x8xf32>, tensor<3x3x8x1xf32>) -> tensor<1x8x10x8xf32>
  // CHECK-NEXT: relay.nn.conv2d %blocked, %packed {data_layout = "NCHW16c", kernel_layout = "OIHW16i32o", out_layout = "NCHW32c"} : {{.*}} -> tensor<1x2x7x7x32xf32>
  %1 = relay.nn.conv2d %blocked, %packed {data_layout = "NCHW16c", kernel_layout = "OIHW16i32o", out_layout = "NCHW32c"} : (tensor<1x4x7x7x16xf32>, tensor<2x4x1x1x16x32xf32>) -> tensor<1x2x7x7x32xf32>
  func.return
}

// CHECK-LABEL: func.func @transposed
func.func @transposed(%x: tensor<1x8x4x5xf32>, %w: tensor<8x4x3x3xf32>, %line: tensor<1x8x5xf32>, %taps: tensor<8x2x3xf32>) {
  // CHECK-NEXT: relay.nn.conv2d_transpose %x, %w {strides = [2, 2], output_padding = [1, 0], padding = [1, 1], groups = 2} : {{.*}} -> tensor<1x8x8x9xf32>
  %0 = relay.nn.conv2d_transpose %x, %w {strides = [2, 2], output_padding = [1, 0], padding = [1, 1], groups = 2} : (tensor<1x8x4x5xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x8x9xf32>
  // CHECK-NEXT: relay.nn.conv1d_transpose %line, %taps {channels = 2, kernel_size = [3]} : {{.*}} -> tensor<1x2x7xf32>
  %1 = relay.nn.conv1d_transpose %line, %taps {channels = 2, kernel_size = [3]} : (tensor<1x8x5xf32>, tensor<8x2x3xf32>) -> tensor<1x2x7xf32>
  func.return
}
