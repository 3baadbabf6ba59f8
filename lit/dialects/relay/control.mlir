// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @tuples
func.func @tuples(%x: tensor<2xf32>, %y: tensor<?xi8>) -> tensor<?xi8> {
  // CHECK-NEXT: %0 = relay.tuple %x, %y : (tensor<2xf32>, tensor<?xi8>) -> tuple<tensor<2xf32>, tensor<?xi8>>
  %0 = relay.tuple %x, %y : (tensor<2xf32>, tensor<?xi8>) -> tuple<tensor<2xf32>, tensor<?xi8>>
  // CHECK-NEXT: relay.tuple_get_item %0 {index = 1} : (tuple<tensor<2xf32>, tensor<?xi8>>) -> tensor<?xi8>
  %1 = relay.tuple_get_item %0 {index = 1} : (tuple<tensor<2xf32>, tensor<?xi8>>) -> tensor<?xi8>
  // CHECK-NEXT: relay.tuple : () -> tuple<>
  %2 = relay.tuple : () -> tuple<>
  func.return %1 : tensor<?xi8>
}

// CHECK-LABEL: func.func @choice
func.func @choice(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT:  %0 = relay.if %c -> (tensor<2xf32>) {
  // CHECK-NEXT:    %{{.*}} = relay.exp %x
  // CHECK-NEXT:    relay.yield %{{.*}} : tensor<2xf32>
  // CHECK-NEXT:  } else {
  // CHECK-NEXT:    relay.yield %x : tensor<2xf32>
  // CHECK-NEXT:  }
  %0 = relay.if %c -> (tensor<2xf32>) {
    %1 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
    relay.yield %1 : tensor<2xf32>
  } else {
    relay.yield %x : tensor<2xf32>
  }
  // CHECK-NEXT:  relay.if %c -> () {
  // CHECK-NEXT:    relay.yield
  // CHECK-NEXT:  } else {
  // CHECK-NEXT:    relay.yield
  // CHECK-NEXT:  } attributes {note = "nothing to do"}
  relay.if %c -> () {
    relay.yield
  } else {
    relay.yield
  } attributes {note = "nothing to do"}
  func.return %0 : tensor<2xf32>
}
