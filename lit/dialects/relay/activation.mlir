// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @activations
func.func @activations(%x: tensor<1x8x?xf32>, %alpha: tensor<8xf32>) {
  // CHECK-NEXT: relay.nn.relu %x : (tensor<1x8x?xf32>) -> tensor<1x8x?xf32>
  %0 = relay.nn.relu %x : (tensor<1x8x?xf32>) -> tensor<1x8x?xf32>
  // CHECK-NEXT: relay.nn.leaky_relu %x {alpha = 0.1} : (tensor<1x8x?xf32>) -> tensor<1x8x?xf32>
  %1 = relay.nn.leaky_relu %x {alpha = 0.1} : (tensor<1x8x?xf32>) -> tensor<1x8x?xf32>
  // A default is not printed.
  // CHECK-NEXT: relay.nn.leaky_relu %x : (tensor<1x8x?xf32>) -> tensor<1x8x?xf32>
  %2 = relay.nn.leaky_relu %x {alpha = 0.25} : (tensor<1x8x?xf32>) -> tensor<1x8x?xf32>
  // CHECK-NEXT: relay.nn.prelu %x, %alpha : (tensor<1x8x?xf32>, tensor<8xf32>) -> tensor<1x8x?xf32>
  %3 = relay.nn.prelu %x, %alpha : (tensor<1x8x?xf32>, tensor<8xf32>) -> tensor<1x8x?xf32>
  // CHECK-NEXT: relay.nn.prelu %x, %alpha {axis = -2}
  %4 = relay.nn.prelu %x, %alpha {axis = -2} : (tensor<1x8x?xf32>, tensor<8xf32>) -> tensor<1x8x?xf32>
  // CHECK-NEXT: relay.nn.gelu %x {approximate = "tanh"} : (tensor<1x8x?xf32>) -> tensor<1x8x?xf32>
  %5 = relay.nn.gelu %x {approximate = "tanh"} : (tensor<1x8x?xf32>) -> tensor<1x8x?xf32>
  func.return
}
