"""An addition in Relay's text format."""

import numpy as np

import xrelay
from xrelay import relay

mod = relay.fromtext("""v0.0
def @main(%x: Tensor[(1, 3, 224, 224), float32], %y: Tensor[(1, 3, 224, 224), float32]) -> Tensor[(1, 3, 224, 224), float32] {
  %0 = add(%x, %y);
  %0
}
""")  # noqa: E501

print(mod.astext(show_meta_data=False))

x = np.full((1, 3, 224, 224), 1.0, "float32")
y = np.full((1, 3, 224, 224), 2.0, "float32")
(z,) = xrelay.compile(mod).run({"x": x, "y": y})
print(z.shape, z.dtype, np.unique(z))
