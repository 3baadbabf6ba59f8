// RUN: relay-opt %s -t llvm | filecheck %s --check-prefix=LLVM
// RUN: relay-opt %s -t asm | filecheck %s --check-prefix=ASM
// RUN: relay-opt %s -t "asm{target=\"llvm -mtriple=riscv64-linux-gnu\"}" | filecheck %s --check-prefix=RISCV
// RUN: xdsl-opt %s -t xrelay-llvm | filecheck %s --check-prefix=LLVM
// RUN: relay-opt %s -t obj -o %t.o

// From the llvm level to LLVM IR, assembly and object code.

// LLVM:        define i64 @sum(i64 {{.*}}, i64 {{.*}})
// LLVM:          add i64
// LLVM:          ret i64

// ASM:         sum:
// ASM:           {{add|lea}}

// RISCV:       sum:
// RISCV:         add a0, a0, a1
llvm.func @sum(%a: i64, %b: i64) -> i64 {
  %0 = llvm.add %a, %b : i64
  llvm.return %0 : i64
}
