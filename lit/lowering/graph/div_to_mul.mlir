// RUN: relay-opt %s -p relay-div-to-mul | filecheck %s

// CHECK-LABEL: func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
// CHECK-NEXT:    %0 = relay.constant [0.25, -2.0] : tensor<2xf32>
// CHECK-NEXT:    %1 = relay.multiply %x, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %z = relay.constant [0.0, 1.0] : tensor<2xf32>
// CHECK-NEXT:    %2 = relay.divide %x, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    func.return %1, %2 : tensor<2xf32>, tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = relay.constant [4.0, -0.5] : tensor<2xf32>
  %0 = relay.divide %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = relay.constant [0.0, 1.0] : tensor<2xf32>
  %1 = relay.divide %x, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
