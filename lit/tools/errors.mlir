// RUN: not relay-opt %s 2>&1 | filecheck %s
// RUN: not relay-opt %s -p canonicalise 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not relay-opt %s -p "cse{speed=2}" 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not relay-opt %s -t obj 2>&1 | filecheck %s --check-prefix=BINARY

// A mistake gives one message, never a traceback.

// CHECK-NOT:   Traceback
// CHECK:       relay-opt: C1: operands have element types f32 and i32
// CHECK-NEXT:    in %{{.*}} = "relay.add"(%x, %y)

// PASS-NOT:    Traceback
// PASS:        relay-opt: there is no pass canonicalise; did you mean canonicalize

// OPTION-NOT:  Traceback
// OPTION:      relay-opt: -p cse{speed=2}: Provided arguments ["speed"] not found

// BINARY-NOT:  Traceback
// BINARY:      relay-opt: object code is binary: give it a file by -o
func.func @main(%x: tensor<2xf32>, %y: tensor<2xi32>) -> tensor<2xf32> {
  %0 = relay.add %x, %y : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
