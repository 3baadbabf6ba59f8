// RUN: relay-opt %s | relay-opt | filecheck %s
// RUN: relay-opt %s --elide-constants | filecheck %s --check-prefix=ELIDED

// A large constant is a name in the text; its bytes stand in the resources at the end.

// CHECK:       relay.constant @ramp : tensor<18xi8>
// CHECK:       dialect_resources
// CHECK-NEXT:    relay: {
// CHECK-NEXT:      ramp: "0x000102030405060708090a0b0c0d0e0f1011"

// ELIDED:      relay.constant @ramp : tensor<18xi8>
// ELIDED-NOT:  dialect_resources
func.func @main() -> tensor<18xi8> {
  %0 = relay.constant @ramp : tensor<18xi8>
  func.return %0 : tensor<18xi8>
}

{-#
  dialect_resources: {
    relay: {
      ramp: "0x000102030405060708090a0b0c0d0e0f1011"
    }
  }
#-}
