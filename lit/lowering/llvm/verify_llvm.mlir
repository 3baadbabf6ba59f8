// RUN: not relay-opt %s -p verify-llvm 2>&1 | filecheck %s

// CHECK: verify-llvm: arith.constant at {{.*}} does not belong to the llvm level
llvm.func @f() {
  %0 = arith.constant 1 : i32
  llvm.return
}
