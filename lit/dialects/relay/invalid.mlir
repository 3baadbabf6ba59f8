// RUN: relay-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// What every operator of the dialect checks, whatever its family.

// CHECK: C1: operands have element types f32 and f64
func.func @element_types(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  %0 = relay.add %x, %y : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: C2: shapes (2, 3), (2,) do not broadcast
func.func @shapes(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  %0 = relay.multiply %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: relay.less gives tensor<2xi1> for these operands, not tensor<2xf32>
func.func @result(%x: tensor<2xf32>) {
  %0 = relay.less %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: C1: relay.exp takes floats, got i32
func.func @elements(%x: tensor<2xi32>) {
  %0 = relay.exp %x : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----

// CHECK: operand 'data' at position 0 does not verify
// CHECK-NEXT: f32 should be of base attribute tensor
func.func @no_tensor(%x: f32) {
  %0 = relay.exp %x : (f32) -> tensor<f32>
  func.return
}

// -----

// CHECK: relay.clip needs the attribute a_max
func.func @missing_attribute(%x: tensor<2xf32>) {
  %0 = relay.clip %x {a_min = 0.0} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: relay.clip has no attribute min (it has: a_min, a_max)
func.func @unknown_attribute(%x: tensor<2xf32>) {
  %0 = relay.clip %x {min = 0.0} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: relay.exp has no attribute fast (it has: none)
func.func @no_attributes(%x: tensor<2xf32>) {
  %0 = relay.exp %x {fast = true} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected a function type
func.func @no_signature(%x: tensor<2xf32>) {
  %0 = relay.exp %x : tensor<2xf32>
  func.return
}

// -----

// CHECK: C1: index 2 is outside a tuple of 2 fields
func.func @field(%t: tuple<tensor<f32>, tensor<f32>>) {
  %0 = relay.tuple_get_item %t {index = 2} : (tuple<tensor<f32>, tensor<f32>>) -> tensor<f32>
  func.return
}

// -----

// CHECK: C2: a region yields (tensor<3xf32>), the results are (tensor<2xf32>)
func.func @branches(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) {
  %0 = relay.if %c -> (tensor<2xf32>) {
    relay.yield %x : tensor<2xf32>
  } else {
    relay.yield %y : tensor<3xf32>
  }
  func.return
}

// -----

// CHECK: 'relay.yield' expects parent op to be one of
func.func @yield_alone() {
  relay.yield
}

// -----

// CHECK: the literal does not fit tensor<2xi8>: cannot reshape array of size 3 into shape (2,)
func.func @literal_shape() {
  %0 = relay.constant [1, 2, 3] : tensor<2xi8>
  func.return
}

// -----

// CHECK: the literal does not fit tensor<1xui8>
func.func @literal_range() {
  %0 = relay.constant [256] : tensor<1xui8>
  func.return
}

// -----

// CHECK: the literal does not fit tensor<1xi8>: a float among integers
func.func @literal_fraction() {
  %0 = relay.constant [1.5] : tensor<1xi8>
  func.return
}

// -----

// CHECK: expected a tensor type
func.func @literal_type() {
  %0 = relay.constant 1 : i8
  func.return
}
