// RUN: relay-opt %s -p relay-lambda-lift,verify-relay | filecheck %s
// RUN: relay-opt %s -p relay-lambda-lift,relay-lambda-lift | filecheck %s

// What captures nothing is a function of the module; what captures is given by one. Constants go along.

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %f = relay.global @main_lambda_1 : (tensor<f32>) -> tensor<f32>
// CHECK:         %g = func.call @main_lambda(%x) : (tensor<f32>) -> (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %a = relay.invoke %f(%x) : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %b = relay.invoke %g(%a) : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    func.return %b : tensor<f32>
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %f = relay.fn rec %self (%y: tensor<f32>) -> tensor<f32> {
    %0 = relay.invoke %self(%y) : (tensor<f32>) -> tensor<f32>
    relay.yield %0 : tensor<f32>
  }
  %two = relay.constant 2.0 : tensor<f32>
  %g = relay.fn (%y: tensor<f32>) -> tensor<f32> {
    %0 = relay.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = relay.multiply %0, %two : (tensor<f32>, tensor<f32>) -> tensor<f32>
    relay.yield %1 : tensor<f32>
  }
  %a = relay.invoke %f(%x) : (tensor<f32>) -> tensor<f32>
  %b = relay.invoke %g(%a) : (tensor<f32>) -> tensor<f32>
  func.return %b : tensor<f32>
}

// CHECK-LABEL: func.func private @main_lambda(%x: tensor<f32>) -> (tensor<f32>) -> tensor<f32> attributes {relay.closure} {
// CHECK:         %g = relay.fn (%y: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:      %0 = relay.add %x, %y
// CHECK:         func.return %g

// CHECK-LABEL: func.func private @main_lambda_1(%y: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    %self = relay.global @main_lambda_1
// CHECK-NEXT:    %0 = relay.invoke %self(%y)
// CHECK-NEXT:    func.return %0
