// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @rearrangements
func.func @rearrangements(%x: tensor<2x3x?xf32>, %y: tensor<2x3x4xf32>, %image: tensor<1x16x8x8xf32>) {
  // CHECK-NEXT: relay.transpose %x : (tensor<2x3x?xf32>) -> tensor<?x3x2xf32>
  %0 = relay.transpose %x : (tensor<2x3x?xf32>) -> tensor<?x3x2xf32>
  // CHECK-NEXT: relay.transpose %x {axes = [0, 2, 1]} : (tensor<2x3x?xf32>) -> tensor<2x?x3xf32>
  %1 = relay.transpose %x {axes = [0, 2, 1]} : (tensor<2x3x?xf32>) -> tensor<2x?x3xf32>
  // CHECK-NEXT: relay.reverse %x {axis = 1} : (tensor<2x3x?xf32>) -> tensor<2x3x?xf32>
  %2 = relay.reverse %x {axis = 1} : (tensor<2x3x?xf32>) -> tensor<2x3x?xf32>
  // CHECK-NEXT: relay.layout_transform %image {src_layout = "NCHW", dst_layout = "NCHW16c"} : (tensor<1x16x8x8xf32>) -> tensor<1x1x8x8x16xf32>
  %3 = relay.layout_transform %image {src_layout = "NCHW", dst_layout = "NCHW16c"} : (tensor<1x16x8x8xf32>) -> tensor<1x1x8x8x16xf32>
  // CHECK-NEXT: relay.concatenate %x, %y {axis = 2} : (tensor<2x3x?xf32>, tensor<2x3x4xf32>) -> tensor<2x3x?xf32>
  %4 = relay.concatenate %x, %y {axis = 2} : (tensor<2x3x?xf32>, tensor<2x3x4xf32>) -> tensor<2x3x?xf32>
  // CHECK-NEXT: relay.stack %y, %y, %y {axis = -1} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4x3xf32>
  %5 = relay.stack %y, %y, %y {axis = -1} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4x3xf32>
  // CHECK-NEXT: relay.broadcast_to %x {shape = [5, 2, 3, 4]} : (tensor<2x3x?xf32>) -> tensor<5x2x3x4xf32>
  %6 = relay.broadcast_to %x {shape = [5, 2, 3, 4]} : (tensor<2x3x?xf32>) -> tensor<5x2x3x4xf32>
  // CHECK-NEXT: relay.tile %x {reps = [2, 1, 1]} : (tensor<2x3x?xf32>) -> tensor<4x3x?xf32>
  %7 = relay.tile %x {reps = [2, 1, 1]} : (tensor<2x3x?xf32>) -> tensor<4x3x?xf32>
  // CHECK-NEXT: relay.repeat %x {repeats = 2, axis = 1} : (tensor<2x3x?xf32>) -> tensor<2x6x?xf32>
  %8 = relay.repeat %x {repeats = 2, axis = 1} : (tensor<2x3x?xf32>) -> tensor<2x6x?xf32>
  // CHECK-NEXT: relay.nn.pad %y {pad_width = [0, 0, 1, 1, 2, 2], pad_value = -1.5} : (tensor<2x3x4xf32>) -> tensor<2x5x8xf32>
  %9 = relay.nn.pad %y {pad_width = [0, 0, 1, 1, 2, 2], pad_value = -1.5} : (tensor<2x3x4xf32>) -> tensor<2x5x8xf32>
  // CHECK-NEXT: relay.nn.pad %y {pad_width = [0, 0, 1, 1, 2, 2], pad_mode = "edge"} : (tensor<2x3x4xf32>) -> tensor<2x5x8xf32>
  %10 = relay.nn.pad %y {pad_width = [0, 0, 1, 1, 2, 2], pad_mode = "edge"} : (tensor<2x3x4xf32>) -> tensor<2x5x8xf32>
  // CHECK-NEXT: relay.nn.mirror_pad %y {mode = "REFLECT", pad_width = [0, 0, 1, 1, 2, 2]} : (tensor<2x3x4xf32>) -> tensor<2x5x8xf32>
  %11 = relay.nn.mirror_pad %y {mode = "REFLECT", pad_width = [0, 0, 1, 1, 2, 2]} : (tensor<2x3x4xf32>) -> tensor<2x5x8xf32>
  // CHECK-NEXT: relay.nn.depth_to_space %image {block_size = 2} : (tensor<1x16x8x8xf32>) -> tensor<1x4x16x16xf32>
  %12 = relay.nn.depth_to_space %image {block_size = 2} : (tensor<1x16x8x8xf32>) -> tensor<1x4x16x16xf32>
  // CHECK-NEXT: relay.nn.space_to_depth %image {block_size = 2, mode = "CRD"} : (tensor<1x16x8x8xf32>) -> tensor<1x64x4x4xf32>
  %13 = relay.nn.space_to_depth %image {block_size = 2, mode = "CRD"} : (tensor<1x16x8x8xf32>) -> tensor<1x64x4x4xf32>
  func.return
}
