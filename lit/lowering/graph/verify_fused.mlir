// RUN: not relay-opt %s -p verify-fused 2>&1 | filecheck %s

// CHECK: F1: relay.exp at {{.*}} in @main stands outside of a kernel
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
