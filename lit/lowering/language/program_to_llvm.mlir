// RUN: relay-opt %s -p loop-to-llvm,program-to-llvm,verify-llvm | filecheck %s
// RUN: relay-opt %s -p 'loop-to-llvm,program-to-llvm{target="llvm -mtriple=riscv64-linux-gnu"}' | filecheck %s --check-prefix=PORTABLE

relay.type @List<A> {
  @Cons(!relay.type_var<"A">, !relay.adt<"List", !relay.type_var<"A">>)
  @Nil
}

// A call that waits needs stack; the start of a run takes values apart and puts results where the caller wants them.

// CHECK-LABEL: llvm.func internal tailcc @function.main(%frame_1: !llvm.ptr, %closure: !llvm.ptr, %0: !llvm.ptr, %1: !llvm.ptr) -> !llvm.ptr {
// CHECK:         llvm.call @xrelay_check_stack(
// CHECK:         llvm.call tailcc @function.fold(
// CHECK:       llvm.func @xrelay_main
// CHECK:         llvm.call @xrelay_run_program
// CHECK:       llvm.func internal @program.start
// CHECK:         llvm.call tailcc @function.main
func.func @main(%f: (tensor<f32>, tensor<f32>) -> tensor<f32>, %x: tensor<f32>) -> tuple<tensor<f32>> attributes {relay.program} {
  %nil = relay.construct @Nil() : () -> !relay.adt<"List", tensor<f32>>
  %list = relay.construct @Cons(%x, %nil) : (tensor<f32>, !relay.adt<"List", tensor<f32>>) -> !relay.adt<"List", tensor<f32>>
  %0 = func.call @fold(%f, %x, %list) : ((tensor<f32>, tensor<f32>) -> tensor<f32>, tensor<f32>, !relay.adt<"List", tensor<f32>>) -> tensor<f32>
  %1 = relay.tuple %0 : (tensor<f32>) -> tuple<tensor<f32>>
  func.return %1 : tuple<tensor<f32>>
}

// A closure is called by the address in its first word, the last call of a function needs no stack.

// CHECK-LABEL: llvm.func internal tailcc @function.fold
// CHECK:         llvm.load
// CHECK:         llvm.call tailcc %
// CHECK:         llvm.call tailcc musttail @function.fold(
// CHECK-NEXT:    llvm.return
// PORTABLE:      llvm.call musttail @function.fold(
func.func private @fold(%f: (tensor<f32>, tensor<f32>) -> tensor<f32>, %a: tensor<f32>, %l: !relay.adt<"List", tensor<f32>>) -> tensor<f32> attributes {relay.program} {
  %r = relay.match %l : !relay.adt<"List", tensor<f32>> -> tensor<f32> {
    case @Cons(%h: tensor<f32>, %t: !relay.adt<"List", tensor<f32>>) {
      %0 = relay.invoke %f(%a, %h) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %1 = func.call @fold(%f, %0, %t) : ((tensor<f32>, tensor<f32>) -> tensor<f32>, tensor<f32>, !relay.adt<"List", tensor<f32>>) -> tensor<f32>
      relay.yield %1 : tensor<f32>
    }
    case @Nil {
      relay.yield %a : tensor<f32>
    }
  }
  func.return %r : tensor<f32>
}

// A loop over tensors begins again with the memory that it had.

// CHECK-LABEL: llvm.func internal tailcc @function.loop
// CHECK:         llvm.br ^[[HEADER:bb[0-9]+]](
// CHECK:       ^[[HEADER]](
// CHECK:         llvm.call @kernel(
// CHECK:         llvm.call_intrinsic "llvm.memcpy"
// CHECK:         llvm.call @xrelay_rewind(
// CHECK-NEXT:    llvm.br ^[[HEADER]](
func.func private @loop(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.program} {
  %r = relay.if %c -> (tensor<4xf32>) {
    %y = kernel.call @kernel(%x) {scratch = 64 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %0 = func.call @loop(%c, %y) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    relay.yield %0 : tensor<4xf32>
  } else {
    relay.yield %x : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}
func.func private @kernel(%in: memref<4xf32>, %out: memref<4xf32>, %scratch: memref<64xi8>) attributes {relay.primitive} {
  func.return
}
