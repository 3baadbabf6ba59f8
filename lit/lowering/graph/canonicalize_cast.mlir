// RUN: relay-opt %s -p relay-canonicalize-cast | filecheck %s

// CHECK-LABEL: func.func @main(%x: tensor<4xi8>) -> (tensor<4xi32>, tensor<4xi32>) {
// CHECK-NEXT:    %0 = relay.cast %x {dtype = i32} : (tensor<4xi8>) -> tensor<4xi32>
// CHECK-NEXT:    %1 = relay.negative %0 : (tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:    %2 = relay.cast %x {dtype = i32} : (tensor<4xi8>) -> tensor<4xi32>
// CHECK-NEXT:    %3 = relay.abs %2 : (tensor<4xi32>) -> tensor<4xi32>
// CHECK-NEXT:    func.return %1, %3 : tensor<4xi32>, tensor<4xi32>
func.func @main(%x: tensor<4xi8>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = relay.cast %x {dtype = i32} : (tensor<4xi8>) -> tensor<4xi32>
  %1 = relay.negative %0 : (tensor<4xi32>) -> tensor<4xi32>
  %2 = relay.abs %0 : (tensor<4xi32>) -> tensor<4xi32>
  func.return %1, %2 : tensor<4xi32>, tensor<4xi32>
}
