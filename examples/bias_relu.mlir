func.func @main(%x: tensor<64x128xf32>, %bias: tensor<128xf32>) -> tensor<64x128xf32>
    attributes {relay.input_names = ["x", "bias"], relay.output_names = ["y"]} {
  %0 = relay.nn.bias_add %x, %bias {axis = 1} : (tensor<64x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
  %1 = relay.nn.relu %0 : (tensor<64x128xf32>) -> tensor<64x128xf32>
  func.return %1 : tensor<64x128xf32>
}
