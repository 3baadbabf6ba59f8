// RUN: relay-opt %s --split-input-file --verify-diagnostics | filecheck %s
// RUN: xdsl-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The round trip of a function, in our driver and in xDSL's.

// CHECK-LABEL: func.func @twice
// CHECK-NEXT:    %0 = relay.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----

// CHECK: relay.add gives tensor<2xf32> for these operands, not tensor<3xf32>
func.func @wrong(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = relay.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}
