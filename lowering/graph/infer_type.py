"""`relay-infer-type`: run every operator's type rule again and keep what it knows.

Values always have a type in this IR, so the pass only refines: a `?` becomes a size where the operands now tell it
(after an importer or a pass set the shapes of inputs). A function called with several shapes is specialised: one copy
a shape. What the program declares stays as it is: the types of functions as values, of references, of data types, and
of functions that use themselves or are used as values (a call that now knows more than these becomes `relay.invoke`,
which may).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp, StringAttr, SymbolRefAttr, TensorType, TupleType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.control import If, yielded_types
from xrelay.dialects.relay.core import LanguageOp, RelayOp
from xrelay.dialects.relay.language import Global, Invoke
from xrelay.dialects.relay.match import Match
from xrelay.dialects.relay.types import DYNAMIC, tensor_type
from xrelay.dialects.relay.window import unify_sizes
from xrelay.errors import TypeInferenceError
from xrelay.lowering.graph.base import RelayPass, functions, reached_functions, unique_name, used_functions


@dataclass(frozen=True)
class InferType(RelayPass):
    """Refines the types of all values. Raises TypeInferenceError where an operator's operands break its type rule."""

    name = "relay-infer-type"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inference = _Inference(op)
        for function in functions(op):
            if function.sym_visibility is None or function.sym_visibility.data != "private":
                inference.function(function)
        for function in functions(op):
            inference.function(function)


@dataclass
class _Inference:
    module: ModuleOp
    _done: set[FuncOp] = field(default_factory=set)
    _specialised: dict[tuple[str, FunctionType], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._functions = {f.sym_name.data: f for f in functions(self.module)}
        calls = [op.callee.string_value() for op in self.module.walk() if isinstance(op, CallOp)]
        self._calls = Counter(calls)
        self._fixed = {op.function.string_value() for op in self.module.walk() if isinstance(op, Global)}
        self._fixed |= {
            name for name, f in self._functions.items() if name in reached_functions(self.module, used_functions(f))
        }

    def function(self, function: FuncOp) -> None:
        if function in self._done or function.sym_name.data in self._fixed:
            return
        self._done.add(function)
        for block in function.body.blocks:
            self.block(block)
        function.update_function_type()

    def block(self, block: Block) -> None:
        for op in block.ops:
            for region in op.regions:
                for nested in region.blocks:
                    self.block(nested)
            if isinstance(op, CallOp):
                self.call(op)
            elif isinstance(op, If | Match):
                _refine(op, _yielded(op))
            elif isinstance(op, RelayOp) and op.results and not isinstance(op, Constant | LanguageOp):
                _refine(op, _inferred(op))

    def call(self, op: CallOp) -> None:
        """Refines the result types of a call, whose callee is made to take the types of the arguments."""
        callee = self._functions.get(op.callee.string_value())
        if callee is None:
            return
        fits = callee.function_type.inputs.data == tuple(op.operand_types)
        if callee.sym_name.data in self._fixed:
            if not fits:
                _invoke(op, callee)
            return
        if not fits:
            callee = self._for_arguments(op, callee)
        self.function(callee)
        _refine(op, callee.function_type.outputs.data)

    def _for_arguments(self, op: CallOp, callee: FuncOp) -> FuncOp:
        name = callee.sym_name.data
        wanted = FunctionType.from_lists(op.operand_types, ())
        if self._calls[name] > 1 or callee in self._done:
            known = self._specialised.get((name, wanted))
            callee = self._functions[known] if known else self._copy(callee, wanted)
            op.properties["callee"] = SymbolRefAttr(callee.sym_name)
        for arg, value_type in zip(callee.args, wanted.inputs, strict=True):
            if arg.type != value_type:
                Rewriter.replace_value_with_new_type(arg, value_type)
        callee.update_function_type()
        return callee

    def _copy(self, callee: FuncOp, wanted: FunctionType) -> FuncOp:
        copy = callee.clone()
        name = unique_name(callee.sym_name.data, set(self._functions))
        copy.properties["sym_name"] = StringAttr(name)
        self.module.body.block.add_op(copy)
        self._functions[name] = copy
        self._calls[name] = 1
        self._specialised[callee.sym_name.data, wanted] = name
        return copy


def _invoke(op: CallOp, callee: FuncOp) -> None:
    """Put a call by value in the place of one: its arguments may know more sizes than the function."""
    function = Global.of(callee.sym_name.data, callee.function_type, location=op.location)
    called = Invoke.of(function.result, op.arguments, op.location)
    Rewriter.insert_op([function, called], InsertPoint.before(op))
    Rewriter.replace_op(op, [], [called.result])


def _yielded(op: Operation) -> Sequence[Attribute]:
    """What all regions of a choice agree on: a size is known where each yields the same one."""
    first, *others = (yielded_types(region) for region in op.regions)
    for types in others:
        first = [_common(a, b) for a, b in zip(first, types, strict=True)]
    return first


def _common(a: Attribute, b: Attribute) -> Attribute:
    """The type that knows what both of two compatible ones know."""
    if isinstance(a, TensorType) and isinstance(b, TensorType) and a != b:
        sizes = [x if x == y else DYNAMIC for x, y in zip(a.get_shape(), b.get_shape(), strict=True)]
        return tensor_type(sizes, a.element_type)
    if isinstance(a, TupleType) and isinstance(b, TupleType):
        return TupleType(ArrayAttr(map(_common, a.types, b.types)))  # pyright: ignore[reportArgumentType]
    return a


def _inferred(op: RelayOp) -> Sequence[Attribute]:
    try:
        return op.infer(op.operand_types, op.attrs)
    except VerifyException as error:
        raise TypeInferenceError(f"{op.name} at {op.location}: {error}") from error


def _refine(op: Operation, types: Sequence[Attribute]) -> None:
    """Give the results of an operator what `types` knows beyond their own types."""
    if len(types) != len(op.results):
        raise TypeInferenceError(
            f"{op.name} at {op.location} has {len(op.results)} results, its type rule {len(types)}"
        )
    for result, inferred in zip(op.results, types, strict=True):
        merged = _merge(inferred, result.type)
        if merged is None:
            raise TypeInferenceError(f"{op.name} at {op.location} gives {inferred}, not {result.type}")
        if merged != result.type:
            Rewriter.replace_value_with_new_type(result, merged)


def _merge(a: Attribute, b: Attribute) -> Attribute | None:
    """The type that knows what either of two knows, None if they contradict."""
    if a == b:
        return a
    if isinstance(a, TupleType) and isinstance(b, TupleType) and len(a.types) == len(b.types):
        fields = [field for x, y in zip(a.types, b.types, strict=True) if (field := _merge(x, y)) is not None]
        return TupleType(ArrayAttr(fields)) if len(fields) == len(a.types) else None  # pyright: ignore[reportArgumentType]
    if not (isinstance(a, TensorType) and isinstance(b, TensorType)) or a.element_type != b.element_type:
        return None
    sizes = unify_sizes(a.get_shape(), b.get_shape())
    return None if sizes is None else tensor_type(sizes, a.element_type)
