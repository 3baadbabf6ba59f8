// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @images
func.func @images(%x: tensor<1x3x8x8xf32>) {
  // CHECK-NEXT: relay.image.resize2d %x {size = [16, 16]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32>
  %0 = relay.image.resize2d %x {size = [16, 16]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32>
  // CHECK-NEXT: relay.image.resize2d %x {size = [4, 4], method = "cubic", coordinate_transformation_mode = "align_corners", rounding_method = "", cubic_alpha = -0.75} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
  %1 = relay.image.resize2d %x {size = [4, 4], method = "cubic", coordinate_transformation_mode = "align_corners", rounding_method = "", cubic_alpha = -0.75} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
  // CHECK-NEXT: relay.image.resize2d %x {size = [4, 4], roi = [0.0, 0.0, 1.0, 1.0], coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 0.5, out_dtype = f16} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf16>
  %2 = relay.image.resize2d %x {size = [4, 4], roi = [0.0, 0.0, 1.0, 1.0], coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 0.5, out_dtype = f16} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf16>
  // CHECK-NEXT: relay.image.resize2d %x {size = [12, 12], method = "nearest_neighbor", scales = [1.5, 1.5]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x12x12xf32>
  %3 = relay.image.resize2d %x {size = [12, 12], method = "nearest_neighbor", scales = [1.5, 1.5]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x12x12xf32>
  func.return
}
