// RUN: relay-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

func.func @f(%n: vector<4xi32>) {
  // CHECK: vector<4xi32> and vector<8xi64> have different lanes
  %0 = vector_ext.extsi %n : vector<4xi32> to vector<8xi64>
  func.return
}

// -----

func.func @f(%n: vector<4xi32>) {
  // CHECK: unknown predicate less, expected one of eq, ne, slt
  %0 = vector_ext.cmpi less, %n, %n : vector<4xi32>
  func.return
}
