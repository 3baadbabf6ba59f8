// RUN: relay-opt %s -p 'relay-remove-unused-functions{entry_functions="start"}' | filecheck %s

// CHECK-LABEL: func.func @start(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    %0 = func.call @used(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    func.return %0 : tensor<4xf32>
// CHECK-LABEL: func.func private @used(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    func.return %x : tensor<4xf32>
// CHECK-NOT: @unused
func.func @start(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @used(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func private @used(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
