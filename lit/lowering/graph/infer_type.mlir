// RUN: relay-opt %s -p relay-infer-type | filecheck %s

// CHECK-LABEL: func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
// CHECK-NEXT:    %0 = relay.nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    func.return %0 : tensor<2x3xf32>
func.func @main(%x: tensor<2x3xf32>) -> tensor<?x3xf32> {
  %0 = relay.nn.relu %x : (tensor<2x3xf32>) -> tensor<?x3xf32>
  func.return %0 : tensor<?x3xf32>
}
