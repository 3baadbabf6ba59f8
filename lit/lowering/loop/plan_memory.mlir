// RUN: relay-opt %s -p plan-memory | filecheck %s

// A kernel's own buffers are slices of its scratch argument.
// CHECK-LABEL: func.func private @scratch
// CHECK-SAME:    (%x: memref<4xf32>, %out: memref<4xf32>, %scratch: memref<192xi8>)
// CHECK:         memref.view %scratch[%{{.*}}][] : memref<192xi8> to memref<20xf32>
// CHECK:         memref.view %scratch[%{{.*}}][] : memref<192xi8> to memref<4xf32>
func.func private @scratch(%x: memref<4xf32>, %out: memref<4xf32>) attributes {relay.primitive} {
  %a = memref.alloc() : memref<20xf32>
  %b = memref.alloc() : memref<4xf32>
  func.return
}

func.func private @kernel(%x: memref<64xf32>, %out: memref<64xf32>) attributes {relay.primitive} {
  func.return
}

func.func private @in_place(%x: memref<64xf32>, %out: memref<64xf32>) attributes {relay.primitive, kernel.in_place = array<i64: 0>} {
  func.return
}

// %a lives until %c is written over it (in place); %b is dead by then, so two buffers are enough. Equal constants are one.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %arena: memref<512xi8>
// CHECK:         [[ZERO:%.+]] = arith.constant 0 : index
// CHECK:         %a = memref.view %arena[[[ZERO]]][]
// CHECK:         [[NEXT:%.+]] = arith.constant 256 : index
// CHECK:         %b = memref.view %arena[[[NEXT]]][]
// CHECK:         [[SAME:%.+]] = arith.constant 0 : index
// CHECK:         %c = memref.view %arena[[[SAME]]][]
// CHECK:         kernel.constant #relay.tensor<[1.0, 2.0] : tensor<2xf32>> at 0 : i64
// CHECK:         kernel.constant #relay.tensor<[3.0, 2.0] : tensor<2xf32>> at 64 : i64
// CHECK:         kernel.constant #relay.tensor<[1.0, 2.0] : tensor<2xf32>> at 0 : i64
func.func @main(%x: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %0 = kernel.constant #relay.tensor<[1.0, 2.0] : tensor<2xf32>> : memref<2xf32>
  %1 = kernel.constant #relay.tensor<[3.0, 2.0] : tensor<2xf32>> : memref<2xf32>
  %2 = kernel.constant #relay.tensor<[1.0, 2.0] : tensor<2xf32>> : memref<2xf32>
  func.call @kernel(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  func.call @kernel(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  func.call @kernel(%b, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  func.call @in_place(%a, %c) : (memref<64xf32>, memref<64xf32>) -> ()
  func.call @kernel(%c, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  func.return
}
