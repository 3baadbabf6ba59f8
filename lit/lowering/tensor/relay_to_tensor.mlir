// RUN: relay-opt %s -p relay-to-tensor | relay-opt | filecheck %s

// A kernel becomes linalg operations; unsigned elements lose their sign, the operations keep it.
// CHECK-LABEL: func.func private @kernel
// CHECK-SAME:    (%x: tensor<4x3xi8>, %y: tensor<3xi8>) -> tensor<4x3xi8>
// CHECK:         linalg.generic
// CHECK-SAME:      affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>
// CHECK:           arith.maxui
func.func private @kernel(%x: tensor<4x3xui8>, %y: tensor<3xui8>) -> tensor<4x3xui8> attributes {relay.primitive} {
  %0 = relay.maximum %x, %y : (tensor<4x3xui8>, tensor<3xui8>) -> tensor<4x3xui8>
  func.return %0 : tensor<4x3xui8>
}

// @main keeps its calls; constants and views become those of the kernel dialect, a choice an scf.if.
// CHECK-LABEL: func.func @main
// CHECK:         kernel.constant #relay.tensor<[1, 2, 3] : tensor<3xui8>> : tensor<3xi8>
// CHECK:         kernel.view %{{.*}} : tensor<12xi8> to tensor<4x3xi8>
// CHECK:         [[C:%.+]] = tensor.extract %c[] : tensor<i1>
// CHECK:         scf.if [[C]] -> (tensor<4x3xi8>) {
// CHECK:           func.call @kernel
func.func @main(%c: tensor<i1>, %x: tensor<12xui8>) -> tensor<4x3xui8> {
  %y = relay.constant [1, 2, 3] : tensor<3xui8>
  %0 = relay.reshape %x {newshape = [4, 3]} : (tensor<12xui8>) -> tensor<4x3xui8>
  %1 = relay.if %c -> (tensor<4x3xui8>) {
    %2 = func.call @kernel(%0, %y) : (tensor<4x3xui8>, tensor<3xui8>) -> tensor<4x3xui8>
    relay.yield %2 : tensor<4x3xui8>
  } else {
    relay.yield %0 : tensor<4x3xui8>
  }
  func.return %1 : tensor<4x3xui8>
}

// The position of an extreme takes two generics, for each has one result: the extreme, then the first place that holds it.
// CHECK-LABEL: func.func private @argmax
// CHECK:         linalg.generic
// CHECK:           arith.maximumf
// CHECK:         linalg.generic
// CHECK:           linalg.index 1
// CHECK:           [[FOUND:%.+]] = arith.select {{.*}} : i32
// CHECK:           arith.minsi {{.*}}, [[FOUND]]
func.func private @argmax(%x: tensor<3x40xf32>) -> tensor<3xi32> attributes {relay.primitive} {
  %0 = relay.argmax %x {axis = [1]} : (tensor<3x40xf32>) -> tensor<3xi32>
  func.return %0 : tensor<3xi32>
}
