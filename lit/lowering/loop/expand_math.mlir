// RUN: relay-opt %s -p expand-math | filecheck %s

// The same operations on scalars and vectors.
// CHECK-LABEL: func.func @exp2(
func.func @exp2(%x: f32, %v: vector<16xf32>) -> (f32, vector<16xf32>) {
  // CHECK-NOT: math.exp2
  // CHECK:     arith.cmpf ogt, %x
  // CHECK:     math.fma %{{.*}} : f32
  // CHECK:     arith.shrsi
  // CHECK:     vector_ext.cmpf ogt, %v
  // CHECK:     math.fma %{{.*}} : vector<16xf32>
  // CHECK:     arith.shrsi
  %a = math.exp2 %x : f32
  %b = math.exp2 %v : vector<16xf32>
  func.return %a, %b : f32, vector<16xf32>
}

// Rare functions compute in float64.
// CHECK-LABEL: func.func @sinh(
func.func @sinh(%v: vector<16xf32>) -> vector<16xf32> {
  // CHECK-NEXT: arith.extf %v : vector<16xf32> to vector<16xf64>
  // CHECK:      arith.truncf %{{.*}} : vector<16xf64> to vector<16xf32>
  // CHECK-NEXT: func.return
  %a = math.sinh %v : vector<16xf32>
  func.return %a : vector<16xf32>
}

// float64 is left to the C library, exact operations to the processor.
// CHECK-LABEL: func.func @left(
func.func @left(%x: f64, %y: f32) -> (f64, f32) {
  // CHECK-NEXT: math.exp %x : f64
  // CHECK-NEXT: math.sqrt %y : f32
  %a = math.exp %x : f64
  %b = math.sqrt %y : f32
  func.return %a, %b : f64, f32
}
