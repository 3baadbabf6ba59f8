// RUN: relay-opt %s -p outline-parallel | filecheck %s

// The body becomes a function of a slice [begin, end) of the 6 iterations; positions along the two dimensions are found inside.
// Buffers are captured, constants are made again.
// CHECK:       func.func private @k_par0(%[[BEGIN:.+]]: index, %[[END:.+]]: index, %x: memref<2x3xf32>) {
// CHECK:         %[[HALF:.+]] = arith.constant 5.000000e-01 : f32
// CHECK:         scf.for %[[I:.+]] = %[[BEGIN]] to %[[END]]
// CHECK:           arith.remui %[[I]]
// CHECK:           arith.divui %[[I]]
// CHECK:           memref.store %[[HALF]], %x
// CHECK:       func.func private @k(%x: memref<2x3xf32>) {
// CHECK:         [[SIZE:%.+]] = arith.constant 6 : index
// CHECK:         kernel.parallel_for @k_par0, [[SIZE]](%x) : memref<2x3xf32>
// CHECK-NOT:     scf.parallel
func.func private @k(%x: memref<2x3xf32>) {
  %half = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  "scf.parallel"(%c0, %c0, %c2, %c3, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    memref.store %half, %x[%i, %j] : memref<2x3xf32>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}
