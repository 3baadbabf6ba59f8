// RUN: relay-opt %s | relay-opt | filecheck %s

// CHECK-LABEL: func.func @with_scale
func.func @with_scale(%x: tensor<?x8x4x4xf32>, %v: tensor<8xf32>, %last: tensor<2x8xf32>) {
  // CHECK-NEXT: relay.nn.batch_norm %x, %v, %v, %v, %v {epsilon = 0.001} : {{.*}} -> (tensor<?x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>)
  %0, %mean, %var = relay.nn.batch_norm %x, %v, %v, %v, %v {epsilon = 0.001} : (tensor<?x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>)
  // CHECK-NEXT: relay.nn.layer_norm %last, %v, %v {center = false} : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %1 = relay.nn.layer_norm %last, %v, %v {axis = -1, center = false} : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: relay.nn.instance_norm %x, %v, %v {scale = false} : {{.*}} -> tensor<?x8x4x4xf32>
  %2 = relay.nn.instance_norm %x, %v, %v {scale = false} : (tensor<?x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8x4x4xf32>
  // CHECK-NEXT: relay.nn.group_norm %x, %v, %v {num_groups = 2} : {{.*}} -> tensor<?x8x4x4xf32>
  %3 = relay.nn.group_norm %x, %v, %v {num_groups = 2} : (tensor<?x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8x4x4xf32>
  func.return
}

// CHECK-LABEL: func.func @without
func.func @without(%x: tensor<2x?xf16>) {
  // CHECK-NEXT: relay.nn.softmax %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  %0 = relay.nn.softmax %x : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.nn.log_softmax %x {axis = 0} : (tensor<2x?xf16>) -> tensor<2x?xf16>
  %1 = relay.nn.log_softmax %x {axis = 0} : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.nn.l2_normalize %x {eps = 1.0e-12, axis = [1]} : (tensor<2x?xf16>) -> tensor<2x?xf16>
  %2 = relay.nn.l2_normalize %x {eps = 1.0e-12, axis = [1]} : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.nn.lrn %x {size = 3, alpha = 0.1} : (tensor<2x?xf16>) -> tensor<2x?xf16>
  %3 = relay.nn.lrn %x {size = 3, axis = 1, bias = 2.0, alpha = 0.1} : (tensor<2x?xf16>) -> tensor<2x?xf16>
  // CHECK-NEXT: relay.nn.dropout %x {rate = 0.1} : (tensor<2x?xf16>) -> (tensor<2x?xf16>, tensor<2x?xf16>)
  %4, %mask = relay.nn.dropout %x {rate = 0.1} : (tensor<2x?xf16>) -> (tensor<2x?xf16>, tensor<2x?xf16>)
  func.return
}
