"""Nodes of the ONNX domain `xrelay.example`."""

from __future__ import annotations

from xrelay.frontends.onnx.registry import importer
from xrelay_plugin_example.dialect import Snake


@importer("Snake", domain="xrelay.example")
def snake(node):
    return node.build(Snake, node.input(0), node.input(1))
