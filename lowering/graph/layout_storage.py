"""How values are stored while `relay-convert-layout` runs: which axes where, and in which forms a value exists."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.layout import Axis, Layout
from xrelay.dialects.relay.shape import ExpandDims
from xrelay.dialects.relay.transform import LayoutTransform
from xrelay.dialects.relay.types import DYNAMIC, shape_of
from xrelay.lowering.graph.successors import Successors


@dataclass(frozen=True)
class Storage:
    """The order in which the axes of a value are stored.

    Axis i of the value as the program has it is called `names[i]`; `layout` holds the same letters in the order of the
    stored tensor, some of them split.
    """

    names: str
    layout: Layout

    @staticmethod
    def of(names: str, layout: str) -> Storage:
        return Storage(names, Layout.parse(layout))

    @cached_property
    def key(self) -> str:
        """Equal for storages that differ in names only."""
        return self.renamed(ascii_uppercase[: len(self.names)]).layout.text

    @property
    def is_original(self) -> bool:
        return self.layout.text == self.names

    @property
    def is_whole(self) -> bool:
        """Whether no axis is split."""
        return self.layout.rank == len(self.names)

    def renamed(self, names: str) -> Storage:
        """The same order with other names for the axes."""
        table = str.maketrans(self.names + self.names.lower(), names + names.lower())
        return Storage(names, Layout.parse(self.layout.text.translate(table)))

    def is_split(self, axis: int) -> bool:
        return self.layout.is_split(self.names[axis])

    def factor(self, axis: int) -> int:
        return self.layout.factor(self.names[axis])

    def position(self, axis: int) -> int:
        """Where an axis of the value stands in the stored tensor (the outer part of a split one)."""
        return self.layout.index(self.names[axis])

    def positions(self, axis: int) -> list[int]:
        """The same with all parts of a split axis."""
        return [i for i, part in enumerate(self.layout.axes) if part.letter == self.names[axis]]

    def source(self, position: int) -> int:
        """The axis of the value that an axis of the stored tensor is, or is a part of."""
        return self.names.index(self.layout.axes[position].letter)

    def permuted(self, axes: tuple[int, ...]) -> Storage:
        """What the transposed value is stored as, where the stored tensor stays as it is."""
        return Storage("".join(self.names[axis] for axis in axes), self.layout)

    def without(self, axes: tuple[int, ...]) -> Storage:
        """The storage that is left when these axes go away."""
        gone = {self.names[axis] for axis in axes}
        text = "".join(_part_text(part) for part in self.layout.axes if part.letter not in gone)
        return Storage("".join(name for name in self.names if name not in gone), Layout.parse(text))

    def joined(self, axes: tuple[int, ...]) -> Storage:
        """The same with these axes whole."""
        text = "".join(
            _part_text(part) for part in self.layout.axes if part.is_main or self.names.index(part.letter) not in axes
        )
        return Storage(self.names, Layout.parse(text))

    def extended(self, axis: int, count: int) -> Storage:
        """With `count` new axes before `axis` of the value, which stand in front of the stored tensor."""
        fresh = "".join(letter for letter in reversed(ascii_uppercase) if letter not in self.names)[:count]
        names = self.names[:axis] + fresh + self.names[axis:]
        return Storage(names, Layout.parse(fresh + self.layout.text))

    def fits(self, value: SSAValue) -> bool:
        """Whether every split divides the size of its axis in a value (as the program has it)."""
        if not isinstance(value.type, TensorType) or len(shape_of(value.type)) != len(self.names):
            return False
        return all(
            not self.is_split(axis) or (size != DYNAMIC and size % self.factor(axis) == 0)
            for axis, size in enumerate(shape_of(value.type))
        )


def _part_text(part: Axis) -> str:
    return part.letter if part.is_main else f"{part.factor}{part.letter.lower()}"


@dataclass(frozen=True)
class Form:
    """A tensor that holds a value in some storage."""

    value: SSAValue
    storage: Storage
    leads: bool = False
    """Whether operators behind are to be computed in this form: it comes from an operator of a desired layout."""


class Forms:
    """The forms in which the values of the program exist. New operators stand before `at`."""

    def __init__(self, successors: Successors):
        self._forms: ChainMap[SSAValue, tuple[Form, ...]] = ChainMap()
        self._successors = successors
        self.at: Operation | None = None

    def nested(self) -> Forms:
        """The forms as a nested block sees them; what it adds stays inside."""
        inner = Forms(self._successors)
        inner._forms = self._forms.new_child()
        return inner

    def add(self, value: SSAValue, form: Form) -> None:
        self._forms[value] = (*self.of(value), form)

    def of(self, value: SSAValue) -> tuple[Form, ...]:
        return self._forms.get(value, ())

    def leading(self, value: SSAValue) -> Form | None:
        """The form in which users of a value are to be computed; None where it is the value itself."""
        return next((form for form in self.of(value) if form.leads and not form.storage.is_original), None)

    def get(self, value: SSAValue, storage: Storage) -> SSAValue:
        """A value in a storage that fits it, by a new layout_transform if it is in no form so."""
        forms = self.of(value)
        if storage.is_original:
            return value
        for form in forms:
            if form.storage.key == storage.key:
                return form.value
        source = Form(value, Storage.of(storage.names, storage.names))
        source = next((form for form in forms if form.storage.fits(value)), source)
        text = source.storage.renamed(storage.names).layout.text
        made = self.insert(LayoutTransform.make(source.value, src_layout=text, dst_layout=storage.layout.text))
        self.add(value, Form(made, storage))
        return made

    def get_broadcast(self, value: SSAValue, storage: Storage) -> SSAValue | None:
        """An operand that is broadcast to a result of this storage, None where it cannot be stored so.

        It may have fewer axes, or size 1 along them: a split axis of size 1 becomes axes of size 1.
        """
        sizes, rank = shape_of(value.type), len(storage.names)
        if all(size == 1 for size in sizes):
            return value
        single = tuple(axis for axis in range(rank) if axis < rank - len(sizes) or sizes[axis - rank] == 1)
        whole = storage.joined(single)
        full = value
        if len(sizes) < rank:
            if not _fits_lower_rank(whole, sizes):
                return None
            full = self.insert(ExpandDims.make(value, axis=0, num_newaxis=rank - len(sizes)))
        if not whole.fits(full):
            return None
        stored = self.get(full, whole)
        for position in range(storage.layout.rank):
            if not storage.layout.axes[position].is_main and storage.source(position) in single:
                stored = self.insert(ExpandDims.make(stored, axis=position))
        return stored

    def insert(self, op: RelayOp) -> SSAValue:
        assert self.at is not None
        return self._successors.insert(op, self.at).results[0]


def _fits_lower_rank(storage: Storage, sizes: tuple[int, ...]) -> bool:
    """Whether the splits divide the sizes of the last axes."""
    start = len(storage.names) - len(sizes)
    return all(
        not storage.is_split(start + i) or (size != DYNAMIC and size % storage.factor(start + i) == 0)
        for i, size in enumerate(sizes)
    )
