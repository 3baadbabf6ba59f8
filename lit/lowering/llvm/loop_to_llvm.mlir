// RUN: relay-opt %s -p loop-to-llvm,verify-llvm | filecheck %s
// RUN: relay-opt %s -p loop-to-llvm -t llvm | filecheck %s --check-prefix=IR

// A loop is tested at its end, and before it where it might not run; what it carries are block arguments.
// CHECK:       builtin.module attributes {xrelay.messages = ["negative"]}
// CHECK-LABEL: llvm.func internal @sum(%frame: !llvm.ptr, %x: !llvm.ptr, %m: !llvm.ptr, %y: !llvm.ptr)
// IR-LABEL:    define internal void @sum(ptr %v0, ptr %v1, ptr %v2, ptr %v3)
func.func private @sum(%x: memref<4x8xf32>, %m: memref<8xi1>, %y: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  // CHECK:      llvm.br ^[[body:bb[0-9]+]](%{{.*}}, %{{.*}} : i64, f32)
  // CHECK-NEXT: ^[[body]](%{{.*}}: i64, %{{.*}}: f32):
  // IR:         phi i64 [ 0, %b0 ], [ %[[next:v[0-9]+]], %b{{[0-9]+}} ]
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (f32) {
    // One getelementptr through nested arrays; no alignment but the element's.
    // CHECK-NEXT: llvm.getelementptr %x[%{{.*}}, %{{.*}}] : (!llvm.ptr, i64, i64) -> !llvm.ptr, !llvm.array<8 x f32>
    // CHECK-NEXT: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> f32
    // IR:         getelementptr [8 x float], ptr %v1, i64 1, i64
    // IR-NEXT:    load float, ptr %{{.*}}, align 4
    %v = memref.load %x[%c1, %i] : memref<4x8xf32>
    // CHECK-NEXT: llvm.fcmp "oge"
    %p = arith.cmpf oge, %v, %zero : f32
    // CHECK-NEXT: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[fail:bb[0-9]+]]
    cf.assert %p, "negative"
    // An i1 is a byte in memory.
    // CHECK:      llvm.getelementptr %m
    // CHECK-NEXT: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> i8
    // CHECK-NEXT: llvm.mlir.constant(0 : i8) : i8
    // CHECK-NEXT: llvm.icmp "ne"
    %k = memref.load %m[%i] : memref<8xi1>
    %s = arith.select %k, %v, %zero : f32
    %t = arith.addf %a, %s : f32
    // CHECK:      llvm.add %{{.*}}, %{{.*}} overflow<nsw> : i64
    // CHECK-NEXT: llvm.icmp "slt"
    // CHECK-NEXT: llvm.cond_br
    // IR:         %[[next]] = add nsw i64
    scf.yield %t : f32
  }
  memref.store %sum, %y[] : memref<f32>
  // CHECK:      llvm.return
  // CHECK-NEXT: ^[[fail]]:
  // CHECK-NEXT: llvm.call @xrelay_fail(%frame, %{{.*}}) : (!llvm.ptr, i32) -> ()
  // CHECK-NEXT: llvm.return
  // IR:         call void @xrelay_fail(ptr %v0, i32 1)
  func.return
}

// The callee of a parallel loop reads its captures from a struct.
// CHECK-LABEL: llvm.func internal @k_par0(%{{frame.*}}: !llvm.ptr, %begin: i64, %end: i64, %captures: !llvm.ptr) {
// CHECK:       llvm.getelementptr %{{.*}}[0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(!llvm.ptr, f32)>
func.func private @k_par0(%begin: index, %end: index, %x: memref<4xf32>, %k: f32) {
  memref.store %k, %x[%begin] : memref<4xf32>
  func.return
}

// CHECK-LABEL: llvm.func internal @k(
// CHECK:       llvm.alloca %{{.*}} x !llvm.struct<(!llvm.ptr, f32)>
// CHECK:       llvm.mlir.addressof @k_par0
// CHECK-NEXT:  llvm.call @xrelay_parallel_for(%{{frame[_0-9]*}}, %{{.*}}, %{{.*}}, %{{.*}})
func.func private @k(%x: memref<4xf32>, %f: f32) {
  %n = arith.constant 4 : index
  kernel.parallel_for @k_par0, %n(%x, %f) : memref<4xf32>, f32
  func.return
}

// CHECK-LABEL: llvm.func @xrelay_main(%{{frame.*}}: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr, %arena: !llvm.ptr, %constants: !llvm.ptr)
// CHECK:       llvm.getelementptr %arena[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:  llvm.getelementptr %constants[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK:       llvm.call @k(%{{frame[_0-9]*}}, %{{.*}}, %{{.*}})
// CHECK:       llvm.mlir.global external constant @xrelay_arena_bytes(256 : i64)
func.func @main(%x: memref<2x2xf32>, %y: memref<4xf32>, %arena: memref<256xi8>) attributes {xrelay.num_inputs = 1 : i64, xrelay.num_outputs = 1 : i64} {
  %c64 = arith.constant 64 : index
  %t = memref.view %arena[%c64][] : memref<256xi8> to memref<4xf32>
  %c = "kernel.constant"() <{value = #relay.tensor<[1.0] : tensor<1xf32>>, offset = 128 : i64}> : () -> memref<1xf32>
  %v = kernel.view %x : memref<2x2xf32> to memref<4xf32>
  %f = arith.constant 2.0 : f32
  func.call @k(%v, %f) : (memref<4xf32>, f32) -> ()
  func.return
}

// The functions of the runtime are declared once.
// CHECK: llvm.func @xrelay_fail(!llvm.ptr, i32)
// CHECK: llvm.func @xrelay_parallel_for(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
