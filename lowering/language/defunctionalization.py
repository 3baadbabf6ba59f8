"""`relay-defunctionalization`: functions as values become values of data types.

Each function type gets a data type with one constructor for every function of the program that has the type; its
fields are what that function captures. A call becomes the call of a function that matches on the constructor:

```mlir
relay.type @Function { @main_lambda(tensor<f32>) … }
func.func private @apply(%f: !relay.adt<"Function">, %y: T) -> T {
  %r = relay.match %f : … { case @main_lambda(%x: tensor<f32>) { … func.call @main_lambda(%x, %y) … } … }
}
```

Generic functions are copied for the types that they are used at first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp, TupleType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from xrelay.dialects.relay.adt import Construct, ConstructorAttr, ConstructorOp, TypeDefinition
from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.control import Yield
from xrelay.dialects.relay.language import Fn, Global, Invoke
from xrelay.dialects.relay.language_types import AdtType, RefType
from xrelay.dialects.relay.match import ConstructorPattern, Match, VariablePattern
from xrelay.errors import UnsupportedError
from xrelay.lowering.graph.base import RelayPass, graph_functions, unique_name
from xrelay.lowering.graph.free_values import free_values
from xrelay.lowering.graph.lambda_lift import bring_constants, has_type_variable, replace_inside
from xrelay.lowering.language.eta_expand import EtaExpand
from xrelay.lowering.language.names import at_type
from xrelay.lowering.language.specialize import specialize


@dataclass(frozen=True)
class Defunctionalization(RelayPass):
    """Makes a module of first order; what is computed, and in which order, stays.

    Raises UnsupportedError for functions in the arguments or results of @main, for generic functions
    inside of functions and for data types whose definitions hold generic functions.
    """

    name = "relay-defunctionalization"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _check(op)
        specialize(op)
        EtaExpand(expand_constructor=True, expand_global_var=True).apply(ctx, op)
        _Defunctionalizer(op).run()


def _check(module: ModuleOp) -> None:
    for op in module.body.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == "main":
            if any(map(_holds_function, (*op.function_type.inputs, *op.function_type.outputs))):
                raise UnsupportedError("@main takes or gives functions, which a program of first order cannot")
        if isinstance(op, TypeDefinition):
            for held in (t for constructor in op.constructors for t in constructor.fields if _holds_function(t)):
                if has_type_variable(held):
                    raise UnsupportedError(f"the data type {op.sym_name.data} holds generic functions: {held}")


@dataclass
class _Kind:
    """A function type, and what stands for it."""

    data_type: AdtType
    apply: str
    constructors: list[tuple[str, Sequence[Attribute]]] = field(default_factory=list)


class _Defunctionalizer:
    def __init__(self, module: ModuleOp):
        self._module = module
        self._taken = {op.sym_name.data for op in module.body.ops if isinstance(op, FuncOp | TypeDefinition)}
        self._kinds: dict[Attribute, _Kind] = {}

    def run(self) -> None:
        for function in graph_functions(self._module):
            for op in [inner for inner in function.body.walk(reverse=True) if isinstance(inner, Fn)]:
                self._construct(op, unique_name(f"{function.sym_name.data}_lambda", self._taken))
        for function in graph_functions(self._module):
            for op in [inner for inner in function.body.walk() if isinstance(inner, Invoke)]:
                self._call(op)
        for function in graph_functions(self._module):
            self._convert_function(function)
        for definition in [op for op in self._module.body.ops if isinstance(op, TypeDefinition)]:
            constructors = [(c.constructor.data, c.fields.data) for c in definition.constructors]
            definition.constructors = self._constructors(constructors)
        kinds: dict[Attribute, _Kind] = {}
        while len(kinds) < len(self._kinds):
            new = [(key, kind) for key, kind in self._kinds.items() if key not in kinds]
            kinds |= new
            for key, kind in new:
                self._define(key, kind)

    def _kind(self, function_type: Attribute) -> _Kind:
        if function_type not in self._kinds:
            name = unique_name("Function", self._taken)
            self._kinds[function_type] = _Kind(AdtType.of(name), unique_name("apply", self._taken))
        return self._kinds[function_type]

    def _construct(self, fn: Fn, name: str) -> None:
        """A function becomes a value of its type's data type, its body a function of the module."""
        free = free_values(fn)
        captures = [value for value in free if not isinstance(value.owner, Constant)]
        kind = self._kind(fn.result.type)
        types = [value.type for value in captures]
        kind.constructors.append((name, types))
        made = Construct.of(name, captures, kind.data_type, fn.location)
        made.result.name_hint = fn.result.name_hint
        block = fn.parent
        assert block is not None
        block.insert_op_before(made, fn)
        fn.result.replace_all_uses_with(made.result)
        fn.detach()
        body = fn.body.block
        args = [body.insert_arg(value.type, index + bool(fn.recursive)) for index, value in enumerate(captures)]
        for arg, value in zip(args, captures, strict=True):
            arg.name_hint = value.name_hint
        replace_inside(fn, dict(zip(captures, args, strict=True)))
        if fn.itself is not None:
            itself = Construct.of(name, args, kind.data_type, fn.location)
            body.insert_ops_before([itself], _first(body))
            fn.itself.replace_all_uses_with(itself.result)
            body.erase_arg(fn.itself)
        end = body.last_op
        assert end is not None
        body.insert_op_before(ReturnOp(*end.operands), end)
        body.erase_op(end)
        signature = fn.signature
        lifted = FuncOp(
            name, ([*types, *signature.inputs], signature.outputs.data), fn.detach_region(fn.body), visibility="private"
        )
        lifted.location = fn.location
        lifted.attributes |= fn.attributes
        fn.erase()
        bring_constants(lifted, [value for value in free if isinstance(value.owner, Constant)])
        self._module.body.block.add_op(lifted)

    def _call(self, op: Invoke) -> None:
        """A call becomes one of a function of the module, or a value of a data type."""
        made: list[Operation] = []
        block, callee = op.parent, op.function.owner
        assert block is not None
        signature = self._signature(op.function.type)
        arguments = [self._at(value, t, made) for value, t in zip(op.arguments, signature.inputs, strict=True)]
        (output,) = signature.outputs
        if isinstance(callee, ConstructorOp):
            assert isinstance(output, AdtType)
            made.append(Construct.of(callee.constructor.data, arguments, output))
        elif isinstance(callee, Global):
            made.append(CallOp(callee.function.string_value(), arguments, [output]))
        else:
            made.append(CallOp(self._kind(signature).apply, [op.function, *arguments], [output]))
        made[-1].results[0].name_hint = op.result.name_hint
        op.result.replace_all_uses_with(self._at(made[-1].results[0], op.result.type, made))
        for inner in made:
            inner.location = op.location
        block.insert_ops_before(made, op)
        block.erase_op(op)
        if isinstance(callee, Global | ConstructorOp) and not callee.result.uses:
            callee.detach()
            callee.erase()

    def _at(self, value: SSAValue, wanted: Attribute, made: list[Operation]) -> SSAValue:
        same = self._convert(value.type) == self._convert(wanted)
        return value if same else at_type(value, wanted, made)

    def _signature(self, function_type: Attribute) -> FunctionType:
        """The function type that stands behind the type of what is called."""
        if isinstance(function_type, FunctionType):
            return function_type
        (found,) = (key for key, kind in self._kinds.items() if kind.data_type == function_type)
        assert isinstance(found, FunctionType)
        return found

    def _convert_function(self, function: FuncOp) -> None:
        for op in function.walk():
            for value in (*op.results, *(arg for region in op.regions for b in region.blocks for arg in b.args)):
                if (converted := self._convert(value.type)) != value.type:
                    Rewriter.replace_value_with_new_type(value, converted)
        function.update_function_type()

    def _convert(self, value_type: Attribute) -> Attribute:
        """The type with data types put for its function types."""
        match value_type:
            case FunctionType():
                return self._kind(value_type).data_type
            case TupleType():
                return TupleType(ArrayAttr(map(self._convert, value_type.types)))  # type: ignore[arg-type]
            case RefType():
                return RefType(self._convert(value_type.value))
            case AdtType():
                return AdtType(value_type.definition, ArrayAttr(map(self._convert, value_type.arguments)))
        return value_type

    def _constructors(self, constructors: Sequence[tuple[str, Sequence[Attribute]]]) -> ArrayAttr[ConstructorAttr]:
        return ArrayAttr(ConstructorAttr.of(name, [*map(self._convert, types)]) for name, types in constructors)

    def _define(self, key: Attribute, kind: _Kind) -> None:
        """The data type of a function type, and the function that calls its values."""
        constructors = self._constructors(kind.constructors)
        name = kind.data_type.definition.data
        block = self._module.body.block
        block.insert_ops_before([TypeDefinition.of(name, (), constructors.data)], _first(block))
        signature = self._signature(key)
        inputs, (output,) = [*map(self._convert, signature.inputs)], map(self._convert, signature.outputs)
        body = Block(arg_types=[kind.data_type, *inputs])
        patterns, clauses = [], []
        for constructor in constructors:
            clause = Block(arg_types=constructor.fields.data)
            call = CallOp(constructor.constructor.data, [*clause.args, *body.args[1:]], [output])
            clause.add_ops([call, Yield.make(call.results[0])])
            clauses.append(Region(clause))
            fields = [VariablePattern()] * len(constructor.fields)
            patterns.append(ConstructorPattern.of(constructor.constructor.data, fields))
        chosen = Match.of(body.args[0], patterns, clauses, output)
        body.add_ops([chosen, ReturnOp(chosen.result)])
        types = [kind.data_type, *inputs], [output]
        block.add_op(FuncOp(kind.apply, types, Region(body), visibility="private"))


def _first(block: Block) -> Operation:
    assert block.first_op is not None
    return block.first_op


def _holds_function(value_type: Attribute) -> bool:
    match value_type:
        case FunctionType():
            return True
        case TupleType():
            return any(map(_holds_function, value_type.types))
        case RefType():
            return _holds_function(value_type.value)
        case AdtType():
            return any(map(_holds_function, value_type.arguments))
    return False
