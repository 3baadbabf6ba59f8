"""Operator fusion: a convolution and a ReLU become one kernel."""

import numpy as np

import xrelay
from xrelay import relay
from xrelay.relay import transform

mod = relay.fromtext("""v0.0
def @main(%x: Tensor[(1, 3, 224, 224), float32]) -> Tensor[(1, 64, 222, 222), float32] {
  %0 = conv2d(%x, @weight, strides=[1, 1], padding=[0, 0, 0, 0], channels=64, kernel_size=[3, 3]);
  %1 = relu(%0);
  %1
}
""")

# Create the pass.
fuse_opt = transform.FuseOps()

# Run it.
mod = fuse_opt(mod)

# Print the optimized Relay.
print(mod.astext(show_meta_data=False))

random = np.random.default_rng(0)
x = random.standard_normal((1, 3, 224, 224), dtype="float32")
weight = random.standard_normal((64, 3, 3, 3), dtype="float32")
(y,) = xrelay.compile(mod).run({"x": x, "weight": weight})
expected = max(0.0, float((x[0, :, :3, :3] * weight[5]).sum()))
print(y.shape, "as expected" if abs(y[0, 5, 0, 0] - expected) < 1e-4 else "not as expected")
