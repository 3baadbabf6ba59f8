// RUN: relay-opt %s -p relay-to-a-normal-form,verify-relay | filecheck %s
// RUN: relay-opt %s -p relay-to-a-normal-form,relay-to-a-normal-form | filecheck %s

// Every result gets a name, inside of functions and choices too; names that are there and constants stay.

// CHECK:       %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:  %1 = relay.let "x" = %0 : tensor<f32>
// CHECK-NEXT:  %one = relay.constant 1.0 : tensor<f32>
// CHECK-NEXT:  %2 = relay.if %c -> (tensor<f32>) {
// CHECK-NEXT:    %3 = relay.add %1, %one
// CHECK-NEXT:    %4 = relay.let "x_2" = %3
// CHECK-NEXT:    relay.yield %4
// CHECK-NEXT:  } else {
// CHECK-NEXT:    relay.yield %1
// CHECK-NEXT:  }
// CHECK-NEXT:  %5 = relay.let "x_1" = %2
// CHECK-NEXT:  %6 = relay.multiply %5, %1
// CHECK-NEXT:  %y = relay.let "y" = %6
// CHECK-NEXT:  func.return %y
func.func @main(%x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
  %one = relay.constant 1.0 : tensor<f32>
  %1 = relay.if %c -> (tensor<f32>) {
    %2 = relay.add %0, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
    relay.yield %2 : tensor<f32>
  } else {
    relay.yield %0 : tensor<f32>
  }
  %3 = relay.multiply %1, %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %y = relay.let "y" = %3 : tensor<f32>
  func.return %y : tensor<f32>
}
