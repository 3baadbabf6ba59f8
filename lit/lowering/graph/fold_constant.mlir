// RUN: relay-opt %s -p relay-fold-constant | filecheck %s
// RUN: relay-opt %s -p 'relay-fold-constant{max-growth=-4}' | filecheck %s --check-prefix=TIGHT

// CHECK-LABEL: func.func @arithmetic
// CHECK-NEXT:    %0 = relay.constant [-2.0, -4.0] : tensor<2xf32>
// CHECK-NEXT:    %1 = relay.multiply %x, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    func.return %1 : tensor<2xf32>
// TIGHT:         relay.negative
func.func @arithmetic(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.constant [1.0, 2.0] : tensor<2xf32>
  %1 = relay.add %0, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = relay.negative %1 : (tensor<2xf32>) -> tensor<2xf32>
  %3 = relay.multiply %x, %2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %3 : tensor<2xf32>
}

// CHECK-LABEL: func.func @large_results
// CHECK-NEXT:    %0 = relay.zeros {shape = [1024, 1024], dtype = f32} : () -> tensor<1024x1024xf32>
func.func @large_results() -> tensor<1024x1024xf32> {
  %0 = relay.zeros {shape = [1024, 1024], dtype = f32} : () -> tensor<1024x1024xf32>
  func.return %0 : tensor<1024x1024xf32>
}

// CHECK-LABEL: func.func @shape_of
// CHECK-NEXT:    %0 = relay.constant [2, 3] : tensor<2xi32>
func.func @shape_of(%x: tensor<2x3xf32>) -> tensor<2xi32> {
  %0 = relay.shape_of %x : (tensor<2x3xf32>) -> tensor<2xi32>
  func.return %0 : tensor<2xi32>
}

// CHECK-LABEL: func.func @condition
// CHECK-NEXT:    %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    func.return %0 : tensor<2xf32>
func.func @condition(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.constant true : tensor<i1>
  %1 = relay.if %0 -> (tensor<2xf32>) {
    %2 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
    relay.yield %2 : tensor<2xf32>
  } else {
    relay.yield %x : tensor<2xf32>
  }
  func.return %1 : tensor<2xf32>
}
