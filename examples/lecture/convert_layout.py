"""4.2 Tensor layouts: a model in NCHW becomes one in NHWC."""

import numpy as np

import xrelay
from xrelay import relay
from xrelay.relay import transform

mod = relay.fromtext("""
v0.0
def @main(%x: Tensor[(1, 3, 224, 224), float32], %weight: Tensor[(64, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %weight, strides=[1, 1], padding=[0, 0, 0, 0], channels=64, kernel_size=[3, 3]);
  %1 = nn.relu(%0);
  %1
}
""")

desired_layouts = {"nn.conv2d": ["NHWC"]}
convert_layout = transform.ConvertLayout(desired_layouts)
converted = convert_layout(mod)
print(converted.astext(show_meta_data=False))

# Both compute the same.
rng = np.random.default_rng(0)
x = rng.standard_normal((1, 3, 224, 224), np.float32)
weight = rng.standard_normal((64, 3, 3, 3), np.float32)
before, after = (xrelay.compile(m).run([x, weight])[0] for m in (mod, converted))
print("equal:", np.allclose(before, after, rtol=1e-4, atol=1e-4))
