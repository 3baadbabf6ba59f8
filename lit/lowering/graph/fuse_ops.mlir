// RUN: relay-opt %s -p relay-fuse-ops,verify-fused | filecheck %s
// RUN: relay-opt %s -p 'relay-fuse-ops{enabled=false}' | filecheck %s --check-prefix=SINGLE
// RUN: relay-opt %s -p relay-fuse-ops,relay-defuse-ops | filecheck %s --check-prefix=DEFUSED

// An anchor takes the elementwise operators behind it; equal groups share a kernel; views stay outside.

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = func.call @fused_nn_dense_add_nn_relu(%x, %w, %b) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:    %1 = func.call @fused_nn_dense_add_nn_relu(%0, %w, %b) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:    %2 = relay.reshape %1 {newshape = [16]} : (tensor<4x4xf32>) -> tensor<16xf32>
// CHECK-NEXT:    %3 = func.call @fused_multiply_sum(%2) : (tensor<16xf32>) -> tensor<f32>
// CHECK-NEXT:    func.return %3 : tensor<f32>

// SINGLE-LABEL: func.func @main
// SINGLE-NEXT:   %0 = func.call @fused_nn_dense(%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// SINGLE-NEXT:   %1 = func.call @fused_add(%0, %b) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
// SINGLE-NEXT:   %2 = func.call @fused_nn_relu(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>

// DEFUSED-LABEL: func.func @main
// DEFUSED-NEXT:  %0 = relay.nn.dense %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// DEFUSED-NOT:   func.func
func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<f32> {
  %0 = relay.nn.dense %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = relay.add %0, %b : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %2 = relay.nn.relu %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = relay.nn.dense %2, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = relay.add %3, %b : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %5 = relay.nn.relu %4 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = relay.reshape %5 {newshape = [16]} : (tensor<4x4xf32>) -> tensor<16xf32>
  %two = relay.constant 2.0 : tensor<f32>
  %7 = relay.multiply %6, %two : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  %8 = relay.sum %7 : (tensor<16xf32>) -> tensor<f32>
  func.return %8 : tensor<f32>
}

// CHECK:       func.func private @fused_nn_dense_add_nn_relu(%p0: tensor<4x4xf32>, %p1: tensor<4x4xf32>, %p2: tensor<4xf32>) -> tensor<4x4xf32> attributes {relay.primitive} {
// CHECK-NEXT:    %0 = relay.nn.dense %p0, %p1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:    %1 = relay.add %0, %p2 : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:    %2 = relay.nn.relu %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:    func.return %2 : tensor<4x4xf32>

// CHECK:       func.func private @fused_multiply_sum(%p0: tensor<16xf32>) -> tensor<f32> attributes {relay.primitive} {
// CHECK-NEXT:    %two = relay.constant 2.0 : tensor<f32>
