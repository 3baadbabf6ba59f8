"""Values of a program at its border: Python values ↔ the memory of compiled code.

Each value is one address: of a tensor's data, or of a record of 8-byte words. A tuple is a record of its fields, a
value of a data type one of its constructor's number and its fields, a reference one of what it holds; the empty tuple
is null. Values may be very deep (a list of 100,000 elements): nothing here recurses into them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from xrelay.errors import InputError
from xrelay.runtime.arrays import as_input
from xrelay.runtime.memory import aligned_empty
from xrelay.runtime.value_types import AdtType, Interface, RefType, TensorType, TupleType, ValueType

_WORD = 8


@dataclass(eq=False, slots=True)
class ConstructorValue:
    """A value of a data type: what a constructor made of these fields."""

    constructor: str
    fields: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"ConstructorValue({self.constructor}, {len(self.fields)} fields)"


@dataclass(eq=False, slots=True)
class RefValue:
    """A cell."""

    value: Any

    def __repr__(self) -> str:
        return "RefValue"


@dataclass(frozen=True)
class FunctionValue:
    """A function that a program gave; it lived as long as the run, so that it cannot be called."""


class _Layout:
    """How the values of one type lie in memory. There is one layout for a type, so that they compare by identity."""

    def __init__(self, value_type: ValueType, layouts: _Layouts):
        self.type = value_type
        self._layouts = layouts
        self.spec = value_type.spec if isinstance(value_type, TensorType) else None

    @cached_property
    def fields(self) -> tuple[_Layout, ...]:
        """Of the fields of a tuple, or of what a reference holds."""
        match self.type:
            case TupleType(types):
                return tuple(map(self._layouts.of, types))
            case RefType(held):
                return (self._layouts.of(held),)
        return ()

    @cached_property
    def constructors(self) -> list[tuple[str, tuple[_Layout, ...]]]:
        """The constructors of a data type, by their tags: names, and their fields."""
        assert isinstance(self.type, AdtType)
        found = self._layouts.interface.constructors(self.type)
        return [(c.name, tuple(map(self._layouts.of, c.fields))) for c in found]


class _Layouts:
    def __init__(self, interface: Interface):
        self.interface = interface
        self._known: dict[ValueType, _Layout] = {}

    def of(self, value_type: ValueType) -> _Layout:
        found = self._known.get(value_type)
        if found is None:
            found = self._known[value_type] = _Layout(value_type, self)
        return found


# Python → memory -----------------------------------------------------------------------------------------------------


class Encoder:
    """Puts Python values into memory. What it has made lives as long as the encoder.

    A tensor is an array, a tuple a tuple or list. A value of a data type is any object with `constructor` (its name)
    and `fields`, a reference one with `value`. An object that is met twice is one value.
    """

    def __init__(self, interface: Interface):
        self._layouts = _Layouts(interface)
        self._words: list[int] = []
        self._relocations: list[int] = []
        """The positions of words that count from the start of the records."""
        self._arrays: list[np.ndarray] = []
        self._known: dict[tuple[int, _Layout], int] = {}
        """(object, layout) → position of its record."""
        self.memory = np.empty(0, np.uint64)
        """The records."""

    def encode(self, values: Sequence[Any], types: Sequence[ValueType]) -> list[int]:
        """The addresses of the values. Raises InputError for a value that is not of its type."""
        slots = self._reserve(len(values))
        pending = [(v, self._layouts.of(t), slots + i) for i, (v, t) in enumerate(zip(values, types, strict=True))]
        while pending:
            value, layout, slot = pending.pop()
            self._place(value, layout, slot, pending)
        self.memory = aligned_empty((len(self._words),), np.dtype(np.uint64))
        self.memory[:] = self._words
        self.memory[self._relocations] += np.uint64(self.memory.ctypes.data)
        return [int(word) for word in self.memory[slots : slots + len(values)]]

    def _reserve(self, count: int) -> int:
        start = len(self._words)
        self._words += [0] * count
        return start

    def _place(self, value: Any, layout: _Layout, slot: int, pending: list) -> None:
        if layout.spec is not None:
            array = as_input(value, layout.spec)
            assert array is not None
            self._arrays.append(array)
            self._words[slot] = array.ctypes.data
            return
        start = self._known.get((id(value), layout))
        if start is None:
            tag, fields, layouts = _parts(value, layout)
            if tag is None and not fields:
                return  # unit is null
            start = first = self._reserve(len(fields) + (tag is not None))
            if tag is not None:
                self._words[start] = tag
                first += 1
            pending += [(f, t, first + i) for i, (f, t) in enumerate(zip(fields, layouts, strict=True))]
            self._known[id(value), layout] = start
        self._words[slot] = start * _WORD
        self._relocations.append(slot)


def _parts(value: Any, layout: _Layout) -> tuple[int | None, Sequence[Any], Sequence[_Layout]]:
    """The tag of a value (None where it has none), its fields, and their layouts."""
    match layout.type:
        case TupleType(types):
            if not isinstance(value, tuple | list) or len(value) != len(types):
                raise InputError(f"expected a tuple of {len(types)} fields, given {_kind(value)}")
            return None, value, layout.fields
        case RefType():
            if not hasattr(value, "value"):
                raise InputError(f"expected a reference (a RefValue), given {_kind(value)}")
            return None, [value.value], layout.fields
        case AdtType(name):
            given = getattr(value, "constructor", None)
            for tag, (constructor, layouts) in enumerate(layout.constructors):
                if constructor != given:
                    continue
                if len(value.fields) != len(layouts):
                    raise InputError(f"{given} has {len(layouts)} fields, given {len(value.fields)}")
                return tag, value.fields, layouts
            wanted = " or ".join(constructor for constructor, _ in layout.constructors)
            raise InputError(f"expected a value of {name} ({wanted}), given {given or _kind(value)}")
    raise InputError(f"a function cannot be handed to a compiled program, given {_kind(value)}")


def _kind(value: Any) -> str:
    length = f" of {len(value)}" if isinstance(value, tuple | list) else ""
    return f"a {type(value).__name__}{length}"


# Memory → Python -----------------------------------------------------------------------------------------------------


_Place = tuple[int, _Layout]
"""An address, and what lies there."""


def decode(address: int, value_type: ValueType, interface: Interface) -> Any:
    """The value at an address, copied. What the memory shares, the result shares."""
    root = address, _Layouts(interface).of(value_type)
    known: dict[_Place, Any] = {}
    cells: list[tuple[RefValue, _Place]] = []
    pending = [root]
    while pending:
        place = pending[-1]
        missing = [] if place in known else _decode(place, known, cells)
        if missing:
            pending += missing
            continue
        pending.pop()
        if not pending:  # cells may hold each other: what they hold comes last
            pending = [held for _, held in cells if held not in known]
    for cell, held in cells:
        cell.value = known[held]
    return known[root]


def _decode(place: _Place, known: dict[_Place, Any], cells: list[tuple[RefValue, _Place]]) -> list[_Place]:
    """Make a value whose parts are known; else return those that are not."""
    address, layout = place
    if layout.spec is not None:
        array = known[place] = np.empty(layout.spec.shape, layout.spec.numpy_dtype)
        ctypes.memmove(array.ctypes.data, address, array.nbytes)
        return []
    match layout.type:
        case RefType():
            cell = known[place] = RefValue(None)
            cells.append((cell, (_words(address, 1)[0], layout.fields[0])))
            return []
        case TupleType():
            constructor, layouts, words = None, layout.fields, _words(address, len(layout.fields))
        case AdtType():
            constructor, layouts = layout.constructors[_words(address, 1)[0]]
            words = _words(address + _WORD, len(layouts))
        case _:
            known[place] = FunctionValue()
            return []
    parts = list(zip(words, layouts, strict=True))
    missing = [part for part in parts if part not in known]
    if not missing:
        fields = tuple([known[part] for part in parts])
        known[place] = fields if constructor is None else ConstructorValue(constructor, fields)
    return missing


def _words(address: int, count: int) -> Sequence[int]:
    return list((ctypes.c_uint64 * count).from_address(address)) if count else ()
