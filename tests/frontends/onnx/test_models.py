"""The models in the onnx package (structure only, their weights are left out) are imported as a whole."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from xrelay.frontends.onnx.importer import import_onnx

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


@pytest.mark.parametrize("path", sorted(LIGHT.glob("*.onnx")), ids=lambda path: path.stem)
def test_light_models(path):
    module = import_onnx(path)
    module.verify()
    declared = onnx.load(path, load_external_data=False).graph.output
    types = module.body.block.first_op.function_type.outputs
    for info, value_type in zip(declared, types, strict=True):
        assert list(value_type.get_shape()) == [dim.dim_value for dim in info.type.tensor_type.shape.dim]
