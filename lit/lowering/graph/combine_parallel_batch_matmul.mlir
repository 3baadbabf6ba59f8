// RUN: relay-opt %s -p 'relay-combine-parallel-batch-matmul{min_num_branches=2}' | filecheck %s

// CHECK-LABEL: func.func @main(%x: tensor<2x3x4xf32>, %w: tensor<2x4x5xf32>, %v: tensor<2x4x6xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x6xf32>) {
// CHECK-NEXT:    %0 = relay.concatenate %w, %v {axis = 2} : (tensor<2x4x5xf32>, tensor<2x4x6xf32>) -> tensor<2x4x11xf32>
// CHECK-NEXT:    %1 = relay.nn.batch_matmul %x, %0 : (tensor<2x3x4xf32>, tensor<2x4x11xf32>) -> tensor<2x3x11xf32>
// CHECK-NEXT:    %2, %3 = relay.split %1 {indices_or_sections = [5], axis = 2} : (tensor<2x3x11xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x6xf32>)
// CHECK-NEXT:    func.return %2, %3 : tensor<2x3x5xf32>, tensor<2x3x6xf32>
func.func @main(%x: tensor<2x3x4xf32>, %w: tensor<2x4x5xf32>, %v: tensor<2x4x6xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x6xf32>) {
  %0 = relay.nn.batch_matmul %x, %w : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = relay.nn.batch_matmul %x, %v : (tensor<2x3x4xf32>, tensor<2x4x6xf32>) -> tensor<2x3x6xf32>
  func.return %0, %1 : tensor<2x3x5xf32>, tensor<2x3x6xf32>
}
