"""Compiled models from files, by what is in them."""

from __future__ import annotations

import os

from xrelay.errors import ArtifactError
from xrelay.runtime import elf
from xrelay.runtime.artifact import MAGIC, Artifact
from xrelay.runtime.engine import LibraryEngine
from xrelay.runtime.model import CompiledModel

_MACH_O = b"\xcf\xfa\xed\xfe"


def load(path: str | os.PathLike[str], num_threads: int | None = None) -> CompiledModel:
    """The model in a file that `CompiledModel.save` or `CompiledModel.export_library` wrote. The content tells which.

    A library's code runs in this process: load only those that you trust.

    Raises:
        ArtifactError: there is no such file, or it is foreign, damaged, or for another machine or version.
    """
    where = os.fspath(path)
    try:
        with open(path, "rb") as file:
            start = file.read(len(MAGIC))
    except OSError as error:
        raise ArtifactError(f"{where}: cannot be read: {error.strerror or error}") from error
    if start == MAGIC:
        return CompiledModel(Artifact.load(path), num_threads, where)
    if start[:4] in (elf.MAGIC, _MACH_O):
        return CompiledModel(LibraryEngine(path), num_threads, where)
    raise ArtifactError(
        f"{where}: not a compiled model: expected a file that save() or export_library() wrote; "
        "models in other formats go through xrelay.compile"
    )
