// RUN: relay-opt %s -p 'relay-merge-composite{patterns="npu.dense=nn.dense>nn.relu"},relay-annotate-target{targets="npu"}' | filecheck %s

// A composite belongs to the backend that its name begins with.

// CHECK-LABEL: func.func @main(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x4xf32> {
// CHECK-NEXT:    %0 = func.call @npu_dense_1(%x, %w) {relay.compiler = "npu"} : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:    %1 = relay.exp %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:    %2 = func.call @npu_dense(%0, %w) {relay.compiler = "npu"} : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:    %3 = relay.add %2, %1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:    func.return %3 : tensor<3x4xf32>
// CHECK-LABEL: func.func private @npu_dense(%0: tensor<3x4xf32>, %1: tensor<4x4xf32>) -> tensor<3x4xf32> attributes {relay.attrs = {Composite = "npu.dense", PartitionedFromPattern = "nn.dense_nn.relu_", global_symbol = "npu_dense"}} {
// CHECK-NEXT:    %2 = relay.nn.dense %0, %1 : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:    %3 = relay.nn.relu %2 : (tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:    func.return %3 : tensor<3x4xf32>
// CHECK-LABEL: func.func private @npu_dense_1(%0: tensor<3x4xf32>, %1: tensor<4x4xf32>) -> tensor<3x4xf32> attributes {relay.attrs = {Composite = "npu.dense", PartitionedFromPattern = "nn.dense_nn.relu_", global_symbol = "npu_dense_1"}} {
// CHECK-NEXT:    %2 = relay.nn.dense %0, %1 : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:    %3 = relay.nn.relu %2 : (tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:    func.return %3 : tensor<3x4xf32>
func.func @main(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x4xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %1 = relay.nn.relu %0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = relay.exp %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = relay.nn.dense %1, %w : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %4 = relay.nn.relu %3 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %5 = relay.add %4, %2 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %5 : tensor<3x4xf32>
}
