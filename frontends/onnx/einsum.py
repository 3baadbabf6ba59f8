"""Einsum, as transposes, products of matrices and sums."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import as_tensor, is_float, shape_of
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.operators import ops

_TERM = re.compile(r"[A-Za-z]*(\.\.\.[A-Za-z]*)?")
_ELLIPSIS = tuple(str(i) for i in range(10))
"""The names of the axes that an ellipsis stands for; the last ones where an operand has fewer."""


@importer("Einsum")
def einsum(node: Node) -> SSAValue:
    """Two operands at a time: letters that nothing behind needs are summed as soon as they can be."""
    terms, result = _parse(node)
    operands = [_diagonals(node, node.input(i), term) for i, term in enumerate(terms)]
    sizes = _sizes(node, operands)
    value, letters = operands[0]
    for i, (other, other_letters) in enumerate(operands[1:], start=1):
        later = set(result).union(*(term for _, term in operands[i + 1 :]))
        value, letters = _contract(node, (value, letters), (other, other_letters), later, sizes)
    value, letters = _sum_out(node, value, letters, [letter for letter in letters if letter not in result])
    value = node.transpose(value, [letters.index(letter) for letter in result])
    return _expanded(node, value, [sizes[letter] for letter in result])


Operand = tuple[SSAValue, list[str]]
"""A value and the letter of each of its axes."""


def _parse(node: Node) -> tuple[list[list[str]], list[str]]:
    equation = node.attr("equation").replace(" ", "")
    left, arrow, right = equation.partition("->")
    texts = left.split(",")
    if len(texts) != len(node.inputs) or not all(map(_TERM.fullmatch, [*texts, right])):
        node.fail(f"the equation {equation!r} does not fit {len(node.inputs)} inputs")
    terms = [_letters(node, text, node.rank(i)) for i, text in enumerate(texts)]
    dots = max((sum(letter.isdigit() for letter in term) for term in terms), default=0)
    named = _ELLIPSIS[len(_ELLIPSIS) - dots :]
    if arrow:
        result = _letters(node, right, len(right.replace("...", "")) + (dots if "..." in right else 0))
    else:
        counts = [letter for term in terms for letter in term if not letter.isdigit()]
        result = [*named, *sorted(letter for letter in set(counts) if counts.count(letter) == 1)]
    known = {letter for term in terms for letter in term}
    if len(set(result)) != len(result) or not set(result) <= known:
        node.fail(f"the equation {equation!r} has a result that its operands do not give")
    return terms, result


def _letters(node: Node, text: str, rank: int) -> list[str]:
    """One letter an axis; those of an ellipsis are digits, counted from the right."""
    before, dots, after = text.partition("...")
    hidden = rank - len(before) - len(after)
    if hidden < 0 or (hidden and not dots) or hidden > len(_ELLIPSIS):
        node.fail(f"the term {text!r} of its equation does not fit an operand of rank {rank}")
    return [*before, *_ELLIPSIS[len(_ELLIPSIS) - hidden :], *after]


def _sizes(node: Node, operands: Sequence[Operand]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for value, letters in operands:
        for letter, size in zip(letters, shape_of(value.type), strict=True):
            if size < 0:
                node.unsupported(f"operands of unknown sizes, {value.type}; shapes= can fix them")
            known = sizes.setdefault(letter, size)
            if known != size and 1 not in (known, size):
                node.fail(f"the letter {letter!r} of its equation stands for {known} and for {size}")
            sizes[letter] = max(known, size) if 0 not in (known, size) else 0
    return sizes


def _diagonals(node: Node, value: SSAValue, letters: Sequence[str]) -> Operand:
    """A letter that stands twice in one term means the diagonal of its two axes."""
    letters = list(letters)
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            rest = [axis for axis in range(len(letters)) if axis not in (first, second)]
            shape = shape_of(value.type)
            size = shape[first]
            if shape[second] != size:
                node.fail(f"the letter {letter!r} of its equation stands for {size} and for {shape[second]}")
            moved = node.transpose(value, [first, second, *rest])
            flat = node.reshape(moved, (size * size, *(shape[axis] for axis in rest)))
            value = node.build(ops.StridedSlice, flat, begin=(0,), end=(size * size,), strides=(size + 1,), axes=(0,))
            letters = [letter, *(letters[axis] for axis in rest)]
    return value, letters


def _sum_out(node: Node, value: SSAValue, letters: list[str], gone: Sequence[str]) -> Operand:
    if not gone:
        return value, letters
    axes = tuple(letters.index(letter) for letter in gone)
    return node.build(ops.Sum, value, axis=axes), [letter for letter in letters if letter not in gone]


def _expanded(node: Node, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    return value if shape_of(value.type) == tuple(shape) else node.build(ops.BroadcastTo, value, shape=tuple(shape))


def _contract(node: Node, a: Operand, b: Operand, later: set[str], sizes: dict[str, int]) -> Operand:
    """The product of two operands, summed over the letters that both have and nothing later needs."""
    a = _sum_out(node, *a, [letter for letter in a[1] if letter not in later and letter not in b[1]])
    b = _sum_out(node, *b, [letter for letter in b[1] if letter not in later and letter not in a[1]])
    shared = [letter for letter in a[1] if letter in b[1]]
    batch = [letter for letter in shared if letter in later]
    summed = [letter for letter in shared if letter not in later]
    rows = [letter for letter in a[1] if letter not in b[1]]
    columns = [letter for letter in b[1] if letter not in a[1]]
    if not summed or not is_float(as_tensor(a[0].type).element_type):
        return _multiplied(node, a, b, [*batch, *rows, *columns, *summed], summed)
    left = _arranged(node, a, [*batch, *rows, *summed], sizes)
    right = _arranged(node, b, [*batch, *summed, *columns], sizes)
    n, m, k, l = (math.prod(sizes[letter] for letter in part) for part in (batch, rows, summed, columns))
    left, right = node.reshape(left, (n, m, k)), node.reshape(right, (n, k, l))
    product = node.build(ops.BatchMatmul, left, right)
    letters = [*batch, *rows, *columns]
    return node.reshape(product, [sizes[letter] for letter in letters]), letters


def _arranged(node: Node, operand: Operand, order: Sequence[str], sizes: dict[str, int]) -> SSAValue:
    value, letters = operand
    value = node.transpose(value, [letters.index(letter) for letter in order])
    return _expanded(node, value, [sizes[letter] for letter in order])


def _multiplied(node: Node, a: Operand, b: Operand, order: list[str], summed: Sequence[str]) -> Operand:
    """Both operands brought to the same axes, in which those they lack have size 1."""
    aligned = []
    for value, letters in (a, b):
        present = [letter for letter in order if letter in letters]
        moved = node.transpose(value, [letters.index(letter) for letter in present])
        sizes = dict(zip(present, shape_of(moved.type), strict=True))
        aligned.append(node.reshape(moved, [sizes.get(letter, 1) for letter in order]))
    return _sum_out(node, node.build(ops.Multiply, *aligned), order, summed)
