// RUN: relay-opt %s -p 'relay-simplify-fc-transpose{names="w"}' | filecheck %s

// CHECK-LABEL: func.func @main(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>, %v: tensor<5x6xf32>) -> tensor<3x6xf32> {
// CHECK-NEXT:    %0 = relay.nn.matmul %x, %w : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
// CHECK-NEXT:    %1 = relay.transpose %v : (tensor<5x6xf32>) -> tensor<6x5xf32>
// CHECK-NEXT:    %2 = relay.nn.dense %0, %1 : (tensor<3x5xf32>, tensor<6x5xf32>) -> tensor<3x6xf32>
// CHECK-NEXT:    func.return %2 : tensor<3x6xf32>
func.func @main(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>, %v: tensor<5x6xf32>) -> tensor<3x6xf32> {
  %0 = relay.transpose %w : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %1 = relay.nn.dense %x, %0 : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %2 = relay.transpose %v : (tensor<5x6xf32>) -> tensor<6x5xf32>
  %3 = relay.nn.dense %1, %2 : (tensor<3x5xf32>, tensor<6x5xf32>) -> tensor<3x6xf32>
  func.return %3 : tensor<3x6xf32>
}
