// RUN: relay-opt %s -p graph-phase | filecheck %s --check-prefix=GRAPH
// RUN: relay-opt %s -p "graph-phase{opt-level=0}" | filecheck %s --check-prefix=PLAIN
// RUN: relay-opt %s -p graph-phase,tensor-phase | filecheck %s --check-prefix=TENSOR
// RUN: relay-opt %s -p "graph-phase,tensor-phase,loop-phase{target=\"llvm -mcpu=x86-64-v3\"}" | filecheck %s --check-prefix=LOOP
// RUN: relay-opt %s -p graph-phase,tensor-phase,loop-phase,llvm-phase | filecheck %s --check-prefix=LLVM
// RUN: not relay-opt %s -p "loop-phase{speed=2}" 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not relay-opt %s -p stone-phase 2>&1 | filecheck %s --check-prefix=NAME

// A phase of the compiler stands for its passes; a run may stop after any of them.

// GRAPH:       func.func private @fused_add_nn_relu({{.*}}) -> tensor<64x128xf32> attributes {relay.primitive}

// PLAIN:       func.func private @fused_
// PLAIN:       func.func private @fused_

// TENSOR:      linalg.generic
// TENSOR-NOT:  relay.nn.relu

// LOOP:        vector.load {{.*}} vector<8xf32>
// LOOP-NOT:    linalg.generic

// LLVM:        llvm.func @xrelay_main
// LLVM-NOT:    scf.for

// OPTION-NOT:  Traceback
// OPTION:      Provided arguments ["speed"] not found

// NAME:        there is no phase stone-phase; the phases are graph-phase, tensor-phase, loop-phase, llvm-phase
func.func @main(%x: tensor<64x128xf32>, %bias: tensor<128xf32>) -> tensor<64x128xf32> {
  %0 = relay.nn.bias_add %x, %bias {axis = 1} : (tensor<64x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
  %1 = relay.nn.relu %0 : (tensor<64x128xf32>) -> tensor<64x128xf32>
  func.return %1 : tensor<64x128xf32>
}
