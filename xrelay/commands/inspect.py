"""Show what a model or a compiled file holds: signature, operators, kernels, memory, target."""

from __future__ import annotations

import argparse
from collections import Counter

from xrelay.commands.models import add_compile_options, is_artifact, load_or_compile
from xrelay.commands.tables import print_table, shape, size


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a compiled file (.xr, .so) or a model (.onnx, .mlir)")
    add_compile_options(parser)


def execute(args: argparse.Namespace) -> None:
    model = load_or_compile(args)
    metadata = model.metadata
    print_table(
        args.file,
        ("", "name", "dtype", "shape"),
        [
            (kind, spec.name, spec.dtype, shape(spec.shape))
            for kind, specs in (("input", metadata.inputs), ("output", metadata.outputs))
            for spec in specs
        ],
    )
    if not is_artifact(args.file):
        counts = count_operators(args)
        print_table("operators of the model", ("operator", "count"), counts.most_common())
    print_table(
        "compiled",
        ("", "value"),
        [
            ("kernels", metadata.kernels),
            ("intermediate tensors", size(metadata.arena_bytes)),
            ("constants", size(metadata.constants_bytes)),
            ("target", " ".join(filter(None, (metadata.target.triple, metadata.target.cpu)))),
            ("compiled by", f"xrelay {metadata.version}"),
        ],
    )


def count_operators(args: argparse.Namespace) -> Counter[str]:
    """How often the model uses each operator, as it was imported, before any pass."""
    from xrelay.compiler import read_model
    from xrelay.dialects.relay.constant import Constant
    from xrelay.dialects.relay.core import RelayOp

    module = read_model(args.file, dict(args.shape) or None)
    return Counter(op.name for op in module.walk() if isinstance(op, RelayOp) and not isinstance(op, Constant))
