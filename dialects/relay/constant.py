"""`relay.constant`: a tensor known at compile time, and the attribute that holds it.

The array lives once in memory, in the attribute, however often the module is cloned. Text shows small tensors as
literals and large ones by name, `@conv1_weight`; the bytes of the named ones stand in the file's `dialect_resources`
section, which `relay-opt` writes (`Printer.print_metadata`). A named constant whose bytes are not in the file is looked
up among the live ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any, Self
from weakref import WeakValueDictionary

import numpy as np
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import FLOAT
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.types import dtype_of, element_of, num_elements, tensor_type

LITERAL_SIZE = 16
"""Constants of at most this many elements are written as literals."""


class ConstantData:
    """An immutable, C-contiguous array with a unique name; equal when dtype, shape and bytes are."""

    _live: WeakValueDictionary[str, ConstantData] = WeakValueDictionary()
    _last_number: dict[str, int] = {}
    """The number behind the last name of a stem: many constants share one, and searching from 0 is quadratic."""

    def __init__(self, array: np.ndarray | None, name: str = "constant"):
        self._array = None if array is None else _frozen(array)
        self.name = name if array is None else self._register(name)

    def _register(self, name: str) -> str:
        stem = re.sub(r"\W", "_", name) or "constant"
        stem = f"c{stem}" if stem[0].isdigit() else stem
        unique, n = stem, self._last_number.get(stem, 0)
        while unique in self._live:
            n += 1
            unique = f"{stem}_{n}"
        self._live[unique] = self
        self._last_number[stem] = n
        return unique

    @property
    def array(self) -> np.ndarray:
        """Raises VerifyException where the bytes were never given (text whose resources were left out)."""
        if self._array is None:
            live = self._live.get(self.name)
            if live is None:
                raise VerifyException(f"the bytes of constant @{self.name} are not in this file")
            self._array = live.array
        return self._array

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, ConstantData):
            return False
        a, b = self.array, other.array
        return a is b or (a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())

    def __hash__(self) -> int:
        return hash((str(self.array.dtype), self.array.shape, self.array.reshape(-1)[:16].tobytes()))

    def __repr__(self) -> str:
        return f"ConstantData({self.name!r})"


def _frozen(array: np.ndarray) -> np.ndarray:
    array = np.asarray(array, order="C")
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


class ConstantResources(OpAsmDialectInterface):
    """The `dialect_resources` section of a file: name → bytes of a constant, in hexadecimal."""

    def __init__(self) -> None:
        super().__init__()
        self._pending: dict[str, tuple[ConstantData, TensorType]] = {}

    def declare_resource(self, key: str) -> str:
        return key

    def expect(self, key: str, value_type: TensorType) -> ConstantData:
        """The constant called `key` of the file being parsed; its bytes follow."""
        if key not in self._pending or self._pending[key][1] != value_type:
            self._pending[key] = (ConstantData(None, key), value_type)
        return self._pending[key][0]

    def parse_resource(self, key: str, val: str) -> None:
        if key not in self._pending:
            return
        data, value_type = self._pending.pop(key)
        dtype, shape = dtype_of(value_type), value_type.get_shape()
        raw = bytes.fromhex(val.removeprefix("0x"))
        if len(raw) != dtype.itemsize * num_elements(shape):
            raise ValueError(f"constant @{key} has {len(raw)} bytes, its type {value_type} needs another number")
        data._array = _frozen(np.frombuffer(raw, dtype).reshape(shape))
        data.name = data._register(key)

    def build_resources(self, keys: Iterable[str]) -> dict[str, str]:
        live = ((key, ConstantData._live.get(key)) for key in keys)
        return {key: "0x" + data.array.tobytes().hex() for key, data in live if data is not None}


@irdl_attr_definition
class TensorAttr(Data[ConstantData]):
    """The value of a constant tensor."""

    name = "relay.tensor"

    @classmethod
    def from_array(cls, array: Any, name: str = "constant") -> TensorAttr:
        """Raises KeyError for a dtype that relay does not have."""
        array = np.asarray(array)
        element_of(array.dtype)
        return cls(ConstantData(array, name))

    @property
    def array(self) -> np.ndarray:
        return self.data.array

    @property
    def type(self) -> TensorType:
        return tensor_type(self.array.shape, element_of(self.array.dtype))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ConstantData:
        with parser.in_angle_brackets():
            return parse_value(parser)[0]

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_value(printer, self)


def print_value(printer: Printer, value: TensorAttr) -> None:
    """`[1.0, 2.0] : tensor<2xf32>` or `@name : tensor<…>`."""
    array = value.array
    if array.size <= LITERAL_SIZE:
        printer.print_string(_literal(array))
    else:
        printer.print_string("@")
        printer.print_resource_handle("relay", value.data.name)
    printer.print_string(" : ")
    printer.print_attribute(value.type)


def parse_value(parser: AttrParser) -> tuple[ConstantData, TensorType]:
    """The inverse of `print_value`."""
    name = parser.parse_optional_symbol_name()
    literal = None if name is not None else _parse_literal(parser)
    parser.parse_punctuation(":")
    position = parser.pos
    value_type = parser.parse_type()
    if not isinstance(value_type, TensorType):
        parser.raise_error("expected a tensor type", position, parser.pos)
    if name is not None:
        # Noted by the parser so that the section at the end of the file may give the bytes.
        parser.dialect_resources.add(("relay", name.data))
        resources = parser.ctx.get_dialect("relay").get_interface(ConstantResources)
        assert isinstance(resources, ConstantResources)
        return resources.expect(name.data, value_type), value_type
    try:
        array = _literal_array(literal, dtype_of(value_type)).reshape(value_type.get_shape())
    except (ValueError, OverflowError) as error:
        parser.raise_error(f"the literal does not fit {value_type}: {error}", position, parser.pos)
    return ConstantData(array), value_type


def _literal_array(literal: Any, dtype: np.dtype) -> np.ndarray:
    """Raises ValueError or OverflowError for lists of uneven length, and for a number that the dtype does not have."""
    given = np.array(literal)
    if given.size and dtype.kind in "iub" and given.dtype.kind == "f":
        raise ValueError("a float among integers")
    return np.array(literal, dtype)


def _literal(array: np.ndarray) -> str:
    if array.ndim:
        return "[" + ", ".join(map(_literal, array)) + "]"
    item = array.item()
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, int):
        return str(item)
    # The shortest text that reads back as the same number of this dtype.
    return FLOAT.text(float(str(array.astype(array.dtype)[()])))


def _parse_literal(parser: AttrParser) -> Any:
    items = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_literal(parser))
    if items is not None:
        return items
    special = parser.parse_optional_str_literal()
    if special is not None:
        return float(special)
    boolean = parser.parse_optional_boolean()
    return parser.parse_number() if boolean is None else boolean


@irdl_op_definition
class Constant(RelayOp):
    """A tensor known at compile time: `relay.constant [1.0, 2.0] : tensor<2xf32>`."""

    name = "relay.constant"
    value = prop_def(TensorAttr)
    result = result_def(TensorType)
    traits = traits_def(ConstantLike())

    @classmethod
    def of(cls, array: Any, name: str = "constant", location: LocationAttr | None = None) -> Self:
        """A constant of a NumPy array (a Python number becomes what NumPy makes of it)."""
        return cls.of_attr(TensorAttr.from_array(array, name), location)

    @classmethod
    def of_attr(cls, value: TensorAttr, location: LocationAttr | None = None) -> Self:
        op = cls.create(result_types=[value.type], properties={"value": value})
        if location is not None:
            op.location = location
        return op

    @property
    def array(self) -> np.ndarray:
        return self.value.array

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        raise NotImplementedError("the type of a constant is that of its value")

    def verify_(self) -> None:
        if self.value.type != self.result.type:
            raise VerifyException(f"value has type {self.value.type}, the result {self.result.type}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_value(printer, self.value)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        data, value_type = parse_value(parser)
        return cls.create(result_types=[value_type], properties={"value": TensorAttr(data)})
