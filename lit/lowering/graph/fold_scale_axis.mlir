// RUN: relay-opt %s -p relay-fold-scale-axis | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = relay.constant {{\[\[1.0, 20.0\], \[3.0, 40.0\]\]}} : tensor<2x2xf32>
// CHECK-NEXT:    %1 = relay.nn.matmul %x, %0 : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
// CHECK-NEXT:    %2 = relay.constant [5.0, 6.0] : tensor<2xf32>
// CHECK-NEXT:    %3 = relay.add %1, %2 : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
// CHECK-NEXT:    func.return %3 : tensor<1x2xf32>
func.func @main(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %weight = relay.constant [[1.0, 2.0], [3.0, 4.0]] : tensor<2x2xf32>
  %scale = relay.constant [1.0, 10.0] : tensor<2xf32>
  %shift = relay.constant [5.0, 6.0] : tensor<2xf32>
  %0 = relay.nn.matmul %x, %weight : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %1 = relay.multiply %0, %scale : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  %2 = relay.add %1, %shift : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  func.return %2 : tensor<1x2xf32>
}
