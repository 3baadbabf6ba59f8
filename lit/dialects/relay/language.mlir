// RUN: relay-opt %s | relay-opt | filecheck %s
// RUN: relay-opt %s --print-op-generic | relay-opt | filecheck %s

// CHECK:      func.func private @id(%x: !relay.type_var<"A">) -> !relay.type_var<"A"> attributes {relay.type_params = ["A"]} {
func.func private @id(%x: !relay.type_var<"A">) -> !relay.type_var<"A"> attributes {relay.type_params = ["A"]} {
  func.return %x : !relay.type_var<"A">
}

func.func private @negative(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relay.negative %x : (tensor<?xf32>) -> tensor<?xf32>
  func.return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @closures
func.func @closures(%a: tensor<f32>) -> tensor<f32> {
  // CHECK-NEXT: %add = relay.fn (%x: tensor<f32>) -> tensor<f32> {
  // CHECK-NEXT:   %0 = relay.add %x, %a
  // CHECK-NEXT:   relay.yield %0 : tensor<f32>
  // CHECK-NEXT: } attributes {relay.attrs = {Compiler = "none"}}
  %add = relay.fn (%x: tensor<f32>) -> tensor<f32> {
    %0 = relay.add %x, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    relay.yield %0 : tensor<f32>
  } attributes {relay.attrs = {Compiler = "none"}}
  // CHECK-NEXT: %twice = relay.fn (%f: (tensor<f32>) -> tensor<f32>) -> (tensor<f32>) -> tensor<f32> {
  %twice = relay.fn (%f: (tensor<f32>) -> tensor<f32>) -> (tensor<f32>) -> tensor<f32> {
    // CHECK-NEXT: %{{.*}} = relay.fn (%x_1: tensor<f32>) -> tensor<f32> {
    %ff = relay.fn (%x: tensor<f32>) -> tensor<f32> {
      // CHECK-NEXT: %{{.*}} = relay.invoke %f(%x_1) : (tensor<f32>) -> tensor<f32>
      %0 = relay.invoke %f(%x) : (tensor<f32>) -> tensor<f32>
      %1 = relay.invoke %f(%0) : (tensor<f32>) -> tensor<f32>
      relay.yield %1 : tensor<f32>
    }
    // CHECK: relay.yield %ff : (tensor<f32>) -> tensor<f32>
    relay.yield %ff : (tensor<f32>) -> tensor<f32>
  }
  // CHECK: relay.invoke %twice(%add) : ((tensor<f32>) -> tensor<f32>) -> ((tensor<f32>) -> tensor<f32>)
  %g = relay.invoke %twice(%add) : ((tensor<f32>) -> tensor<f32>) -> ((tensor<f32>) -> tensor<f32>)
  %y = relay.invoke %g(%a) : (tensor<f32>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// CHECK-LABEL: func.func @recursion
func.func @recursion() {
  // CHECK-NEXT: %forever = relay.fn rec %self (%i: tensor<i32>) -> tensor<i32> {
  // CHECK-NEXT:   %{{.*}} = relay.invoke %self(%i) : (tensor<i32>) -> tensor<i32>
  %forever = relay.fn rec %self (%i: tensor<i32>) -> tensor<i32> {
    %0 = relay.invoke %self(%i) : (tensor<i32>) -> tensor<i32>
    relay.yield %0 : tensor<i32>
  }
  func.return
}

// CHECK-LABEL: func.func @generic
func.func @generic(%a: tensor<f32>) {
  // CHECK-NEXT: relay.global @id<tensor<f32>> : (tensor<f32>) -> tensor<f32>
  %f = relay.global @id<tensor<f32>> : (tensor<f32>) -> tensor<f32>
  // CHECK-NEXT: relay.global @id : !relay.forall<["A"], (!relay.type_var<"A">) -> !relay.type_var<"A">>
  %g = relay.global @id : !relay.forall<["A"], (!relay.type_var<"A">) -> !relay.type_var<"A">>
  // CHECK-NEXT: relay.instantiate %g<tensor<f32>> : !relay.forall<["A"], (!relay.type_var<"A">) -> !relay.type_var<"A">> -> (tensor<f32>) -> tensor<f32>
  %h = relay.instantiate %g<tensor<f32>> : !relay.forall<["A"], (!relay.type_var<"A">) -> !relay.type_var<"A">> -> (tensor<f32>) -> tensor<f32>
  // CHECK-NEXT: relay.fn<B, C> (%b: !relay.type_var<"B">, %c: !relay.type_var<"C">) -> !relay.type_var<"B"> {
  // CHECK-NEXT:   relay.yield %b : !relay.type_var<"B">
  %first = relay.fn<B, C> (%b: !relay.type_var<"B">, %c: !relay.type_var<"C">) -> !relay.type_var<"B"> {
    relay.yield %b : !relay.type_var<"B">
  }
  func.return
}

// CHECK-LABEL: func.func @unknown_sizes
func.func @unknown_sizes(%x: tensor<2xf32>) -> tensor<?xf32> {
  %f = relay.global @negative : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: relay.invoke %f(%x) : (tensor<2xf32>) -> tensor<?xf32> of (tensor<?xf32>) -> tensor<?xf32>
  %0 = relay.invoke %f(%x) : (tensor<2xf32>) -> tensor<?xf32> of (tensor<?xf32>) -> tensor<?xf32>
  // CHECK-NEXT: relay.let "y" = %x : tensor<2xf32> -> tensor<?xf32>
  %y = relay.let "y" = %x : tensor<2xf32> -> tensor<?xf32>
  func.return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @references
func.func @references(%x: tensor<f32>) -> tensor<f32> {
  // CHECK-NEXT: %r = relay.ref_create %x : (tensor<f32>) -> !relay.ref<tensor<f32>>
  %r = relay.ref_create %x : (tensor<f32>) -> !relay.ref<tensor<f32>>
  // CHECK-NEXT: %u = relay.ref_write %r, %x : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  %u = relay.ref_write %r, %x : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  // CHECK-NEXT: %{{.*}} = relay.let "" = %u : tuple<>
  %0 = relay.let "" = %u : tuple<>
  // CHECK-NEXT: %v = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  %v = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  func.return %v : tensor<f32>
}
