// RUN: relay-opt %s -p relay-simplify-expr | filecheck %s

// CHECK-LABEL: func.func @neutral_elements
// CHECK-NEXT:    func.return %x : tensor<2xf32>
func.func @neutral_elements(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = relay.constant 0.0 : tensor<f32>
  %one = relay.constant [1.0, 1.0] : tensor<2xf32>
  %0 = relay.add %zero, %x : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.divide %0, %one : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @views
// CHECK-NEXT:    %0 = relay.reshape %x {newshape = [3, 2]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK-NEXT:    func.return %0 : tensor<3x2xf32>
func.func @views(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = relay.reshape %x {newshape = [-1]} : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = relay.expand_dims %0 {axis = 0} : (tensor<6xf32>) -> tensor<1x6xf32>
  %2 = relay.reshape %1 {newshape = [3, 2]} : (tensor<1x6xf32>) -> tensor<3x2xf32>
  func.return %2 : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @transposes
// CHECK-NEXT:    %0 = relay.transpose %x {axes = [2, 1, 0]} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
// CHECK-NEXT:    func.return %0 : tensor<4x3x2xf32>
func.func @transposes(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %0 = relay.transpose %x {axes = [1, 2, 0]} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = relay.transpose %0 {axes = [1, 0, 2]} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  func.return %1 : tensor<4x3x2xf32>
}

// The first cast loses values: both stay.
// CHECK-LABEL: func.func @casts
// CHECK-NEXT:    %0 = relay.cast %x {dtype = ui8} : (tensor<2xi8>) -> tensor<2xui8>
// CHECK-NEXT:    %1 = relay.cast %0 {dtype = i32} : (tensor<2xui8>) -> tensor<2xi32>
func.func @casts(%x: tensor<2xi8>) -> tensor<2xi32> {
  %0 = relay.cast %x {dtype = ui8} : (tensor<2xi8>) -> tensor<2xui8>
  %1 = relay.cast %0 {dtype = i32} : (tensor<2xui8>) -> tensor<2xi32>
  func.return %1 : tensor<2xi32>
}
