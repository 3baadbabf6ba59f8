// RUN: relay-opt %s -p relay-to-graph-normal-form | filecheck %s

// Names go, also those inside of functions and choices; effects keep their order.

// CHECK-NOT:   relay.let
// CHECK:       %r = relay.ref_create %x
// CHECK-NEXT:  %a = relay.ref_read %r
// CHECK-NEXT:  relay.ref_write %r, %y
// CHECK-NEXT:  %b = relay.ref_read %r
// CHECK-NEXT:  relay.fn
// CHECK-NEXT:    relay.add %b, %v
func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %r = relay.ref_create %x : (tensor<f32>) -> !relay.ref<tensor<f32>>
  %r1 = relay.let "r" = %r : !relay.ref<tensor<f32>>
  %a = relay.ref_read %r1 : (!relay.ref<tensor<f32>>) -> tensor<f32>
  %a1 = relay.let "a" = %a : tensor<f32>
  %u = relay.ref_write %r1, %y : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  %b = relay.ref_read %r1 : (!relay.ref<tensor<f32>>) -> tensor<f32>
  %f = relay.fn (%v: tensor<f32>) -> tensor<f32> {
    %0 = relay.add %b, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = relay.let "s" = %0 : tensor<f32>
    relay.yield %1 : tensor<f32>
  }
  %c = relay.invoke %f(%a1) : (tensor<f32>) -> tensor<f32>
  func.return %c : tensor<f32>
}
