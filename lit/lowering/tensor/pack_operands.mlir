// RUN: relay-opt %s -p relay-to-tensor,tensor-pack-operands | filecheck %s

// The weight (units, k) of a dense layer is transposed, so that units are consecutive.
// CHECK-LABEL: func.func private @dense
// CHECK:         [[P:%.+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME:      ins(%w : tensor<32x16xf32>) outs({{.*}} : tensor<16x32xf32>)
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-SAME:      ins(%x, [[P]] : tensor<8x16xf32>, tensor<16x32xf32>)
func.func private @dense(%x: tensor<8x16xf32>, %w: tensor<32x16xf32>) -> tensor<8x32xf32> attributes {relay.primitive} {
  %0 = relay.nn.dense %x, %w : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  func.return %0 : tensor<8x32xf32>
}

// The image under a convolution of stride 2 is split into even and odd columns.
// CHECK-LABEL: func.func private @strided
// CHECK:         tensor.empty() : tensor<1x4x9x2x5xf32>
// CHECK:         affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, (d4 * 2))>
// CHECK:         tensor.insert_slice {{.*}} into {{.*}}[0, 0, 0, 0, 0] [1, 4, 9, 1, 5] [1, 1, 1, 1, 1]
// CHECK:         affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, ((d4 * 2) + 1))>
// CHECK:         tensor.insert_slice {{.*}} into {{.*}}[0, 0, 0, 1, 0] [1, 4, 9, 1, 4] [1, 1, 1, 1, 1]
// CHECK:         (d6 mod 2), (d3 + (d6 floordiv 2))
func.func private @strided(%x: tensor<1x4x9x9xf32>, %w: tensor<64x4x3x3xf32>) -> tensor<1x64x4x4xf32> attributes {relay.primitive} {
  %0 = relay.nn.conv2d %x, %w {strides = [2, 2]} : (tensor<1x4x9x9xf32>, tensor<64x4x3x3xf32>) -> tensor<1x64x4x4xf32>
  func.return %0 : tensor<1x64x4x4xf32>
}

// Used only twice, the weight is read as it lies.
// CHECK-LABEL: func.func private @few
// CHECK:         affine_map<(d0, d1, d2) -> (d1, d2)>
func.func private @few(%x: tensor<2x16xf32>, %w: tensor<32x16xf32>) -> tensor<2x32xf32> attributes {relay.primitive} {
  %0 = relay.nn.dense %x, %w : (tensor<2x16xf32>, tensor<32x16xf32>) -> tensor<2x32xf32>
  func.return %0 : tensor<2x32xf32>
}
