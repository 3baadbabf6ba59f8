// RUN: relay-opt %s -p verify-loop --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: @fine
func.func private @fine(%x: memref<4xf32>) {
  func.return
}

// -----

// CHECK: verify-loop: L1: relay.exp at {{.*}} is not of the loop level
func.func private @operator(%x: tensor<4xf32>) {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: verify-loop: L2: kernel.view at {{.*}} is a tensor
func.func private @tensor(%x: tensor<4xf32>) {
  %0 = kernel.view %x : tensor<4xf32> to tensor<2x2xf32>
  func.return
}

// -----

// CHECK: verify-loop: L3: memref.alloc at {{.*}} is left over
func.func private @allocation() {
  %0 = memref.alloc() : memref<4xf32>
  func.return
}
