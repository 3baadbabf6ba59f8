// RUN: relay-opt %s -p relay-eliminate-common-subexpr | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %1 = relay.negative %0 : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %2 = relay.add %1, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    func.return %2 : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %2 = relay.negative %0 : (tensor<2xf32>) -> tensor<2xf32>
  %3 = relay.negative %1 : (tensor<2xf32>) -> tensor<2xf32>
  %4 = relay.add %2, %3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %4 : tensor<2xf32>
}
