// RUN: relay-opt %s -p "relay-eta-expand{expand_constructor=true expand_global_var=true},verify-relay" | filecheck %s
// RUN: relay-opt %s -p relay-eta-expand | filecheck %s --check-prefix=NONE

// Values become functions; what is only called stays.

// NONE:        %some = relay.constructor @Some
// NONE-NEXT:   %f = relay.global @f

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %some = relay.fn (%{{.*}}: tensor<f32>) -> !relay.adt<"Option", tensor<f32>> {
// CHECK-NEXT:      %[[MADE:.*]] = relay.construct @Some(%{{.*}}) : (tensor<f32>) -> !relay.adt<"Option", tensor<f32>>
// CHECK-NEXT:      relay.yield %[[MADE]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %f = relay.global @f : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    %f_1 = relay.fn (%{{.*}}: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:      %[[CALLED:.*]] = func.call @f(%{{.*}}) : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:      relay.yield %[[CALLED]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = relay.invoke %f(%x)
// CHECK-NEXT:    %t = relay.tuple %some, %f_1, %y
relay.type @Option<A> {
  @Some(!relay.type_var<"A">)
  @None
}
func.func @main(%x: tensor<f32>) -> tuple<(tensor<f32>) -> !relay.adt<"Option", tensor<f32>>, (tensor<f32>) -> tensor<f32>, tensor<f32>> {
  %some = relay.constructor @Some : (tensor<f32>) -> !relay.adt<"Option", tensor<f32>>
  %f = relay.global @f : (tensor<f32>) -> tensor<f32>
  %y = relay.invoke %f(%x) : (tensor<f32>) -> tensor<f32>
  %t = relay.tuple %some, %f, %y : ((tensor<f32>) -> !relay.adt<"Option", tensor<f32>>, (tensor<f32>) -> tensor<f32>, tensor<f32>) -> tuple<(tensor<f32>) -> !relay.adt<"Option", tensor<f32>>, (tensor<f32>) -> tensor<f32>, tensor<f32>>
  func.return %t : tuple<(tensor<f32>) -> !relay.adt<"Option", tensor<f32>>, (tensor<f32>) -> tensor<f32>, tensor<f32>>
}
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
  func.return %0 : tensor<f32>
}
