// RUN: not relay-opt %s -p verify-relay 2>&1 | filecheck %s

// CHECK: R4: relay.input_names of @main must be 1 different names
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {relay.input_names = ["a", "b"]} {
  func.return %x : tensor<2xf32>
}
