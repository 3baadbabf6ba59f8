// RUN: relay-opt %s -p relay-defunctionalization,verify-relay | filecheck %s
// RUN: relay-opt %s -p relay-defunctionalization,relay-defunctionalization | filecheck %s

// Both functions become values of one data type, with what they capture; the call looks which of them it has.

// CHECK:       relay.type @Function {
// CHECK-NEXT:    @main_lambda
// CHECK-NEXT:    @main_lambda_1(tensor<f32>)
// CHECK-NEXT:  }
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %f = relay.if %c -> (!relay.adt<"Function">) {
// CHECK-NEXT:      %add = relay.construct @main_lambda_1(%x) : (tensor<f32>) -> !relay.adt<"Function">
// CHECK-NEXT:      relay.yield %add
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %g = relay.construct @main_lambda() : () -> !relay.adt<"Function">
// CHECK-NEXT:      relay.yield %g
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = func.call @apply(%f, %x) : (!relay.adt<"Function">, tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    func.return %y
func.func @main(%x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  %f = relay.if %c -> ((tensor<f32>) -> tensor<f32>) {
    %add = relay.fn (%v: tensor<f32>) -> tensor<f32> {
      %0 = relay.add %x, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
      relay.yield %0 : tensor<f32>
    }
    relay.yield %add : (tensor<f32>) -> tensor<f32>
  } else {
    %g = relay.global @g : (tensor<f32>) -> tensor<f32>
    relay.yield %g : (tensor<f32>) -> tensor<f32>
  }
  %y = relay.invoke %f(%x) : (tensor<f32>) -> tensor<f32>
  func.return %y : tensor<f32>
}
func.func private @g(%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
  func.return %0 : tensor<f32>
}

// CHECK-LABEL: func.func private @main_lambda(
// CHECK-LABEL: func.func private @main_lambda_1(%x: tensor<f32>, %v: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    relay.add %x, %v
// CHECK-LABEL: func.func private @apply(
// CHECK-NEXT:    relay.match
// CHECK-NEXT:      case @main_lambda {
// CHECK-NEXT:        func.call @main_lambda(
// CHECK-NEXT:        relay.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      case @main_lambda_1(
// CHECK-NEXT:        func.call @main_lambda_1(
