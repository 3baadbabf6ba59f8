// RUN: relay-opt %s -p 'relay-to-tensor,tensor-fuse-elementwise,tensor-to-loop{target="llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512"}' | relay-opt | filecheck %s

// The result is an argument. A row is done by whole vectors, the rest by single elements.
// CHECK-LABEL: func.func private @bias
// CHECK-SAME:    (%x: memref<3x20xf32>, %b: memref<3x1xf32>, %{{.*}}: memref<3x20xf32>)
// CHECK-SAME:    kernel.in_place = array<i64: 0>
// CHECK:         scf.for [[ROW:%.+]] =
// CHECK:           [[X:%.+]] = vector.load {{.*}} vector<16xf32>
// CHECK:           [[B:%.+]] = memref.load {{.*}}[[[ROW]]] : memref<3xf32>
// CHECK:           [[V:%.+]] = vector.broadcast [[B]] : f32 to vector<16xf32>
// CHECK:           arith.addf [[X]], [[V]] : vector<16xf32>
// CHECK:           vector.store
// CHECK:           scf.for
// CHECK:             memref.load
// CHECK:             memref.store
func.func private @bias(%x: tensor<3x20xf32>, %b: tensor<3x1xf32>) -> tensor<3x20xf32> attributes {relay.primitive} {
  %0 = relay.add %x, %b : (tensor<3x20xf32>, tensor<3x1xf32>) -> tensor<3x20xf32>
  func.return %0 : tensor<3x20xf32>
}

// A sum over two axes that do not merge adds up vectors along the inner one and joins their lanes at the end.
// CHECK-LABEL: func.func private @row_sums
// CHECK:         scf.for {{.*}} iter_args
// CHECK-NOT:     memref.store
// CHECK:         vector.reduction <add>
func.func private @row_sums(%x: tensor<3x2x32xf32>) -> tensor<2xf32> attributes {relay.primitive} {
  %0 = relay.sum %x {axis = [0, 2]} : (tensor<3x2x32xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// A matrix product keeps its tile in registers through the reduction; bias and relu follow before the store. Work enough for
// several threads is marked parallel.
// CHECK-LABEL: func.func private @matmul
// CHECK:         "scf.parallel"
// CHECK:           [[ACC:%[0-9]+]], {{.*}} = scf.for {{.*}} iter_args
// CHECK:             vector.fma
// CHECK:             scf.yield
// CHECK:           arith.addf [[ACC]],
// CHECK:           vector_ext.select
// CHECK:           vector.store
// CHECK-NOT:     memref.alloc
func.func private @matmul(%x: tensor<128x32xf32>, %w: tensor<32x64xf32>, %b: tensor<64xf32>) -> tensor<128x64xf32> attributes {relay.primitive} {
  %0 = relay.nn.matmul %x, %w : (tensor<128x32xf32>, tensor<32x64xf32>) -> tensor<128x64xf32>
  %1 = relay.add %0, %b : (tensor<128x64xf32>, tensor<64xf32>) -> tensor<128x64xf32>
  %2 = relay.nn.relu %1 : (tensor<128x64xf32>) -> tensor<128x64xf32>
  func.return %2 : tensor<128x64xf32>
}

// Parts of a concatenation are computed in place.
// CHECK-LABEL: func.func private @concatenate
// CHECK-NOT:     memref.alloc
// CHECK:         func.return
func.func private @concatenate(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<4x4xf32> attributes {relay.primitive} {
  %0 = relay.exp %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = relay.concatenate %0, %y {axis = 0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  func.return %1 : tensor<4x4xf32>
}

// @main: a buffer for what stands between calls, the last call writes into the caller's. Both branches of a choice write into
// one buffer.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    [[OUT:%[0-9]+]]: memref<6x10xf32>) attributes {xrelay.num_inputs = 3 : i64, xrelay.num_outputs = 1 : i64}
// CHECK-DAG:     [[DEST:%[0-9]+]] = kernel.view [[OUT]] : memref<6x10xf32> to memref<3x20xf32>
// CHECK-DAG:     [[BUF:%[0-9]+]] = memref.alloc() : memref<3x20xf32>
// CHECK:         func.call @bias(%x, %b, [[BUF]])
// CHECK:         memref.load %c[] : memref<i1>
// CHECK:         scf.if
// CHECK:           func.call @bias([[BUF]], %b, [[DEST]])
// CHECK:         } else {
// CHECK:           vector.store
func.func @main(%c: tensor<i1>, %x: tensor<3x20xf32>, %b: tensor<3x1xf32>) -> tensor<6x10xf32> {
  %0 = func.call @bias(%x, %b) : (tensor<3x20xf32>, tensor<3x1xf32>) -> tensor<3x20xf32>
  %1 = relay.if %c -> (tensor<3x20xf32>) {
    %2 = func.call @bias(%0, %b) : (tensor<3x20xf32>, tensor<3x1xf32>) -> tensor<3x20xf32>
    relay.yield %2 : tensor<3x20xf32>
  } else {
    relay.yield %0 : tensor<3x20xf32>
  }
  %3 = relay.reshape %1 {newshape = [6, 10]} : (tensor<3x20xf32>) -> tensor<6x10xf32>
  func.return %3 : tensor<6x10xf32>
}
