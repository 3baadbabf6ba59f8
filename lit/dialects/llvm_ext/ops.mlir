// RUN: relay-opt %s | relay-opt | filecheck %s
// RUN: relay-opt %s --print-op-generic | relay-opt | filecheck %s

llvm.func @operations(%v: vector<4xf32>, %w: vector<4xf32>, %i: i64, %n: vector<4xi32>, %c: vector<4xi1>) {
  // CHECK: llvm_ext.extractelement %v[%i : i64] : vector<4xf32>
  %0 = llvm_ext.extractelement %v[%i : i64] : vector<4xf32>
  // CHECK-NEXT: llvm_ext.select %c, %v, %w : vector<4xi1>, vector<4xf32>
  %1 = llvm_ext.select %c, %v, %w : vector<4xi1>, vector<4xf32>
  // CHECK-NEXT: llvm_ext.fcmp "olt" %v, %w : vector<4xf32>
  %2 = llvm_ext.fcmp "olt" %v, %w : vector<4xf32>
  // CHECK-NEXT: llvm_ext.uitofp %n : vector<4xi32> to vector<4xf32>
  %3 = llvm_ext.uitofp %n : vector<4xi32> to vector<4xf32>
  // CHECK-NEXT: llvm_ext.uitofp %i : i64 to f64
  %4 = llvm_ext.uitofp %i : i64 to f64
  llvm.return
}
