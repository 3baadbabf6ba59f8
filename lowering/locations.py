"""Keeps source locations through xDSL's rewriters, which give new operations none.

`rewrite(region, pattern)` runs a pattern to its fixpoint, and every operation that it inserts gets the location of
the operation it was matched on.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import FileLineColLoc, FusedLoc, LocationAttr, NameLoc, UnknownLoc
from xdsl.ir import Attribute, Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, PatternRewriteWalker, RewritePattern


def location_text(location: Attribute) -> str:
    """A location as people write it: `model.relay:3:7`, or the name of a node and its operator, `pick (Gather)`."""
    if isinstance(location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}:{location.column.data}"
    if isinstance(location, NameLoc):
        inner = location_text(location.location)
        return f"{location.desc.data} ({inner})" if inner else location.desc.data
    if isinstance(location, FusedLoc):
        locations: Iterable[Attribute] = location.locations  # pyright: ignore[reportAssignmentType] (an ArrayAttr)
        return ", ".join(filter(None, map(location_text, locations)))
    return ""


class LocatedPattern(RewritePattern):
    """Remembers the location of the operation being rewritten, for the operations that replace it."""

    def __init__(self, pattern: RewritePattern):
        self.pattern = pattern
        self.location: LocationAttr = UnknownLoc()

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        self.location = op.location
        self.pattern.match_and_rewrite(op, rewriter)

    def stamp(self, op: Operation) -> None:
        if isinstance(op.location, UnknownLoc):
            op.location = self.location

    def listener(self) -> PatternRewriterListener:
        return PatternRewriterListener(operation_insertion_handler=[self.stamp])


def rewrite(region: Region, pattern: RewritePattern, recursive: bool = True) -> bool:
    """Apply the pattern to the operations of a region (with `recursive` until nothing changes); whether any changed."""
    located = LocatedPattern(pattern)
    walker = PatternRewriteWalker(located, apply_recursively=recursive, listener=located.listener())
    return walker.rewrite_region(region)
