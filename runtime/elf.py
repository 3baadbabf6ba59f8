"""The little of the ELF format that keeps a bad file from ending the process: LLVM and the loader give no errors."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator

MAGIC = b"\x7fELF"

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMTAB = 2
_STRONG_UNDEFINED = (1, 0)  # binding GLOBAL, section UNDEF


def file_bytes(content: bytes | mmap.mmap) -> int:
    """The least size of a file with this header: the section table stands at its end. 0 where it is no 64-bit ELF."""
    fields = _header(content)
    return 0 if fields is None else fields[6] + fields[11] * fields[12]


def undefined_symbols(content: bytes) -> list[str]:
    """The symbols that an ELF object needs from outside; [] for another kind of object."""
    fields = _header(content)
    if fields is None:
        return []
    offset, count = fields[6], fields[12]
    sections = [_SECTION.unpack_from(content, offset + index * _SECTION.size) for index in range(count)]
    return [name for section in sections if section[1] == _SYMTAB for name in _undefined(content, section, sections)]


def _header(content: bytes | mmap.mmap) -> tuple | None:
    is_elf64_little = content[:6] == MAGIC + b"\x02\x01" and len(content) >= _HEADER.size
    return _HEADER.unpack_from(content) if is_elf64_little else None


def _undefined(content: bytes, table: tuple, sections: list[tuple]) -> Iterator[str]:
    _, _, _, _, offset, size, strings_index, *_ = table
    strings = sections[strings_index][4]
    for at in range(offset, offset + size, _SYMBOL.size):
        name_offset, info, _, section, _, _ = _SYMBOL.unpack_from(content, at)
        if (info >> 4, section) == _STRONG_UNDEFINED:
            start = strings + name_offset
            yield content[start : content.index(b"\0", start)].decode()
