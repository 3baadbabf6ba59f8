// RUN: relay-opt %s -p relay-simplify-inference | filecheck %s

// CHECK-LABEL: func.func @batch_norm
// CHECK-NEXT:    %0 = relay.constant 1.0e-05 : tensor<f32>
// CHECK-NEXT:    %1 = relay.add %var, %0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK-NEXT:    %2 = relay.sqrt %1 : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:    %3 = relay.divide %gamma, %2 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:    %4 = relay.multiply %mean, %3 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:    %5 = relay.subtract %beta, %4 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:    %6 = relay.expand_dims %3 {axis = 1} : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK-NEXT:    %7 = relay.multiply %x, %6 : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    %8 = relay.expand_dims %5 {axis = 1} : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK-NEXT:    %y = relay.add %7, %8 : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    func.return %y : tensor<2x3x4xf32>
func.func @batch_norm(%x: tensor<2x3x4xf32>, %gamma: tensor<3xf32>, %beta: tensor<3xf32>, %mean: tensor<3xf32>, %var: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %y, %m, %v = relay.nn.batch_norm %x, %gamma, %beta, %mean, %var : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @dropout
// CHECK-NEXT:    func.return %x : tensor<2xf32>
func.func @dropout(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y, %mask = relay.nn.dropout %x : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return %y : tensor<2xf32>
}
