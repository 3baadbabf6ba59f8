"""Source locations survive the graph passes: every operator knows the one it comes from."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from tests.lowering.graph.graph_utils import parse_main
from xrelay.lowering.graph.canonicalize_ops import CanonicalizeOps
from xrelay.lowering.graph.fold_constant import FoldConstant
from xrelay.lowering.graph.fold_scale_axis import FoldScaleAxis
from xrelay.lowering.graph.fuse_ops import FuseOps
from xrelay.lowering.graph.simplify_expr import SimplifyExpr
from xrelay.lowering.graph.simplify_inference import SimplifyInference


def located_module() -> ModuleOp:
    """conv2d, batch_norm, relu; each on a line of its own."""
    image, vector = "tensor<1x2x4x4xf32>", "tensor<2xf32>"
    given = ", ".join([image, *[vector] * 4])
    module = parse_main(
        f"%x: {image}",
        f"""
        %w = relay.ones {{shape = [2, 2, 1, 1], dtype = f32}} : () -> tensor<2x2x1x1xf32>
        %g = relay.constant [1.0, 2.0] : {vector}
        %b = relay.constant [3.0, 4.0] : {vector}
        %0 = relay.nn.conv2d %x, %w : ({image}, tensor<2x2x1x1xf32>) -> {image}
        %1 = relay.nn.bias_add %0, %b : ({image}, {vector}) -> {image}
        %2:3 = relay.nn.batch_norm %1, %g, %g, %g, %b : ({given}) -> ({image}, {vector}, {vector})
        %3 = relay.transpose %2#0 : ({image}) -> tensor<4x4x2x1xf32>
        %4 = relay.transpose %3 : (tensor<4x4x2x1xf32>) -> {image}
        %5 = relay.nn.relu %4 : ({image}) -> {image}
        func.return %5 : {image}""",
        image,
    )
    for line, op in enumerate(module.walk(), start=1):
        op.location = FileLineColLoc(StringAttr("model.onnx"), IntAttr(line), IntAttr(1))
    return module


def location_of(module: ModuleOp, name: str) -> Attribute:
    (found,) = (op.location for op in module.walk() if op.name == name)
    return found


def test_no_operator_loses_its_location():
    module = located_module()
    conv, relu = (location_of(module, f"relay.nn.{name}") for name in ("conv2d", "relu"))
    norm = location_of(module, "relay.nn.batch_norm")
    for pass_ in (SimplifyInference(), FoldConstant(), FoldScaleAxis(), SimplifyExpr(), CanonicalizeOps(), FuseOps()):
        pass_.apply(Context(), module)
        assert all(isinstance(op.location, FileLineColLoc) for op in module.walk() if op.name.startswith("relay."))
    assert location_of(module, "relay.nn.conv2d") == conv
    assert location_of(module, "relay.add") == norm
    assert location_of(module, "relay.nn.relu") == relu
    assert location_of(module, "func.call") == relu
