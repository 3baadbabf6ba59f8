// RUN: relay-opt %s -p 'relay-combine-parallel-dense{min_num_branches=2}' | filecheck %s

// CHECK-LABEL: func.func @main(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>, %v: tensor<5x4xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
// CHECK-NEXT:    %0 = relay.stack %w, %v : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<2x5x4xf32>
// CHECK-NEXT:    %1 = relay.expand_dims %x {axis = 0} : (tensor<3x4xf32>) -> tensor<1x3x4xf32>
// CHECK-NEXT:    %2 = relay.nn.batch_matmul %1, %0 {transpose_b = true} : (tensor<1x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT:    %3, %4 = relay.split %2 {indices_or_sections = 2} : (tensor<2x3x5xf32>) -> (tensor<1x3x5xf32>, tensor<1x3x5xf32>)
// CHECK-NEXT:    %5 = relay.squeeze %3 {axis = [0]} : (tensor<1x3x5xf32>) -> tensor<3x5xf32>
// CHECK-NEXT:    %6 = relay.squeeze %4 {axis = [0]} : (tensor<1x3x5xf32>) -> tensor<3x5xf32>
// CHECK-NEXT:    func.return %5, %6 : tensor<3x5xf32>, tensor<3x5xf32>
func.func @main(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>, %v: tensor<5x4xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = relay.nn.dense %x, %w : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %1 = relay.nn.dense %x, %v : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  func.return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}
