"""A compiled model as one file. `docs/artifact.md` has the layout.

    header (88 bytes) | metadata, JSON | object code | zeros up to a page | constants

All sizes and checksums are verified before a byte is used. Constants are mapped, not read.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from xrelay.errors import ArtifactError
from xrelay.runtime.files import replacing
from xrelay.runtime.memory import ALIGNMENT, aligned_empty
from xrelay.runtime.metadata import FORMAT, Metadata, wrong_format

MAGIC = b"\x93XRELAY\n"
PAGE = 4096

_HEADER = struct.Struct("<8sIIQQQ32s")
_HEADER_DIGEST_BYTES = 16
HEADER_BYTES = _HEADER.size + _HEADER_DIGEST_BYTES


@dataclass(frozen=True, eq=False)
class Artifact:
    """A compiled model: relocatable object code, its constants, and its metadata.

    `constants` is a flat uint8 array that starts at a multiple of 64 bytes; it is copied where it does not.

    Raises:
        ArtifactError: the constants are not of the size that the metadata says.
    """

    object_code: bytes
    constants: np.ndarray
    metadata: Metadata

    def __post_init__(self) -> None:
        if self.constants.dtype != np.uint8 or self.constants.shape != (self.metadata.constants_bytes,):
            given = f"{self.constants.dtype}{list(self.constants.shape)}"
            raise ArtifactError(f"constants are {given}, the metadata says uint8[{self.metadata.constants_bytes}]")
        if self.constants.ctypes.data % ALIGNMENT:
            aligned = aligned_empty(self.constants.shape, self.constants.dtype)
            aligned[:] = self.constants
            object.__setattr__(self, "constants", aligned)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the file; an old one under this name stays whole until the new one replaces it.

        Raises:
            ArtifactError: the file cannot be written.
        """
        path = Path(path)
        metadata = self.metadata.to_json().encode()
        layout = _Layout(len(metadata), len(self.object_code), len(self.constants))
        body = b"".join((metadata, self.object_code, bytes(layout.padding)))
        header = _HEADER.pack(MAGIC, FORMAT, zlib.crc32(self.constants.data), *layout, _digest(body, 32))
        with replacing(path) as temporary, open(temporary, "wb") as file:
            file.write(header + _digest(header, _HEADER_DIGEST_BYTES))
            file.write(body)
            file.write(self.constants.data)
            file.flush()
            os.fsync(file.fileno())
        return path

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Artifact:
        """Reads a file that `save` wrote.

        Raises:
            ArtifactError: there is no such file, or it is foreign, of another format, truncated or damaged.
        """
        where = os.fspath(path)
        try:
            with open(path, "rb") as file:
                return _read(file, str(where))
        except OSError as error:
            raise ArtifactError(f"{where}: cannot be read: {error.strerror or error}") from error


class _Layout(NamedTuple):
    """The sizes in the header, and what follows from them."""

    metadata_bytes: int
    object_bytes: int
    constants_bytes: int

    @property
    def padding(self) -> int:
        return -(HEADER_BYTES + self.metadata_bytes + self.object_bytes) % PAGE

    @property
    def constants_offset(self) -> int:
        return HEADER_BYTES + self.metadata_bytes + self.object_bytes + self.padding

    @property
    def file_bytes(self) -> int:
        return self.constants_offset + self.constants_bytes


def _digest(data: bytes, size: int) -> bytes:
    return hashlib.blake2b(data, digest_size=size).digest()


def _read(file: BinaryIO, where: str) -> Artifact:
    layout, constants_crc, body_digest = _read_header(file, where)
    actual = os.fstat(file.fileno()).st_size
    if actual != layout.file_bytes:
        fault = "truncated" if actual < layout.file_bytes else "followed by foreign bytes"
        raise ArtifactError(f"{where}: the file is {fault}: {actual} bytes instead of {layout.file_bytes}")

    body = file.read(layout.constants_offset - HEADER_BYTES)
    if _digest(body, 32) != body_digest:
        raise ArtifactError(f"{where}: the file is damaged: the checksum of its metadata and code is wrong")
    constants = _map_constants(file, layout)
    if zlib.crc32(constants.data) != constants_crc:
        raise ArtifactError(f"{where}: the file is damaged: the checksum of its constants is wrong")

    metadata = Metadata.from_json(body[: layout.metadata_bytes], where)
    if metadata.constants_bytes != layout.constants_bytes:
        raise ArtifactError(
            f"{where}: the metadata speaks of {metadata.constants_bytes} bytes of constants, "
            f"the file has {layout.constants_bytes}"
        )
    code = body[layout.metadata_bytes : layout.metadata_bytes + layout.object_bytes]
    return Artifact(code, constants, metadata)


def _read_header(file: BinaryIO, where: str) -> tuple[_Layout, int, bytes]:
    header = file.read(HEADER_BYTES)
    if header[: len(MAGIC)] != MAGIC:
        raise ArtifactError(f"{where}: not a compiled model: the file does not start as one")
    if len(header) < HEADER_BYTES:
        raise ArtifactError(f"{where}: the file is truncated: {len(header)} bytes, less than its header")
    _, version, constants_crc, *sizes, body_digest = _HEADER.unpack_from(header)
    # Before the checksum: another format may have another header.
    if version != FORMAT:
        raise ArtifactError(wrong_format(version, where))
    if _digest(header[: _HEADER.size], _HEADER_DIGEST_BYTES) != header[_HEADER.size :]:
        raise ArtifactError(f"{where}: the file is damaged: the checksum of its header is wrong")
    return _Layout(*sizes), constants_crc, body_digest


def _map_constants(file: BinaryIO, layout: _Layout) -> np.ndarray:
    if layout.constants_bytes == 0:
        return np.empty(0, np.uint8)  # nothing can be mapped in an empty range
    mapped = np.memmap(file, np.uint8, "r", layout.constants_offset, (layout.constants_bytes,))
    return mapped.view(np.ndarray)
