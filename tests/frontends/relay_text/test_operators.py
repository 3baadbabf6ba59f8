"""Operators by Relay's names: attributes, arguments and types, both ways."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import builtin
from xdsl.dialects import test as test_dialect

from xrelay.dialects.relay.attributes import BOOL, DTYPE, FLOAT, INT, INT_OR_INTS, INTS, STR
from xrelay.errors import TypeInferenceError, UnsupportedError
from xrelay.frontends.relay_text.expr import Call, Constant, Op, Tuple, Var
from xrelay.frontends.relay_text.operators import (
    call_type,
    canonical_attrs,
    dialect_attrs,
    dialect_call,
    from_dialect_type,
    operator_class,
    operators,
    parameter_names,
    relay_attrs,
    relay_call,
    to_dialect_type,
)
from xrelay.frontends.relay_text.types import UNIT, Any, FuncType, Hole, TensorType, TupleType, scalar_type

T = TensorType
SAMPLES = {INT: 3, FLOAT: 0.3, BOOL: True, STR: "sample", DTYPE: "uint8", INTS: [3, 4], INT_OR_INTS: [1, 2]}


def value_of_type(value_type):
    return test_dialect.TestOp(result_types=[to_dialect_type(value_type)]).results[0]


@pytest.mark.parametrize("name", operators())
def test_attributes_survive_both_ways(name):
    cls = operators()[name]
    attrs = {
        key: [[1, 2], [3, 4]] if key == "pad_width" else SAMPLES.get(spec.kind, [0.5, 1.5])
        for key, spec in cls.SCHEMA.items()
    }
    values = dialect_attrs(cls, attrs)
    stored = {key: cls.SCHEMA[key].kind.encode(value) for key, value in values.items()}
    op = cls.create(operands=[], result_types=[], properties=stored)
    # A bool whose default is the sample is left out, as every default is.
    expected = {key: value for key, value in attrs.items() if values[key] != cls.SCHEMA[key].default}
    assert relay_attrs(op) == expected
    assert list(relay_attrs(op)) == list(expected)
    assert canonical_attrs(cls, attrs) == expected


def test_defaults_and_nulls_are_left_out():
    dense = operator_class("nn.dense")
    assert canonical_attrs(dense, {"units": None, "out_dtype": ""}) == {}
    conv = operator_class("nn.conv2d")
    assert canonical_attrs(conv, {"padding": (0, 0), "strides": [2, 2], "data_layout": "NCHW"}) == {"strides": [2, 2]}


def test_one_number_is_a_list_of_one():
    assert dialect_attrs(operator_class("nn.max_pool1d"), {"pool_size": 2, "strides": 2}) == {
        "pool_size": (2,),
        "strides": (2,),
    }


@pytest.mark.parametrize(
    ("name", "attrs", "message"),
    [
        ("nn.relu", {"alpha": 1.0}, "nn.relu has no attribute alpha"),
        ("cast", {}, "cast needs the attribute dtype"),
        ("cast", {"dtype": "float31"}, "dtype must be a dtype"),
        ("expand_dims", {"axis": 1.5}, "axis must be an integer, not 1.5"),
        ("nn.conv2d", {"groups": "two"}, "groups must be an integer"),
        ("nn.conv2d", {"strides": ["a"]}, "strides must be a list of integers"),
        ("nn.batch_matmul", {"transpose_b": 2}, "transpose_b must be a bool"),
    ],
)
def test_attributes_that_do_not_fit(name, attrs, message):
    with pytest.raises(TypeInferenceError, match=message):
        dialect_attrs(operator_class(name), attrs)


@pytest.mark.parametrize(("name", "close"), [("conv2d", "nn.conv2d"), ("nn.reluu", "nn.relu"), ("nn.sum", "sum")])
def test_unknown_operators_name_what_is_close(name, close):
    with pytest.raises(UnsupportedError, match=close):
        operator_class(name)


def test_expressions_are_no_operators():
    assert not {"constant", "tuple", "tuple_get_item", "if", "yield"} & operators().keys()


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint8", "uint64", "float16", "bfloat16", "float64"])
def test_types_survive_both_ways(dtype):
    tensor = T((2, Any(), 3), dtype)
    for given in (
        tensor,
        scalar_type(dtype),
        TupleType((tensor, UNIT)),
        FuncType((tensor, tensor), scalar_type(dtype)),
    ):
        assert from_dialect_type(to_dialect_type(given)) == given


def test_types_without_counterpart():
    for given in (Hole(), T((1,), "int4"), TupleType((Hole(),))):
        with pytest.raises(UnsupportedError):
            to_dialect_type(given)
    with pytest.raises(UnsupportedError):
        from_dialect_type(builtin.IndexType())


@pytest.mark.parametrize(
    ("name", "args", "attrs", "result"),
    [
        ("add", [T((2, 3)), T((3,))], {}, T((2, 3))),
        ("less", [T((Any(), 3)), T((4, 1))], {}, T((4, 3), "bool")),
        ("concatenate", [TupleType((T((2, 3)), T((4, 3))))], {}, T((6, 3))),
        ("split", [T((4, 3))], {"indices_or_sections": 2}, TupleType((T((2, 3)),) * 2)),
        ("split", [T((4, 3))], {"indices_or_sections": 1}, TupleType((T((4, 3)),))),
        ("nn.batch_norm", [T((2, 3, 4)), *[T((3,))] * 4], {}, TupleType((T((2, 3, 4)), T((3,)), T((3,))))),
        ("nn.pad", [T((2, 3)), scalar_type("float32")], {"pad_width": [[0, 0], [1, 2]]}, T((2, 6))),
        ("zeros", [], {"shape": [2, 3], "dtype": "int8"}, T((2, 3), "int8")),
        ("arange", [], {"start": 0, "stop": 5, "step": 2, "dtype": "int32"}, T((3,), "int32")),
        ("strided_slice", [T((Any(), 8))], {"begin": [2], "end": [6], "axes": [-1]}, T((Any(), 4))),
        ("nn.dense", [T((2, 3)), T((5, 3))], {"units": None}, T((2, 5))),
    ],
)
def test_call_types(name, args, attrs, result):
    assert call_type(name, args, attrs) == result


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("add", [T((2, 3))], r"add takes 2 arguments \(lhs, rhs\), not 1"),
        ("add", [T((2, 3)), UNIT], r"takes tensors, not \(\)"),
        ("concatenate", [T((2, 3))], "takes a tuple"),
        ("nn.softmax", [T((2, 3), "bool")], "bool"),
        ("nn.dense", [T((4, 3)), T((2, 5))], r"Tensor\[\(2, 5\), float32\]"),
    ],
)
def test_arguments_that_do_not_fit(name, args, message):
    with pytest.raises(TypeInferenceError, match=message):
        call_type(name, args, {})


def test_a_call_becomes_an_operation_and_back():
    x = Var("x")
    call = Call(Op("nn.pad"), [x, Constant(np.float32(1.5))], {"pad_width": [[0, 0], [1, 1]]})
    cls, operands, attrs = dialect_call(call)
    assert operands == (x,)
    op = cls.make(value_of_type(T((2, 3))), **attrs)
    assert op.attrs.pad_value == 1.5
    back = relay_call(op, [x])
    assert back.op.name == "nn.pad"
    assert back.args[0] is x
    assert back.args[1].data == np.float32(1.5)
    assert back.args[1].data.dtype == np.float32
    assert back.attrs == call.attrs


def test_a_range_takes_its_numbers_as_arguments():
    cls, operands, attrs = dialect_call(
        Call(Op("arange"), [Constant(np.int64(n)) for n in (1, 9, 3)], {"dtype": "int64"})
    )
    op = cls.make(*operands, **attrs)
    back = relay_call(op, [])
    assert [arg.data.item() for arg in back.args] == [1, 9, 3]
    assert {arg.data.dtype for arg in back.args} == {np.dtype(np.int64)}
    assert back.attrs == {"dtype": "int64"}


def test_a_tuple_argument_is_several_operands():
    x, y = Var("x"), Var("y")
    cls, operands, attrs = dialect_call(Call(Op("stack"), [Tuple([x, y])], {"axis": 1}))
    assert operands.fields == (x, y)
    op = cls.make(value_of_type(T((2,))), value_of_type(T((2,))), **attrs)
    back = relay_call(op, [x, y])
    assert back.args[0].fields == (x, y)
    assert back.attrs == {"axis": 1}


def test_an_argument_that_must_be_constant():
    call = Call(Op("nn.pad"), [Var("x"), Var("value")], {"pad_width": [[0, 0]]})
    with pytest.raises(UnsupportedError, match="pad_value must be a constant"):
        dialect_call(call)


def test_parameters_have_relays_names():
    assert parameter_names(operator_class("nn.pad")) == ("data", "pad_value")
    assert parameter_names(operator_class("nn.conv2d")) == ("data", "weight")
    assert parameter_names(operator_class("variance")) == ("data", "mean")
