// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK-NEXT: relay.constant 1.5 : tensor<f32>
  %0 = relay.constant 1.5 : tensor<f32>
  // CHECK-NEXT: relay.constant {{\[\[}}1, -2], [3, 4]] : tensor<2x2xi64>
  %1 = relay.constant [[1, -2], [3, 4]] : tensor<2x2xi64>
  // CHECK-NEXT: relay.constant [true, false] : tensor<2xi1>
  %2 = relay.constant [true, false] : tensor<2xi1>
  // CHECK-NEXT: relay.constant [255, 0] : tensor<2xui8>
  %3 = relay.constant [255, 0] : tensor<2xui8>
  // CHECK-NEXT: relay.constant ["inf", "-inf", "nan", 0.1, 1.0e-07] : tensor<5xf16>
  %4 = relay.constant ["inf", "-inf", "nan", 0.1, 1.0e-07] : tensor<5xf16>
  // CHECK-NEXT: relay.constant [0.5, 3.0] : tensor<2xbf16>
  %5 = relay.constant [0.5, 3.0] : tensor<2xbf16>
  // CHECK-NEXT: relay.constant [] : tensor<0xf32>
  %6 = relay.constant [] : tensor<0xf32>
  // A tensor of more than 16 elements is a name.
  // CHECK-NEXT: relay.constant @large : tensor<17xi8>
  %7 = relay.constant @large : tensor<17xi8>
  func.return
}

// CHECK:      dialect_resources
// CHECK:        large: "0x000102030405060708090a0b0c0d0e0f10"
{-#
  dialect_resources: {
    relay: {
      large: "0x000102030405060708090a0b0c0d0e0f10"
    }
  }
#-}
