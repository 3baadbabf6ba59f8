"""Values of data types: a word with the constructor's number, and one for each field."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import FunctionType, IntegerAttr, i64
from xdsl.ir import Attribute, Block, SSAValue

from xrelay.dialects.relay.adt import Construct, ConstructorOp, TypeDefinition
from xrelay.dialects.relay.core import has_location
from xrelay.dialects.relay.language_types import AdtType
from xrelay.dialects.relay.match import ConstructorPattern, Match, TuplePattern, VariablePattern, WildcardPattern
from xrelay.lowering.language.builder import WORD, ProgramBuilder, ProgramState, to_program

_TAG, _CONSTRUCTOR = "tag.", "constructor."


def construct(tag: int, fields: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    """A value; one without fields exists once, as a constant."""
    if not fields:
        b.module.lone_tags.add(tag)
        return b.address_of(f"{_TAG}{tag}")
    value = b.allocate(WORD * (1 + len(fields)))
    b.store(b.integer(tag), value)
    return b.fill(value, fields, first=1)


def lone_tag(tag: int) -> llvm.GlobalOp:
    """The constant that all values of constructors with this number and no fields are."""
    return llvm.GlobalOp(i64, f"{_TAG}{tag}", "internal", constant=True, value=IntegerAttr(tag, i64))


def constructor_code(tag: int, num_fields: int, state: ProgramState) -> llvm.FuncOp:
    """The code of a constructor that is used as a function."""
    b = ProgramBuilder(state, f"{_CONSTRUCTOR}{tag}.{num_fields}", num_fields)
    b.leave(construct(tag, b.arguments, b))
    return b.function()


def _definition(value_type: Attribute, b: ProgramBuilder) -> TypeDefinition:
    assert isinstance(value_type, AdtType)
    return b.module.definitions[value_type.definition.data]


@to_program(Construct)
def construct_(op: Construct, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    return construct(_definition(op.result.type, b).tag(op.constructor.data), operands, b)


@to_program(ConstructorOp)
def constructor(op: ConstructorOp, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    signature = op.result.type
    assert isinstance(signature, FunctionType)
    tag, num_fields = _definition(signature.outputs.data[0], b).tag(op.constructor.data), len(signature.inputs)
    b.module.constructors.add((tag, num_fields))
    return b.record([b.address_of(f"{_CONSTRUCTOR}{tag}.{num_fields}")])


@to_program(Match)
def match(op: Match, operands: Sequence[SSAValue], b: ProgramBuilder) -> Sequence[SSAValue] | None:
    """The patterns are tried one after the other."""
    chosen = []
    for pattern, region in zip(op.patterns, op.clauses, strict=True):
        start, otherwise = Block(), Block()
        bound: list[SSAValue] = []
        refutable = _test(pattern, operands[0], op.value.type, otherwise, bound, b)
        b.branch(start)
        chosen.append((start, region.block, bound))
        if not refutable:
            break
        b.start_block(otherwise)
    else:
        where = f" at {op.location}" if has_location(op) else ""
        b.stop(f"no clause of the match{where} fits the value")
    return b.join(chosen, 1)


def _test(
    pattern: Attribute,
    value: SSAValue,
    value_type: Attribute,
    otherwise: Block,
    bound: list[SSAValue],
    b: ProgramBuilder,
) -> bool:
    """Go on where the value fits, with what the pattern binds added to `bound`; else go to `otherwise`.

    Whether there are values that do not fit.
    """
    match pattern:
        case VariablePattern():
            bound.append(value)
            return False
        case TuplePattern():
            types: Sequence[Attribute] = value_type.types.data  # type: ignore[attr-defined]
            return _test_fields(pattern.fields.data, value, 0, types, otherwise, bound, b)
        case ConstructorPattern():
            definition, name = _definition(value_type, b), pattern.constructor.data
            several = len(definition.constructors) > 1
            if several:
                go_on = Block()
                b.branch_if(b.icmp("eq", b.load(value, i64), b.integer(definition.tag(name))), go_on, otherwise)
                b.start_block(go_on)
            types = definition.fields(name, value_type.arguments.data)  # type: ignore[attr-defined]
            return _test_fields(pattern.fields.data, value, 1, types, otherwise, bound, b) or several
    return False


def _test_fields(
    patterns: Sequence[Attribute],
    record: SSAValue,
    first: int,
    types: Sequence[Attribute],
    otherwise: Block,
    bound: list[SSAValue],
    b: ProgramBuilder,
) -> bool:
    refutable = False
    for index, (pattern, field_type) in enumerate(zip(patterns, types, strict=True), start=first):
        if not isinstance(pattern, WildcardPattern):
            refutable |= _test(pattern, b.field(record, index), field_type, otherwise, bound, b)
    return refutable
