"""The metadata section of a text: what has no literal, as JSON behind `#[metadata]`.

```
#[metadata]
{
  "relay.Constant": [{"dtype": "float32", "shape": [2, 3], "data": "<base64 of the little-endian bytes, row by row>"}],
  "String": ["say \\"hi\\""]
}
```

The text refers to an entry as `meta[relay.Constant][0]`. The key `module.attrs` holds the attributes of the module.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from xrelay.errors import UnsupportedError
from xrelay.frontends.relay_text.expr import Constant
from xrelay.frontends.relay_text.literals import DTYPES, numpy_dtype

CONSTANT = "relay.Constant"
MODULE_ATTRS = "module.attrs"


class MetadataWriter:
    """Collects the entries while a text is printed."""

    def __init__(self) -> None:
        self.entries: dict[str, Any] = {}
        self._constants: dict[int, int] = {}
        """id of an array → its entry: constants that share one are written once."""

    def constant(self, constant: Constant) -> str:
        """The reference to a constant. Raises UnsupportedError for a dtype that relay does not have."""
        array = constant.data
        if array.dtype.name not in DTYPES:
            raise UnsupportedError(f"a constant of dtype {array.dtype} has no text form; there are {sorted(DTYPES)}")
        if id(array) not in self._constants:
            self._constants[id(array)] = len(self.entries.get(CONSTANT, ()))
            self.entries.setdefault(CONSTANT, []).append(array)
        return f"meta[{CONSTANT}][{self._constants[id(array)]}]"

    def value(self, key: str, value: Any) -> str:
        """The reference to a value that JSON can hold."""
        entries = self.entries.setdefault(key, [])
        entries.append(value)
        return f"meta[{key}][{len(entries) - 1}]"

    def text(self) -> str:
        """The section. Raises UnsupportedError for a value that it cannot hold."""
        return f"#[metadata]\n{json.dumps(self.entries, indent=2, default=_encode)}\n"


def _encode(value: Any) -> Any:
    """The form in JSON of what JSON does not have."""
    if isinstance(value, Constant):
        value = value.data
    if isinstance(value, np.ndarray) and value.dtype.name in DTYPES:
        little_endian = value.astype(value.dtype.newbyteorder("<"))
        data = base64.b64encode(little_endian.tobytes()).decode()
        return {"dtype": value.dtype.name, "shape": list(value.shape), "data": data}
    if isinstance(value, np.generic):
        return value.item()
    raise UnsupportedError(f"a value of type {type(value).__name__} has no text form")


class Metadata:
    """The entries that a text refers to: its own section, or a table that the caller brings."""

    def __init__(self, entries: Mapping[str, Any]):
        self._entries = entries
        self._constants: dict[int, Constant] = {}

    @classmethod
    def read(cls, text: str) -> Metadata:
        """Raises ValueError for a section that is malformed or of another kind."""
        try:
            entries = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"the metadata are not JSON: {error}") from None
        if not isinstance(entries, dict):
            raise ValueError("the metadata must be a JSON object: lists of entries by their key")
        if "root" in entries and "nodes" in entries:
            raise ValueError(
                "the metadata are in TVM's node-graph form, which xrelay does not read; "
                f'expected {{"{CONSTANT}": [{{"dtype": …, "shape": […], "data": base64}}, …]}}'
            )
        return cls(entries)

    @property
    def module_attrs(self) -> dict[str, Any]:
        attrs = self._entries.get(MODULE_ATTRS, {})
        if not isinstance(attrs, dict):
            raise ValueError(f"{MODULE_ATTRS} must be a JSON object")
        return {key: _decode_nested(value) for key, value in attrs.items()}

    def entry(self, key: str, index: int) -> Any:
        """The value of `meta[key][index]`. Raises ValueError if there is none or it is malformed."""
        if key not in self._entries:
            raise ValueError(
                f"there are no metadata for {key}" + ("" if self._entries else ": the text has no #[metadata] section")
            )
        entries = self._entries[key]
        if not isinstance(entries, Sequence) or isinstance(entries, str):
            raise ValueError(f"the metadata for {key} must be a list")
        if index >= len(entries):
            raise ValueError(f"the metadata hold {len(entries)} entries for {key}, index {index} is beyond them")
        if key == CONSTANT:
            return self._constant(entries[index], index)
        return _decode_nested(entries[index])

    def _constant(self, entry: Any, index: int) -> Constant:
        if index not in self._constants:
            self._constants[index] = entry if isinstance(entry, Constant) else Constant(_decode_array(entry))
        return self._constants[index]


def _decode_nested(value: Any) -> Any:
    """A value with the arrays in it decoded."""
    if isinstance(value, list):
        return [_decode_nested(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"dtype", "shape", "data"}:
            return _decode_array(value)
        return {key: _decode_nested(item) for key, item in value.items()}
    return value


def _decode_array(entry: Any) -> np.ndarray:
    """The array of an entry, read-only. Raises ValueError if the parts contradict each other."""
    if isinstance(entry, np.ndarray):
        return entry
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data"}:
        raise ValueError(f'an entry of {CONSTANT} must be {{"dtype": …, "shape": […], "data": base64}}')
    shape = entry["shape"]
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"the shape of a constant must be a list of sizes, not {shape}")
    dtype = numpy_dtype(str(entry["dtype"]))
    try:
        data = base64.b64decode(entry["data"], validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise ValueError("the data of a constant must be base64") from None
    if len(data) != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"a {entry['dtype']} constant of shape {tuple(shape)} cannot have {len(data)} bytes")
    return np.frombuffer(data, dtype.newbyteorder("<")).reshape(shape).astype(dtype, copy=False)
