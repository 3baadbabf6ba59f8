// RUN: relay-opt %s -p relay-dead-code-elimination | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    func.return %0 : tensor<2xf32>
// CHECK-NEXT:  }
// CHECK-NOT:   func.func
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.negative %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = relay.add %1, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

func.func private @unused(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
