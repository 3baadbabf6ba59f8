"""Running one graph pass on textual IR, and comparing what the module computes before and behind it."""

from __future__ import annotations

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import CallOp, Func, FuncOp
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.passes import ModulePass

from xrelay.dialects.relay import dialect
from xrelay.dialects.relay.types import dtype_of
from xrelay.interpreters.executor import run_module
from xrelay.lowering.graph.base import graph_functions


def parse(text: str) -> ModuleOp:
    ctx = Context()
    for loaded in (Builtin, Func, dialect()):
        ctx.load_dialect(loaded)
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


def parse_main(arguments: str, body: str, results: str = "") -> ModuleOp:
    """`@main` of the given arguments; `body` ends in its return."""
    return parse(f"func.func @main({arguments}) -> ({results}) {{\n{body}\n}}")


def apply(pass_: ModulePass, module: ModuleOp) -> ModuleOp:
    """The module behind the pass: verified, and the same when the pass runs again."""
    after = module.clone()
    pass_.apply(Context(), after)
    after.verify()
    again = after.clone()
    pass_.apply(Context(), again)
    assert str(again) == str(after), "the pass changes its own result"
    return after


def random_inputs(module: ModuleOp, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    (main,) = (f for f in graph_functions(module) if f.sym_name.data == "main")
    return [np.asarray(rng.standard_normal(arg.type.get_shape()) * 4).astype(dtype_of(arg.type)) for arg in main.args]


def check(pass_: ModulePass, module: ModuleOp, rtol: float = 0.0, atol: float = 0.0) -> ModuleOp:
    """The module behind the pass, checked to compute the same (bit by bit, if no tolerance is given)."""
    after = apply(pass_, module)
    inputs = random_inputs(module)
    expected, actual = run_module(module, inputs), run_module(after, inputs)
    for a, b in zip(expected, actual, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(b, a, rtol=rtol, atol=atol)
    return after


def names(module: ModuleOp, function: str = "main") -> list[str]:
    """The operations of a function in order, `relay.` left out, calls by their callee, without the return."""
    (found,) = (op for op in module.body.ops if isinstance(op, FuncOp) and op.sym_name.data == function)
    return [_name(op) for op in found.body.block.ops][:-1]


def _name(op: Operation) -> str:
    return op.callee.string_value() if isinstance(op, CallOp) else op.name.removeprefix("relay.")
