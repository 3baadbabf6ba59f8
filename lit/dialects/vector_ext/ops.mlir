// RUN: relay-opt %s | relay-opt | filecheck %s
// RUN: relay-opt %s --print-op-generic | relay-opt | filecheck %s

func.func @operations(%v: vector<4xf32>, %n: vector<4xi32>, %c: vector<4xi1>) {
  // CHECK: vector_ext.select %c, %v, %v : vector<4xi1>, vector<4xf32>
  %0 = vector_ext.select %c, %v, %v : vector<4xi1>, vector<4xf32>
  // CHECK-NEXT: vector_ext.cmpf une, %v, %v : vector<4xf32>
  %1 = vector_ext.cmpf une, %v, %v : vector<4xf32>
  // CHECK-NEXT: vector_ext.cmpi slt, %n, %n : vector<4xi32>
  %2 = vector_ext.cmpi slt, %n, %n : vector<4xi32>
  // CHECK-NEXT: vector_ext.fptosi %v : vector<4xf32> to vector<4xi8>
  %3 = vector_ext.fptosi %v : vector<4xf32> to vector<4xi8>
  // CHECK-NEXT: vector_ext.fptoui %v : vector<4xf32> to vector<4xi8>
  %4 = vector_ext.fptoui %v : vector<4xf32> to vector<4xi8>
  // CHECK-NEXT: vector_ext.sitofp %n : vector<4xi32> to vector<4xf64>
  %5 = vector_ext.sitofp %n : vector<4xi32> to vector<4xf64>
  // CHECK-NEXT: vector_ext.uitofp %n : vector<4xi32> to vector<4xf64>
  %6 = vector_ext.uitofp %n : vector<4xi32> to vector<4xf64>
  // CHECK-NEXT: vector_ext.extsi %n : vector<4xi32> to vector<4xi64>
  %7 = vector_ext.extsi %n : vector<4xi32> to vector<4xi64>
  // CHECK-NEXT: vector_ext.extui %n : vector<4xi32> to vector<4xi64>
  %8 = vector_ext.extui %n : vector<4xi32> to vector<4xi64>
  // CHECK-NEXT: vector_ext.trunci %n : vector<4xi32> to vector<4xi8>
  %9 = vector_ext.trunci %n : vector<4xi32> to vector<4xi8>
  // CHECK-NEXT: vector_ext.index_cast %n : vector<4xi32> to vector<4xindex>
  %10 = vector_ext.index_cast %n : vector<4xi32> to vector<4xindex>
  func.return
}
