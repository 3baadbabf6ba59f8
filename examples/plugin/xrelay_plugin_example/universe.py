"""What the plugin adds to relay-opt and xdsl-opt."""

from __future__ import annotations

from xdsl.universe import Universe


def get_example():
    from xrelay_plugin_example.dialect import Example

    return Example


def get_fuse_snake():
    from xrelay_plugin_example.fuse_snake import FuseSnake

    return FuseSnake


UNIVERSE = Universe(all_dialects={"example": get_example}, all_passes={"example-fuse-snake": get_fuse_snake})
