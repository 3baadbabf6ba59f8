// RUN: relay-opt %s -p 'relay-combine-parallel-conv2d{min_num_branches=2}' | filecheck %s

// CHECK-LABEL: func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %v: tensor<2x3x3x3xf32>) -> (tensor<1x4x6x6xf32>, tensor<1x2x6x6xf32>) {
// CHECK-NEXT:    %0 = relay.concatenate %w, %v : (tensor<4x3x3x3xf32>, tensor<2x3x3x3xf32>) -> tensor<6x3x3x3xf32>
// CHECK-NEXT:    %1 = relay.nn.conv2d %x, %0 : (tensor<1x3x8x8xf32>, tensor<6x3x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK-NEXT:    %2 = relay.nn.relu %1 : (tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32>
// CHECK-NEXT:    %3, %4 = relay.split %2 {indices_or_sections = [4], axis = 1} : (tensor<1x6x6x6xf32>) -> (tensor<1x4x6x6xf32>, tensor<1x2x6x6xf32>)
// CHECK-NEXT:    func.return %3, %4 : tensor<1x4x6x6xf32>, tensor<1x2x6x6xf32>
func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %v: tensor<2x3x3x3xf32>) -> (tensor<1x4x6x6xf32>, tensor<1x2x6x6xf32>) {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = relay.nn.relu %0 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %2 = relay.nn.conv2d %x, %v : (tensor<1x3x8x8xf32>, tensor<2x3x3x3xf32>) -> tensor<1x2x6x6xf32>
  %3 = relay.nn.relu %2 : (tensor<1x2x6x6xf32>) -> tensor<1x2x6x6xf32>
  func.return %1, %3 : tensor<1x4x6x6xf32>, tensor<1x2x6x6xf32>
}
