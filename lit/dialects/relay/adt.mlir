// RUN: relay-opt %s | relay-opt | filecheck %s
// RUN: relay-opt %s --print-op-generic | relay-opt | filecheck %s

// CHECK:      relay.type @List<A> {
// CHECK-NEXT:   @Cons(!relay.type_var<"A">, !relay.adt<"List", !relay.type_var<"A">>)
// CHECK-NEXT:   @Nil
// CHECK-NEXT: }
relay.type @List<A> {
  @Cons(!relay.type_var<"A">, !relay.adt<"List", !relay.type_var<"A">>)
  @Nil
}
// CHECK-NEXT: relay.type @"no identifier" {
// CHECK-NEXT:   @"1st"
// CHECK-NEXT: }
relay.type @"no identifier" {
  @"1st"
}
// CHECK-NEXT: relay.type @Handle
relay.type @Handle

// CHECK-LABEL: func.func @values
func.func @values(%x: tensor<f32>, %h: !relay.adt<"Handle">) {
  // CHECK-NEXT: %nil = relay.construct @Nil() : () -> !relay.adt<"List", tensor<f32>>
  %nil = relay.construct @Nil() : () -> !relay.adt<"List", tensor<f32>>
  // CHECK-NEXT: relay.construct @Cons(%x, %nil) : (tensor<f32>, !relay.adt<"List", tensor<f32>>) -> !relay.adt<"List", tensor<f32>>
  %one = relay.construct @Cons(%x, %nil) : (tensor<f32>, !relay.adt<"List", tensor<f32>>) -> !relay.adt<"List", tensor<f32>>
  // CHECK-NEXT: relay.construct @"1st"() : () -> !relay.adt<"no identifier">
  %odd = relay.construct @"1st"() : () -> !relay.adt<"no identifier">
  // CHECK-NEXT: relay.constructor @Cons : (tensor<f32>, !relay.adt<"List", tensor<f32>>) -> !relay.adt<"List", tensor<f32>>
  %cons = relay.constructor @Cons : (tensor<f32>, !relay.adt<"List", tensor<f32>>) -> !relay.adt<"List", tensor<f32>>
  // CHECK-NEXT: relay.constructor @Nil : !relay.forall<["A"], () -> !relay.adt<"List", !relay.type_var<"A">>>
  %empty = relay.constructor @Nil : !relay.forall<["A"], () -> !relay.adt<"List", !relay.type_var<"A">>>
  func.return
}

// CHECK-LABEL: func.func @matches
func.func @matches(%t: tuple<!relay.adt<"List", tensor<f32>>, tensor<f32>>, %xs: !relay.adt<"List", tensor<f32>>) -> tensor<f32> {
  // CHECK-NEXT: %0 = relay.match %t : tuple<!relay.adt<"List", tensor<f32>>, tensor<f32>> -> tensor<f32> {
  // CHECK-NEXT:   case (@Cons(%a: tensor<f32>, @Cons(_, _)), %b: tensor<f32>) {
  // CHECK-NEXT:     %{{.*}} = relay.add %a, %b
  // CHECK-NEXT:     relay.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT:   case (@Nil, %b_1: tensor<f32>) {
  // CHECK-NEXT:     relay.yield %b_1 : tensor<f32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   case %all: tuple<!relay.adt<"List", tensor<f32>>, tensor<f32>> {
  // CHECK-NEXT:     %{{.*}} = relay.tuple_get_item %all {index = 1}
  // CHECK-NEXT:     relay.yield
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  %0 = relay.match %t : tuple<!relay.adt<"List", tensor<f32>>, tensor<f32>> -> tensor<f32> {
    case (@Cons(%a: tensor<f32>, @Cons(_, _)), %b: tensor<f32>) {
      %1 = relay.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
      relay.yield %1 : tensor<f32>
    }
    case (@Nil, %b: tensor<f32>) {
      relay.yield %b : tensor<f32>
    }
    case %all: tuple<!relay.adt<"List", tensor<f32>>, tensor<f32>> {
      %1 = relay.tuple_get_item %all {index = 1} : (tuple<!relay.adt<"List", tensor<f32>>, tensor<f32>>) -> tensor<f32>
      relay.yield %1 : tensor<f32>
    }
  }
  // CHECK-NEXT: %{{.*}} = relay.match partial %xs : !relay.adt<"List", tensor<f32>> -> tensor<f32> {
  // CHECK-NEXT:   case @Cons(%h_1: tensor<f32>, _) {
  // CHECK-NEXT:     relay.yield %h_1 : tensor<f32>
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  %h = relay.match partial %xs : !relay.adt<"List", tensor<f32>> -> tensor<f32> {
    case @Cons(%h: tensor<f32>, _) {
      relay.yield %h : tensor<f32>
    }
  }
  func.return %0 : tensor<f32>
}
