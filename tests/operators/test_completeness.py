"""Every operator that is lowered to kernels, or is a view, is compiled by a test of its family."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType

import pytest

from xrelay.dialects import relay
from xrelay.dialects.relay.core import RelayOp, View
from xrelay.lowering.tensor.builder import lowers
from xrelay.lowering.tensor.relay_to_tensor import load_families


def is_compiled(operator: type[RelayOp]) -> bool:
    return operator in lowers or operator.has_trait(View)


def compiled_in(path: Path) -> set[str]:
    """The names that a file takes from the module it calls `ops`."""
    nodes = ast.walk(ast.parse(path.read_text())) if path.exists() else ()
    return {n.attr for n in nodes if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "ops"}


def name_of(family: ModuleType) -> str:
    return family.__name__.rpartition(".")[2]


@pytest.mark.parametrize("family", relay.FAMILIES, ids=name_of)
def test_every_operator_is_compiled_by_a_test(family):
    load_families()
    operators = {op for op in relay.Relay.operations if op.__module__ == family.__name__}
    needed = {op.__name__ for op in operators if is_compiled(op)}  # pyright: ignore[reportArgumentType]
    assert not needed - compiled_in(Path(__file__).with_name(f"test_{name_of(family)}.py"))
