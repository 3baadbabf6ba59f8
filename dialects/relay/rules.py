"""Pieces that the type rules share: which element types an operator takes, common shapes, scalar operands."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.types import as_tensor, broadcast_shapes, is_bool, is_float, is_integer, shape_of


def _is_number(element: Attribute) -> bool:
    return is_float(element) or is_integer(element)


def _is_bitwise(element: Attribute) -> bool:
    return is_integer(element) or is_bool(element)


ElementRule = tuple[str, Callable[[Attribute], bool]]

ANY: ElementRule = ("any elements", lambda _: True)
NUMBERS: ElementRule = ("numbers", _is_number)
FLOATS: ElementRule = ("floats", is_float)
INTEGERS: ElementRule = ("integers", is_integer)
BITS: ElementRule = ("integers or i1", _is_bitwise)
BOOLS: ElementRule = ("i1", is_bool)


def check_elements(name: str, rule: ElementRule, element: Attribute, constraint: str) -> None:
    """Raises VerifyException where the rule does not take this element type."""
    what, accepts = rule
    if not accepts(element):
        raise VerifyException(f"{constraint}: {name} takes {what}, got {element}")


def broadcast(constraint: str, *operands: Attribute) -> tuple[int, ...]:
    """The common shape of tensor types. Raises VerifyException, quoting the constraint, if there is none."""
    try:
        return broadcast_shapes(*map(shape_of, operands))
    except VerifyException as error:
        raise VerifyException(f"{constraint}: {error}") from None


def check_scalar(value: Attribute, what: str) -> TensorType:
    """The type itself, checked to be a tensor of rank 0; `what` begins the message."""
    scalar = as_tensor(value)
    if shape_of(scalar):
        raise VerifyException(f"{what} must have rank 0, got {scalar}")
    return scalar
