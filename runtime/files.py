"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from xrelay.errors import ArtifactError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Gives the name of a new file beside `path`, and puts the file in its place when the block ends well.

    Readers, and processes that have mapped the old file, never see a half-written one.

    Raises:
        ArtifactError: the system refuses (no such folder, no space, no permission).
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise ArtifactError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)
