"""From Relay to a library by LLVM, and from the library to a result."""
# ruff: noqa: F401, F811  (the lecture's imports)

import tempfile
from pathlib import Path

import numpy as np

import xrelay
from xrelay import relay, target
from xrelay.relay import build

mod = relay.fromtext("""v0.0
def @main(%x: Tensor[(1, 3, 32, 32), float32], %weight: Tensor[(8, 3, 3, 3), float32]) {
  relu(conv2d(%x, %weight, channels=8, kernel_size=[3, 3]))
}
""")
params = {"weight": np.ones((8, 3, 3, 3), "float32")}

# Describe the target.
target = xrelay.target.Target("llvm")

# Build the model.
with xrelay.transform.PassContext(opt_level=3):
    lib = relay.build(mod, target=target, params=params)

with tempfile.TemporaryDirectory() as folder:
    # Export the library.
    path = Path(folder) / "compiled_model.so"
    lib.export_library(path)

    # Deploy it: load and run.
    loaded = xrelay.runtime.load_module(path)
    module = xrelay.runtime.GraphModule(loaded["default"](xrelay.cpu(0)))
    module.set_input("x", np.ones((1, 3, 32, 32), "float32"))
    module.run()
    output = module.get_output(0).numpy()

print(output.shape, output.dtype, np.unique(output))
