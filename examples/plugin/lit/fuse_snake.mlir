// RUN: relay-opt %s -p example-fuse-snake | filecheck %s

// CHECK-LABEL: func.func @spelled_out
// CHECK-NEXT:    %alpha = relay.constant
// CHECK-NEXT:    %[[Y:.*]] = example.snake %x, %alpha
// CHECK-NEXT:    func.return %[[Y]]
func.func @spelled_out(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %alpha = relay.constant [1.0, 0.5, 2.0] : tensor<3xf32>
  %0 = relay.multiply %alpha, %x : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = relay.sin %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = relay.multiply %1, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = relay.divide %2, %alpha : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %4 = relay.add %x, %3 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %4 : tensor<2x3xf32>
}

// An alpha of zero would divide by zero here, while example.snake takes the limit.

// CHECK-LABEL: func.func @zero
// CHECK-NOT:     example.snake
func.func @zero(%x: tensor<2xf32>) -> tensor<2xf32> {
  %alpha = relay.constant [1.0, 0.0] : tensor<2xf32>
  %0 = relay.multiply %alpha, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.sin %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = relay.multiply %1, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = relay.divide %2, %alpha : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = relay.add %x, %3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %4 : tensor<2xf32>
}
