"""Which operators of a block share a kernel: Relay's rule, by fusion kinds and post-dominators.

A group is a set of operators that ends in one, its *root*; only the results of the root leave the group. An operator
may join the group of its immediate post-dominator, the nearest operator through which everything it feeds must pass;
then everything on the paths between the two joins as well, so a group never needs its own results from outside.
Kinds decide, in two rounds, whether it may join:

1. anchors (conv, matmul) join the elementwise operator behind them, elementwise and broadcast operators what follows;
2. injective operators (transpose, concatenate, slice) join what follows, if that is no anchor or reduction.

(Relay's third round is about tuples, which do not exist here: operators take several operands instead.)
A reduction ends its group, and a group holds at most one anchor.

Values that a block hands on to anything but a fusable operator (a view, a call, a nested region, the terminator) are
outside of every group: whatever has such a use is a root.

Source: Relay's FuseOps; "Relay: A High-Level Compiler for Deep Learning" (arXiv:1904.08368), 4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from xdsl.ir import Block, Operation

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.control import Tuple, TupleGetItem
from xrelay.dialects.relay.core import FusionKind, LanguageOp, RelayOp, View, fusion_kind
from xrelay.dialects.relay.types import DYNAMIC, shape_of

MAX_DEPTH = 256
"""The most operators in one kernel."""


@dataclass(eq=False)
class Node:
    """An operator that becomes (a part of) a kernel."""

    op: RelayOp
    index: int
    """Position among the nodes of the block."""
    kind: FusionKind
    users: list[tuple[Node, FusionKind]] = field(default_factory=list)
    """Who reads a result, and the kind of that edge."""
    leaves: bool = False
    """Whether something other than a node reads a result."""
    dominator: Node | None = None
    """The immediate post-dominator."""
    dominator_kind: FusionKind = FusionKind.ELEMENTWISE
    """The largest kind among the edges on the way there."""
    depth: int = 1
    """Distance from the root of the post-dominator tree."""
    parent: Node | None = None
    """In the forest of groups: a node nearer to the root of the group; None for the root itself."""
    group_kind: FusionKind = FusionKind.OPAQUE
    """The kind of the group, where the node is a root."""
    size: int = 1
    """Number of operators of the group, where the node is a root."""

    def root(self) -> Node:
        root = self
        while root.parent is not None:
            root = root.parent
        node = self
        while node is not root:  # the next search is short
            node.parent, node = root, node.parent or root
        return root


def is_fusable(op: Operation) -> TypeGuard[RelayOp]:
    """Whether an operator is computed by a kernel. Views, constants, tuples and control flow are not."""
    return (
        isinstance(op, RelayOp)
        and bool(op.results)
        and not op.regions
        and not isinstance(op, Constant | Tuple | TupleGetItem | LanguageOp)
        and not op.has_trait(View)
    )


def single_groups(block: Block) -> list[list[RelayOp]]:
    """Each operator its own group."""
    return [[op] for op in block.ops if is_fusable(op)]


def fusion_groups(block: Block, max_depth: int = MAX_DEPTH) -> list[list[RelayOp]]:
    """The groups of a block, in the order of their roots; each lists its operators in block order, the root last."""
    nodes = _dataflow(block)
    _post_dominators(nodes)
    for second_round in (False, True):
        for node in nodes:
            _try_fuse(node, second_round, max_depth)
    groups: dict[Node, list[RelayOp]] = {}
    for node in nodes:
        groups.setdefault(node.root(), []).append(node.op)
    return [groups[root] for root in nodes if root in groups]


# The dataflow graph and its post-dominator tree ------------------------------------------------------------------


def _dataflow(block: Block) -> list[Node]:
    nodes: dict[Operation, Node] = {}
    for op in block.ops:
        if is_fusable(op):
            kind = fusion_kind(op)
            nodes[op] = Node(op, len(nodes), kind, group_kind=kind)
    for node in nodes.values():
        for result in node.op.results:
            for use in result.uses:
                user = nodes.get(use.operation)
                if user is None:
                    node.leaves = True
                else:
                    node.users.append((user, _edge_kind(user, use.index)))
    return list(nodes.values())


def _edge_kind(user: Node, operand: int) -> FusionKind:
    """A broadcast operator is elementwise in an operand that has the shape of the result already."""
    if user.kind == FusionKind.BROADCAST and len(user.op.results) == 1:
        shapes = [shape_of(value.type) for value in user.op.operands]
        given = shapes.pop(operand)
        if given == shape_of(user.op.results[0].type) and not any(_may_stretch(given, other) for other in shapes):
            return FusionKind.ELEMENTWISE
    return user.kind


def _may_stretch(shape: Sequence[int], other: Sequence[int]) -> bool:
    """Whether an axis of unknown size may turn out to be 1 and be broadcast to that of another operand."""
    aligned = zip(reversed(shape), reversed(other), strict=False)
    return any(size == DYNAMIC and other_size != 1 for size, other_size in aligned)


def _post_dominators(nodes: Sequence[Node]) -> None:
    for node in reversed(nodes):
        if node.leaves or not node.users:
            continue
        (dominator, kind), *others = node.users
        for user, edge in others:
            dominator, merged = _common_dominator(dominator, user)
            kind = max(kind, edge, merged)
            if dominator is None:
                break
        if dominator is not None:
            node.dominator, node.dominator_kind, node.depth = dominator, kind, dominator.depth + 1


def _common_dominator(a: Node, b: Node) -> tuple[Node | None, FusionKind]:
    """The nearest node that post-dominates both, and the largest kind on the ways there."""
    kind = FusionKind.ELEMENTWISE
    while a is not b:
        if a.depth < b.depth:
            a, b = b, a
        if a.dominator is None:
            return None, kind
        kind = max(kind, a.dominator_kind)
        a = a.dominator
    return a, kind


# Deciding ----------------------------------------------------------------------------------------------------------


def _try_fuse(node: Node, second_round: bool, max_depth: int) -> None:
    """Let a node join the group of its post-dominator if the kinds allow it."""
    sink = node.dominator
    if sink is None or node.group_kind == FusionKind.OPAQUE or node.root() is sink.root():
        return
    may_pass = _condition(node, second_round)
    if may_pass is None:
        return
    path = _path(node, sink, may_pass, max_depth)
    if path is not None:
        _merge(path, sink.root())


def _condition(node: Node, second_round: bool) -> Callable[[FusionKind, bool], bool] | None:
    """What the groups on the way must satisfy, by their kind and whether they are the sink; None if it cannot be."""
    if node.group_kind == FusionKind.ANCHOR:
        if second_round or node.dominator_kind != FusionKind.ELEMENTWISE:
            return None
        return lambda kind, is_sink: kind <= FusionKind.BROADCAST
    if node.group_kind <= FusionKind.BROADCAST:
        if node.dominator_kind > FusionKind.REDUCTION:
            return None
        return lambda kind, is_sink: kind <= (FusionKind.ANCHOR if is_sink else FusionKind.INJECTIVE)
    if node.group_kind == FusionKind.INJECTIVE and second_round:
        return lambda kind, is_sink: kind <= FusionKind.INJECTIVE
    return None


def _path(source: Node, sink: Node, may_pass: Callable[[FusionKind, bool], bool], max_depth: int) -> list[Node] | None:
    """All nodes on ways from source to sink, without the sink; None if one may not be passed or they are too many."""
    if not may_pass(sink.root().group_kind, True):
        return None
    seen = {source}
    roots = {source.root(), sink.root()}
    size = sum(root.size for root in roots)
    pending = [source]
    path = []
    while pending:
        if size > max_depth:
            return None
        node = pending.pop()
        path.append(node)
        for user, _ in node.users:
            if user is sink or user in seen:
                continue
            root = user.root()
            if not may_pass(root.group_kind, root is sink.root()):
                return None
            if root not in roots:
                roots.add(root)
                size += root.size
            seen.add(user)
            pending.append(user)
    return path if size <= max_depth else None


def _merge(path: Sequence[Node], root: Node) -> None:
    """Join the groups of these nodes to the group of `root`; an anchor makes the whole group one of its kind."""
    for node in path:
        other = node.root()
        if other is root:
            continue
        if other.group_kind == FusionKind.ANCHOR:
            assert root.group_kind <= FusionKind.BROADCAST, "a group would get two anchors"
            root.group_kind = FusionKind.ANCHOR
        other.parent = root
        root.size += other.size
