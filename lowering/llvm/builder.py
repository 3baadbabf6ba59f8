"""What the rules of `loop-to-llvm` share: the module's and the function's state, and short ways to make llvm
operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xrelay.dialects import llvm_ext
from xrelay.dialects.llvm_ext import element_type_of, like
from xrelay.dialects.relay.types import is_float
from xrelay.errors import CompilationError
from xrelay.lowering.conversion import BlockBuilder, RuleSet, convert_block
from xrelay.lowering.llvm.types import POINTER, byte_width, convert_type

to_llvm = RuleSet("loop-to-llvm")
"""`@to_llvm(Operation)` registers the rule `(op, operands, builder) -> result or results` of a loop-level operation."""

NO_FAST_MATH = {"fastmathFlags": llvm.FastMathAttr(None)}
NO_BUNDLES = DenseArrayBase.from_list(i32, ())


@cache
def segments(*sizes: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, sizes)


_ICMP_PREDICATES = {flag.value: IntegerAttr(flag.to_int(), i64) for flag in llvm.ICmpPredicateFlag}
_FCMP_PREDICATES = {flag.value: IntegerAttr(flag.to_int(), i64) for flag in llvm.FCmpPredicateFlag}
_NO_WRAP_FLAGS = IntegerAttr(0, i32)


def gep(element: Attribute, indices: Sequence[int]) -> Mapping[str, Attribute]:
    """The properties of a `getelementptr` over `element`."""
    return {"elem_type": element, "rawConstantIndices": segments(*indices), "noWrapFlags": _NO_WRAP_FLAGS}


@cache
def alignment(value_type: Attribute) -> Mapping[str, Attribute]:
    """The properties of a load or store that may rely on element alignment only."""
    align = byte_width(element_type_of(value_type))
    return {"alignment": IntegerAttr(align, i64), "ordering": IntegerAttr(0, i64)}


@dataclass
class ModuleState:
    """What the functions of a module share."""

    outlined: frozenset[str]
    """Names of the functions that `kernel.parallel_for` calls."""
    native_half: bool
    """The target converts between f16 and f32 by an instruction."""
    messages: dict[str, int] = field(default_factory=dict)
    """Message of an assertion → 1 + its index in `xrelay.messages`."""
    externals: dict[str, llvm.FuncOp] = field(default_factory=dict)
    """Declarations of the functions of the runtime and of the C library that are called."""

    def message(self, text: str) -> int:
        return self.messages.setdefault(text, len(self.messages) + 1)


class FunctionBuilder(BlockBuilder):
    """Appends llvm operations to a function; block by block, in an order in which definitions precede uses."""

    def __init__(self, module: ModuleState, region: Region, frame: SSAValue, constants: SSAValue | None = None):
        assert region.last_block is not None
        super().__init__(region.last_block)
        self.module, self.region, self.frame = module, region, frame
        self.constants = constants
        """The address of the model's constants, where the function knows it."""
        self.values: dict[SSAValue, SSAValue] = {}
        self.yielded: Sequence[SSAValue] = ()
        """Operands of the last terminator of a structured region."""
        self._entry = self.block
        self._prologue: list[Operation] = []
        self._integers: dict[tuple[int, Attribute], SSAValue] = {}
        self._failures: dict[int, Block] = {}

    # Blocks ------------------------------------------------------------------------------------------------------

    def convert(self, source: Block, arguments: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Convert a structured block here, its arguments being these values; returns what it yields."""
        self.values.update(zip(source.args, arguments, strict=True))
        self.yielded = ()
        convert_block(source, self.values, to_llvm, self)
        return self.yielded

    def start_block(self, block: Block) -> Sequence[SSAValue]:
        """Append a block to the function and go on in it; returns its arguments."""
        self.region.add_block(block)
        self.block = block
        return block.args

    def branch(self, target: Block, arguments: Sequence[SSAValue] = ()) -> None:
        self.insert(llvm.BrOp.create(operands=arguments, successors=[target]))

    def branch_if(
        self,
        condition: SSAValue,
        then: Block,
        otherwise: Block,
        then_arguments: Sequence[SSAValue] = (),
        else_arguments: Sequence[SSAValue] = (),
    ) -> None:
        sizes = segments(1, len(then_arguments), len(else_arguments))
        self.insert(
            llvm.CondBrOp.create(
                operands=[condition, *then_arguments, *else_arguments],
                successors=[then, otherwise],
                properties={"operandSegmentSizes": sizes},
            )
        )

    def failure(self, message: str) -> Block:
        """The block that reports a failed assertion and leaves the function."""
        number = self.module.message(message)
        if number not in self._failures:
            here, self.block = self.block, Block()
            self._failures[number] = self.block
            self.call_external("xrelay_fail", [self.frame, self.integer(number, i32)])
            self.insert(llvm.ReturnOp.create())
            self.block = here
        return self._failures[number]

    def finish(self) -> None:
        """Put what belongs to the start of the function there and the failure blocks at its end."""
        assert self._entry.first_op is not None
        self._entry.insert_ops_before(self._prologue, self._entry.first_op)
        for block in self._failures.values():
            self.region.add_block(block)

    # Values ------------------------------------------------------------------------------------------------------

    def in_prologue(self, op: Operation) -> SSAValue:
        """An operation at the start of the function: its result is known everywhere."""
        self._prologue.append(op)
        return op.results[0]

    def integer(self, number: int, element: Attribute = i64) -> SSAValue:
        """An integer constant, made once a function."""
        key = number, element
        value = self._integers.get(key)
        if value is None:
            value = self._integers[key] = self.in_prologue(constant_op(number, element))
        return value

    def stack(self, element: Attribute, count: int = 1, align: int = 64) -> SSAValue:
        """Room for `count` elements in the function's frame, the same on each way through a loop."""
        size = self.integer(count)
        properties = {"elem_type": element, "alignment": IntegerAttr(align, i64)}
        return self.in_prologue(llvm.AllocaOp.create(operands=[size], result_types=[POINTER], properties=properties))

    def constant(self, number: float, value_type: Attribute) -> SSAValue:
        """A number as a scalar or as all lanes of a vector."""
        return self.value(constant_op(number, value_type))

    def op(
        self,
        operation: type[Operation],
        operands: Sequence[SSAValue],
        result: Attribute,
        properties: Mapping[str, Attribute] = {},
    ) -> SSAValue:
        """Append an operation of one result, without the checks of its constructor."""
        return self.value(operation.create(operands=operands, result_types=[result], properties=properties))

    def same(self, operation: type[Operation], *operands: SSAValue) -> SSAValue:
        """Append an operation whose result has the type of its first operand."""
        return self.value(operation.create(operands=operands, result_types=[operands[0].type]))

    def icmp(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.op(llvm.ICmpOp, [lhs, rhs], like(lhs.type, i1), {"predicate": _ICMP_PREDICATES[predicate]})

    def fcmp(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        operation = llvm_ext.FCmpOp if isinstance(lhs.type, VectorType) else llvm.FCmpOp
        return self.op(operation, [lhs, rhs], like(lhs.type, i1), {"predicate": _FCMP_PREDICATES[predicate]})

    def select(self, condition: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
        operation = llvm_ext.SelectOp if isinstance(condition.type, VectorType) else llvm.SelectOp
        return self.op(operation, [condition, on_true, on_false], on_true.type)

    def intrinsic(
        self,
        name: str,
        arguments: Sequence[SSAValue],
        *results: Attribute,
        fast_math: Attribute = NO_FAST_MATH["fastmathFlags"],
    ) -> Sequence[SSAValue]:
        """Call an intrinsic by its name without type suffixes (`llvm.smax`)."""
        properties = {
            "intrin": StringAttr(name),
            "op_bundle_sizes": NO_BUNDLES,
            "operandSegmentSizes": segments(len(arguments), 0),
            "fastmathFlags": fast_math,
        }
        op = llvm.CallIntrinsicOp.create(operands=arguments, result_types=results, properties=properties)
        return self.insert(op).results

    # Memory ------------------------------------------------------------------------------------------------------

    def address(self, base: SSAValue, element: Attribute, indices: Sequence[SSAValue]) -> SSAValue:
        """`getelementptr` with indices that are all values."""
        return self.op(llvm.GEPOp, [base, *indices], POINTER, gep(element, (llvm.GEP_USE_SSA_VAL,) * len(indices)))

    def load(self, address: SSAValue, value_type: Attribute) -> SSAValue:
        return self.op(llvm.LoadOp, [address], value_type, alignment(value_type))

    def store(self, value: SSAValue, address: SSAValue) -> None:
        self.insert(llvm.StoreOp.create(operands=[value, address], properties=alignment(value.type)))

    # Calls -------------------------------------------------------------------------------------------------------

    def call(self, name: str, arguments: Sequence[SSAValue], *results: Attribute) -> Sequence[SSAValue]:
        properties = {
            "callee": SymbolRefAttr(name),
            "fastmathFlags": NO_FAST_MATH["fastmathFlags"],
            "op_bundle_sizes": NO_BUNDLES,
            "operandSegmentSizes": segments(len(arguments), 0),
            **_CALL_DEFAULTS,
        }
        return self.insert(llvm.CallOp.create(operands=arguments, result_types=results, properties=properties)).results

    def call_external(self, name: str, arguments: Sequence[SSAValue], *results: Attribute) -> Sequence[SSAValue]:
        """Call a function that is defined outside the module, declaring it at its first use."""
        if name not in self.module.externals:
            signature = llvm.LLVMFunctionType([a.type for a in arguments], results[0] if results else None)
            self.module.externals[name] = llvm.FuncOp(name, signature, llvm.LinkageAttr("external"))
        return self.call(name, arguments, *results)

    # Lanes -------------------------------------------------------------------------------------------------------

    def per_lane(self, function: Callable[..., SSAValue], *operands: SSAValue) -> SSAValue:
        """Apply a function of scalars to scalars, or to vectors lane by lane."""
        value_type = operands[0].type
        if not isinstance(value_type, VectorType):
            return function(*operands)
        result: SSAValue | None = None
        for lane in range(value_type.get_shape()[0]):
            at = self.integer(lane)
            scalar = function(*(self.extract(vector, at) for vector in operands))
            if result is None:
                result = self.op(llvm.UndefOp, [], like(value_type, scalar.type))
            result = self.op(llvm.InsertElementOp, [result, scalar, at], result.type)
        assert result is not None
        return result

    def extract(self, vector: SSAValue, lane: SSAValue) -> SSAValue:
        return self.op(llvm_ext.ExtractElementOp, [vector, lane], element_type_of(vector.type))

    def splat(self, scalar: SSAValue, vector_type: VectorType) -> SSAValue:
        undefined = self.op(llvm.UndefOp, [], vector_type)
        first = self.op(llvm.InsertElementOp, [undefined, scalar, self.integer(0)], vector_type)
        lanes = vector_type.get_shape()[0]
        return self.op(llvm.ShuffleVectorOp, [first, undefined], vector_type, {"mask": segments(*[0] * lanes)})


_CALL_DEFAULTS = {
    "CConv": llvm.CallingConventionAttr("ccc"),
    "TailCallKind": llvm.TailCallKindAttr(llvm.TailCallKind.NONE),
}


def constant_op(number: float, value_type: Attribute) -> Operation:
    """An llvm constant: a scalar, or a vector of one number."""
    element = element_type_of(value_type)
    if isinstance(element, IntegerType):
        attr = IntegerAttr(int(number), element, truncate_bits=True)
    else:
        assert is_float(element)
        attr = FloatAttr(number, element)
    if isinstance(value_type, VectorType):
        attr = DenseIntOrFPElementsAttr.from_list(value_type, [attr.value.data])
    return llvm.ConstantOp.create(result_types=[value_type], properties={"value": attr})


def convert_types(types: Sequence[Attribute]) -> list[Attribute]:
    return [convert_type(t) for t in types]


def no_results(op: Operation) -> CompilationError:
    return CompilationError(
        f"loop-to-llvm: {op.name} at {op.location} returns a value; functions return through memory"
    )
