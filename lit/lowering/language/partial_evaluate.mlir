// RUN: relay-opt %s -p relay-partial-evaluate,verify-relay | filecheck %s
// RUN: relay-opt %s -p relay-partial-evaluate,relay-partial-evaluate | filecheck %s

// The loop of two turns is unrolled, the loop of %n turns stays a call; the write stays before the read.

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %r = relay.ref_create %x
// CHECK-NEXT:    %b = relay.multiply %x, %x
// CHECK-NEXT:    %b_1 = relay.multiply %b, %x
// CHECK-NEXT:    %{{.*}} = relay.ref_write %r, %b_1
// CHECK-NEXT:    %y = relay.ref_read %r
// CHECK-NEXT:    %z = func.call @power(%n, %y, %x)
// CHECK-NEXT:    func.return %z
// CHECK-LABEL: func.func private @power
// CHECK:         relay.if
func.func @main(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %two = relay.constant 2 : tensor<i32>
  %r = relay.ref_create %x : (tensor<f32>) -> !relay.ref<tensor<f32>>
  %set = relay.fn (%f: (tensor<i32>) -> tensor<f32>) -> tuple<> {
    %0 = relay.invoke %f(%two) : (tensor<i32>) -> tensor<f32>
    %1 = relay.ref_write %r, %0 : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
    relay.yield %1 : tuple<>
  }
  %f = relay.fn (%i: tensor<i32>) -> tensor<f32> {
    %0 = func.call @power(%i, %x, %x) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    relay.yield %0 : tensor<f32>
  }
  %u = relay.invoke %set(%f) : ((tensor<i32>) -> tensor<f32>) -> tuple<>
  %y = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  %z = func.call @power(%n, %y, %x) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return %z : tensor<f32>
}
func.func private @power(%i: tensor<i32>, %a: tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
  %zero = relay.constant 0 : tensor<i32>
  %end = relay.equal %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = relay.if %end -> (tensor<f32>) {
    relay.yield %a : tensor<f32>
  } else {
    %one = relay.constant 1 : tensor<i32>
    %j = relay.subtract %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %b = relay.multiply %a, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %s = func.call @power(%j, %b, %x) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<f32>
    relay.yield %s : tensor<f32>
  }
  func.return %r : tensor<f32>
}
