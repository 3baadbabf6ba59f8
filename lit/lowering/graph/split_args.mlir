// RUN: relay-opt %s -p 'relay-split-args{max_function_args=2}' | filecheck %s

// CHECK-LABEL: func.func @main(%x: tensor<2xf32>) -> tensor<6xf32> {
// CHECK-NEXT:    %0 = relay.concatenate %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %1 = relay.concatenate %0, %x : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
// CHECK-NEXT:    func.return %1 : tensor<6xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<6xf32> {
  %0 = relay.concatenate %x, %x, %x : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  func.return %0 : tensor<6xf32>
}
