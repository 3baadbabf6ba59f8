"""`relay-simplify-expr` drops operators without effect and joins chains."""

from __future__ import annotations

import pytest

from tests.lowering.graph.graph_utils import apply, check, names, parse_main
from xrelay.lowering.graph.simplify_expr import SimplifyExpr


def left_of(operations: str, argument: str, result: str) -> list[str]:
    """What is left of operations from %x to %y; it computes the same."""
    module = parse_main(f"%x: {argument}", f"{operations}\nfunc.return %y : {result}", result)
    return [name for name in names(check(SimplifyExpr(), module)) if name != "constant"]


@pytest.mark.parametrize("op", ["add", "subtract", "bitwise_or", "left_shift"])
def test_zero(op: str):
    t = "tensor<2xi32>"
    assert (
        left_of(f"%c = relay.constant 0 : tensor<i32>\n%y = relay.{op} %x, %c : ({t}, tensor<i32>) -> {t}", t, t) == []
    )


@pytest.mark.parametrize("op", ["multiply", "divide", "power"])
def test_one(op: str):
    t = "tensor<2xf32>"
    assert (
        left_of(f"%c = relay.constant 1.0 : tensor<f32>\n%y = relay.{op} %x, %c : ({t}, tensor<f32>) -> {t}", t, t)
        == []
    )


def test_only_commutative_operators_have_a_neutral_element_on_the_left():
    t = "tensor<2xf32>"
    subtract = f"%c = relay.constant 0.0 : tensor<f32>\n%y = relay.subtract %c, %x : (tensor<f32>, {t}) -> {t}"
    add = f"%c = relay.constant 0.0 : tensor<f32>\n%y = relay.add %c, %x : (tensor<f32>, {t}) -> {t}"
    assert left_of(subtract, t, t) == ["subtract"]
    assert left_of(add, t, t) == []


def test_a_neutral_element_that_broadcasts_stays():
    operations = """
    %c = relay.constant [[0.0], [0.0]] : tensor<2x1xf32>
    %y = relay.add %x, %c : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>"""
    assert left_of(operations, "tensor<3xf32>", "tensor<2x3xf32>") == ["add"]


def test_scalar_multiplications_are_not_joined():
    t = "tensor<2xf32>"
    operations = f"""
    %c = relay.constant 0.1 : tensor<f32>
    %0 = relay.multiply %x, %c : ({t}, tensor<f32>) -> {t}
    %y = relay.multiply %0, %c : ({t}, tensor<f32>) -> {t}"""
    assert left_of(operations, t, t) == ["multiply", "multiply"]


def test_views():
    operations = """
    %0 = relay.reshape %x {newshape = [6]} : (tensor<2x3xf32>) -> tensor<6xf32>
    %1 = relay.expand_dims %0 {axis = 0} : (tensor<6xf32>) -> tensor<1x6xf32>
    %2 = relay.copy %1 : (tensor<1x6xf32>) -> tensor<1x6xf32>
    %y = relay.reshape %2 {newshape = [3, 2]} : (tensor<1x6xf32>) -> tensor<3x2xf32>"""
    assert left_of(operations, "tensor<2x3xf32>", "tensor<3x2xf32>") == ["reshape"]
    back = operations.replace("[3, 2]", "[2, 3]").replace("3x2", "2x3")
    assert left_of(back, "tensor<2x3xf32>", "tensor<2x3xf32>") == []


def test_views_of_nothing():
    operations = """
    %0 = relay.reshape %x {newshape = [0], allowzero = true} : (tensor<0x3xf32>) -> tensor<0xf32>
    %y = relay.reshape %0 {newshape = [5, 0], allowzero = true} : (tensor<0xf32>) -> tensor<5x0xf32>"""
    assert left_of(operations, "tensor<0x3xf32>", "tensor<5x0xf32>") == ["reshape"]


def test_views_of_unknown_sizes_stay():
    module = parse_main(
        "%x: tensor<?x3xf32>",
        """
        %0 = relay.reshape %x {newshape = [-1]} : (tensor<?x3xf32>) -> tensor<?xf32>
        %1 = relay.reshape %0 {newshape = [3, -1]} : (tensor<?xf32>) -> tensor<3x?xf32>
        func.return %1 : tensor<3x?xf32>""",
        "tensor<3x?xf32>",
    )
    assert names(apply(SimplifyExpr(), module)) == ["reshape", "reshape"]


def test_transposes():
    operations = """
    %0 = relay.transpose %x {axes = [1, 2, 0]} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
    %y = relay.transpose %0 {axes = [1, 0, 2]} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>"""
    assert left_of(operations, "tensor<2x3x4xf32>", "tensor<4x3x2xf32>") == ["transpose"]
    back = operations.replace("[1, 0, 2]", "[2, 0, 1]").replace("4x3x2", "2x3x4")
    assert left_of(back, "tensor<2x3x4xf32>", "tensor<2x3x4xf32>") == []


