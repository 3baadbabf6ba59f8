// RUN: relay-opt %s -p relay-forward-fold-scale-axis | filecheck %s

// CHECK-LABEL: func.func @main(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
// CHECK-NEXT:    %0 = relay.constant [5.0, 6.0] : tensor<2xf32>
// CHECK-NEXT:    %1 = relay.add %x, %0 : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
// CHECK-NEXT:    %2 = relay.nn.relu %1 : (tensor<1x2xf32>) -> tensor<1x2xf32>
// CHECK-NEXT:    %3 = relay.constant {{\[\[}}1.0, 20.0], [3.0, 40.0{{\]\]}} : tensor<2x2xf32>
// CHECK-NEXT:    %4 = relay.nn.dense %2, %3 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
// CHECK-NEXT:    func.return %4 : tensor<1x2xf32>
func.func @main(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %scale = relay.constant [1.0, 10.0] : tensor<2xf32>
  %0 = relay.multiply %x, %scale : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  %shift = relay.constant [5.0, 60.0] : tensor<2xf32>
  %1 = relay.add %0, %shift : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  %2 = relay.nn.relu %1 : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %weight = relay.constant [[1.0, 2.0], [3.0, 4.0]] : tensor<2x2xf32>
  %3 = relay.nn.dense %2, %weight : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  func.return %3 : tensor<1x2xf32>
}
