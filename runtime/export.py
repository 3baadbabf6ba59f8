"""A compiled model as a shared library with a plain C interface."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from xrelay.errors import ToolchainError, UnsupportedError
from xrelay.runtime.artifact import Artifact
from xrelay.runtime.c_interface import header_text, source_text, symbol_prefix
from xrelay.runtime.files import replacing

_SUFFIXES = (".so", ".dylib")
_COMPILERS = ("cc", "gcc", "clang")
_STDERR_SHOWN = 2000


def export_library(artifact: Artifact, path: str | os.PathLike[str], cc: str | None = None) -> Path:
    """Links code, constants and metadata into the library `path`, and writes the C header beside it.

    Args:
        cc: the C compiler's command, by default `$CC`, `cc`, `gcc` or `clang`. One for another machine is fine, if the
            model was compiled for that machine.

    Returns:
        The library's path.

    Raises:
        ToolchainError: there is no C compiler, or it failed.
        ArtifactError: a file cannot be written.
        UnsupportedError: the suffix is not that of a shared library.
    """
    path = Path(path).absolute()
    if path.suffix not in _SUFFIXES:
        raise UnsupportedError(f"{path}: a library's name ends in {' or '.join(_SUFFIXES)}")
    header = path.with_suffix(".h")
    prefix = symbol_prefix(path.stem)
    command = _find_compiler(cc)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.o").write_bytes(artifact.object_code)
        (folder / "constants.bin").write_bytes(artifact.constants.data)
        (folder / "metadata.json").write_text(artifact.metadata.to_json(), encoding="utf-8")
        (folder / "model.h").write_text(header_text(artifact.metadata, prefix, path.name), encoding="utf-8")
        (folder / "model.c").write_text(source_text(artifact.metadata, prefix), encoding="utf-8")
        with replacing(path) as library:
            linking = _link_options(artifact.metadata.target.triple, path.name)
            _call([*command, *linking, "-o", str(library), "model.c", "model.o", "-lm", "-pthread"], folder)
        with replacing(header) as temporary:
            shutil.copyfile(folder / "model.h", temporary)
    return path


def _find_compiler(cc: str | None) -> list[str]:
    for candidate in [cc] if cc else [os.environ.get("CC"), *_COMPILERS]:
        command = shlex.split(candidate or "")
        if command and shutil.which(command[0]):
            return command
    looked_for = repr(cc) if cc else f"$CC, {', '.join(_COMPILERS)}"
    raise ToolchainError(
        f"export_library needs a C compiler, and found none ({looked_for}); install gcc or clang "
        "(Debian: apt install gcc, macOS: xcode-select --install), or use save(), which needs none"
    )


def _link_options(triple: str, name: str) -> list[str]:
    options = ["-O2", "-fPIC", "-fvisibility=hidden"]
    if "darwin" in triple or "macos" in triple:
        return [*options, "-dynamiclib", "-Xlinker", "-install_name", "-Xlinker", f"@rpath/{name}"]
    # Two models may be linked into one program: each binds to its own entry points.
    linker = ["-Bsymbolic", "-soname", name, "-z", "defs", "-z", "noexecstack"]
    return [*options, "-shared", *(word for option in linker for word in ("-Xlinker", option))]


def _call(command: list[str], folder: Path) -> None:
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    if result.returncode != 0:
        tail = result.stderr[-_STDERR_SHOWN:].strip()
        raise ToolchainError(f"the C compiler failed (status {result.returncode}): {shlex.join(command)}\n{tail}")
