// RUN: relay-opt %s --split-input-file --verify-diagnostics | filecheck %s

llvm.func @f(%c: vector<8xi1>, %v: vector<4xf32>) {
  // CHECK: cannot choose lanes of vector<4xf32> by vector<8xi1>
  %0 = llvm_ext.select %c, %v, %v : vector<8xi1>, vector<4xf32>
  llvm.return
}

// -----

llvm.func @f(%n: vector<4xi32>) {
  // CHECK: cannot convert vector<4xi32> to vector<8xf32>: the lanes differ
  %0 = llvm_ext.uitofp %n : vector<4xi32> to vector<8xf32>
  llvm.return
}
