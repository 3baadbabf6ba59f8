// RUN: relay-opt %s -p relay-defuse-ops | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %1 = relay.exp %0 : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    func.return %1 : tensor<2xf32>
// CHECK-NOT:   func.func
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @kernel(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = func.call @kernel(%0) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}
func.func private @kernel(%p0: tensor<2xf32>) -> tensor<2xf32> attributes {relay.primitive} {
  %0 = relay.exp %p0 : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
