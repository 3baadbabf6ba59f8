// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @arithmetic
func.func @arithmetic(%x: tensor<2x?xf32>, %y: tensor<1xf32>) {
  // CHECK-NEXT: %0 = relay.add %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  %0 = relay.add %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: relay.subtract
  %1 = relay.subtract %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: relay.multiply
  %2 = relay.multiply %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: relay.divide
  %3 = relay.divide %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: relay.mod
  %4 = relay.mod %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: relay.floor_divide
  %5 = relay.floor_divide %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: relay.floor_mod
  %6 = relay.floor_mod %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: relay.power
  %7 = relay.power %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: relay.maximum
  %8 = relay.maximum %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: relay.minimum
  %9 = relay.minimum %x, %y : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<2x?xf32>
  func.return
}

// CHECK-LABEL: func.func @bits
func.func @bits(%x: tensor<4xui8>, %c: tensor<4xi1>) {
  // CHECK-NEXT: relay.left_shift %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %0 = relay.left_shift %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  // CHECK-NEXT: relay.right_shift
  %1 = relay.right_shift %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  // CHECK-NEXT: relay.bitwise_and
  %2 = relay.bitwise_and %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  // CHECK-NEXT: relay.bitwise_or
  %3 = relay.bitwise_or %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  // CHECK-NEXT: relay.bitwise_xor %c, %c : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %4 = relay.bitwise_xor %c, %c : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK-NEXT: relay.logical_and
  %5 = relay.logical_and %c, %c : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK-NEXT: relay.logical_or
  %6 = relay.logical_or %c, %c : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK-NEXT: relay.logical_xor
  %7 = relay.logical_xor %c, %c : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  func.return
}

// CHECK-LABEL: func.func @comparisons
func.func @comparisons(%x: tensor<4xi64>) {
  // CHECK-NEXT: relay.equal %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  %0 = relay.equal %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  // CHECK-NEXT: relay.not_equal
  %1 = relay.not_equal %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  // CHECK-NEXT: relay.less
  %2 = relay.less %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  // CHECK-NEXT: relay.less_equal
  %3 = relay.less_equal %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  // CHECK-NEXT: relay.greater
  %4 = relay.greater %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  // CHECK-NEXT: relay.greater_equal
  %5 = relay.greater_equal %x, %x : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  // CHECK-NEXT: relay.where %5, %x, %x : (tensor<4xi1>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %6 = relay.where %5, %x, %x : (tensor<4xi1>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  func.return
}