def test_a_transpose_of_axes_of_size_one_is_a_view():
    operation = "%y = relay.transpose %x {axes = [0, 3, 1, 2]} : (tensor<2x3x4x1xf32>) -> tensor<2x1x3x4xf32>"
    assert left_of(operation, "tensor<2x3x4x1xf32>", "tensor<2x1x3x4xf32>") == ["reshape"]


@pytest.mark.parametrize(
    ("operation", "argument", "result"),
    [
        ("relay.concatenate %x {axis = 1}", "tensor<2x3xf32>", "tensor<2x3xf32>"),
        ("relay.nn.pad %x {pad_width = [0, 0, 0, 0]}", "tensor<2x3xf32>", "tensor<2x3xf32>"),
        ("relay.nn.mirror_pad %x {pad_width = [0, 0, 0, 0]}", "tensor<2x3xf32>", "tensor<2x3xf32>"),
        ("relay.broadcast_to %x {shape = [2, 3]}", "tensor<2x3xf32>", "tensor<2x3xf32>"),
        ("relay.tile %x {reps = [1]}", "tensor<2x3xf32>", "tensor<2x3xf32>"),
        ("relay.repeat %x {repeats = 1, axis = 0}", "tensor<2x3xf32>", "tensor<2x3xf32>"),
        ("relay.strided_slice %x {begin = [0, -3], end = [9, 3]}", "tensor<2x3xf32>", "tensor<2x3xf32>"),
        ("relay.split %x {indices_or_sections = 1}", "tensor<2x3xf32>", "tensor<2x3xf32>"),
        ("relay.cast %x {dtype = f32}", "tensor<2x3xf32>", "tensor<2x3xf32>"),
    ],
)
def test_nothing_to_do(operation: str, argument: str, result: str):
    assert left_of(f"%y = {operation} : ({argument}) -> {result}", argument, result) == []


@pytest.mark.parametrize(
    "operation",
    [
        "relay.repeat %x {repeats = 1} : (tensor<2x3xf32>) -> tensor<6xf32>",
        "relay.tile %x {reps = [1, 1, 1]} : (tensor<2x3xf32>) -> tensor<1x2x3xf32>",
        "relay.strided_slice %x {begin = [1], end = [-9], strides = [-1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    ],
)
def test_something_to_do(operation: str):
    result = operation.rpartition("-> ")[2]
    assert len(left_of(f"%y = {operation}", "tensor<2x3xf32>", result)) == 1


def test_stack_of_one():
    operation = "%y = relay.stack %x {axis = -1} : (tensor<2x3xf32>) -> tensor<2x3x1xf32>"
    assert left_of(operation, "tensor<2x3xf32>", "tensor<2x3x1xf32>") == ["expand_dims"]


@pytest.mark.parametrize(
    ("source", "middle", "target", "left"),
    [
        ("i8", "i32", "i8", 0),
        ("i8", "i32", "f32", 1),
        ("ui8", "i16", "i64", 1),
        ("f16", "f32", "i32", 1),
        ("i8", "f32", "f16", 1),
        ("i1", "f32", "i8", 1),
        ("f32", "f64", "f32", 0),
        ("i8", "ui8", "i32", 2),  # a negative number wraps around
        ("i32", "f32", "i32", 2),  # float32 has 24 bits of significand
        ("i32", "i8", "i32", 2),
        ("f32", "f16", "f32", 2),
        ("f32", "i32", "f32", 2),
        ("f16", "bf16", "f32", 2),
        ("i8", "f32", "ui8", 2),  # floats saturate, integers wrap around
        ("i64", "f64", "i64", 2),
        ("i32", "i1", "i32", 2),
    ],
)
def test_casts_are_joined_where_the_first_loses_nothing(source: str, middle: str, target: str, left: int):
    s, m, t = (f"tensor<64x{element}>" for element in (source, middle, target))
    operations = f"""
    %0 = relay.cast %x {{dtype = {middle}}} : ({s}) -> {m}
    %y = relay.cast %0 {{dtype = {target}}} : ({m}) -> {t}"""
    assert left_of(operations, s, t) == ["cast"] * left


def test_likes_become_fills():
    operations = """
    %z = relay.zeros_like %x : (tensor<2xf32>) -> tensor<2xf32>
    %o = relay.ones_like %x : (tensor<2xf32>) -> tensor<2xf32>
    %c = relay.constant 3.0 : tensor<f32>
    %f = relay.full_like %x, %c : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %y = relay.where %z, %o, %f : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"""
    assert left_of(operations, "tensor<2xf32>", "tensor<2xf32>") == ["zeros", "ones", "full", "where"]


def test_twice_the_same_activation():
    operations = """
    %0 = relay.nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
    %y = relay.nn.relu %0 : (tensor<2xf32>) -> tensor<2xf32>"""
    assert left_of(operations, "tensor<2xf32>", "tensor<2xf32>") == ["nn.relu"]
