// RUN: relay-opt %s -p 'relay-to-mixed-precision{mixed_precision_type="bfloat16"}' | filecheck %s

// CHECK-LABEL: func.func @main(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>) -> tensor<3x5xf32> {
// CHECK-NEXT:    %0 = relay.cast %x {dtype = bf16} : (tensor<3x4xf32>) -> tensor<3x4xbf16>
// CHECK-NEXT:    %1 = relay.cast %w {dtype = bf16} : (tensor<5x4xf32>) -> tensor<5x4xbf16>
// CHECK-NEXT:    %2 = relay.nn.dense %0, %1 : (tensor<3x4xbf16>, tensor<5x4xbf16>) -> tensor<3x5xbf16>
// CHECK-NEXT:    %3 = relay.nn.relu %2 : (tensor<3x5xbf16>) -> tensor<3x5xbf16>
// CHECK-NEXT:    %4 = relay.cast %3 {dtype = f32} : (tensor<3x5xbf16>) -> tensor<3x5xf32>
// CHECK-NEXT:    %5 = relay.nn.softmax %4 : (tensor<3x5xf32>) -> tensor<3x5xf32>
// CHECK-NEXT:    func.return %5 : tensor<3x5xf32>
func.func @main(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>) -> tensor<3x5xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %1 = relay.nn.relu %0 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = relay.nn.softmax %1 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %2 : tensor<3x5xf32>
}
