// RUN: relay-opt %s -p verify-tensor --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: @fine
func.func private @fine(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// -----

// CHECK: verify-tensor: T1: relay.exp at {{.*}} is not of the tensor level
func.func private @left_over(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// CHECK: verify-tensor: T2: linalg.generic at {{.*}} has 2 results, a generic has one
func.func private @two_results(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0, %1 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]
  } outs(%x, %y : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %b, %a : f32, f32
  } -> tensor<4xf32>, tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
