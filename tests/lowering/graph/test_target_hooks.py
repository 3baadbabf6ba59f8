"""`relay-legalize` and `relay-alter-op-layout` apply what a target has registered."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.graph.graph_builder import Builder
from tests.lowering.graph.graph_utils import check, names
from xrelay.dialects.relay.activation import Relu
from xrelay.dialects.relay.convolution import Conv2D
from xrelay.dialects.relay.elementwise import Maximum
from xrelay.dialects.relay.types import shape_of
from xrelay.lowering.graph import alter_op_layout, legalize
from xrelay.lowering.graph.alter_op_layout import AlterOpLayout, layout_choice
from xrelay.lowering.graph.convert_layout import LayoutError
from xrelay.lowering.graph.legalize import Legalize, legalization


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    """The test's own tables."""
    monkeypatch.setattr(legalize, "_TABLES", {})
    monkeypatch.setattr(alter_op_layout, "_TABLES", {})


def test_legalize():
    @legalization("no_relu", Relu)
    def relu(op, b):
        return b.make(Maximum, op.data, b.constant(np.float32(0)))

    b = Builder((3, 4))
    module = b.module(b(Relu.make(b.args[0])))
    assert names(check(Legalize(), module)) == ["nn.relu"]
    assert names(check(Legalize("no_relu"), module)) == ["constant", "maximum"]


def test_alter_op_layout_by_the_sizes_at_hand():
    """Convolutions with an odd number of channels stay; the input module is not changed (apache/tvm#7979)."""

    @layout_choice("blocks", Conv2D)
    def blocks(op):
        return ("NCHW4c", "OIHW4i4o") if shape_of(op.data.type)[1] % 4 == 0 else None

    b = Builder((1, 3, 6, 6))
    y = b(Relu.make(b.conv(b(Relu.make(b.conv(b.args[0], 4))), 8)))
    module = b.module(y)
    before = str(module)
    after = check(AlterOpLayout("blocks"), module, rtol=1e-4, atol=1e-3)
    assert str(module) == before
    assert [op.attrs.data_layout for op in after.walk() if isinstance(op, Conv2D)] == ["NCHW", "NCHW4c"]
    assert names(check(AlterOpLayout(), module)) == names(module)


def test_a_choice_that_cannot_be():
    layout_choice("wrong", Conv2D)(lambda op: ("NHC",))
    b = Builder((1, 4, 6, 6))
    with pytest.raises(LayoutError, match="must have the axes"):
        check(AlterOpLayout("wrong"), b.module(b.conv(b.args[0])))
