// RUN: relay-opt %s -p relay-to-basic-block-normal-form,verify-relay | filecheck %s
// RUN: relay-opt %s -p relay-to-basic-block-normal-form,relay-to-basic-block-normal-form | filecheck %s

// %0 is used in a branch and in a function: it gets a name. %1 is not.

// CHECK:       %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:  %1 = relay.let "x" = %0 : tensor<f32>
// CHECK-NEXT:  %2 = relay.add %1, %x
// CHECK-NEXT:  %3 = relay.if %c -> (tensor<f32>) {
// CHECK-NEXT:    %4 = relay.add %1, %1
// CHECK-NEXT:    relay.yield %4
// CHECK-NEXT:  } else {
// CHECK-NEXT:    relay.yield %x
// CHECK-NEXT:  }
// CHECK-NEXT:  %f = relay.fn (%v: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    relay.yield %1
func.func @main(%x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
  %1 = relay.add %0, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = relay.if %c -> (tensor<f32>) {
    %3 = relay.add %0, %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    relay.yield %3 : tensor<f32>
  } else {
    relay.yield %x : tensor<f32>
  }
  %f = relay.fn (%v: tensor<f32>) -> tensor<f32> {
    relay.yield %0 : tensor<f32>
  }
  %4 = relay.invoke %f(%2) : (tensor<f32>) -> tensor<f32>
  %5 = relay.add %4, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return %5 : tensor<f32>
}
