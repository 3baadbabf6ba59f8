"""Numbers as text, without loss: scalar constants and the numbers among attributes.

`42`, `42i64`, `7u8`, `1.5f`, `1.5f16`, `1.5bf16`, `True`, `inff`, `nanf64`: the suffix is the dtype. An integer without
one is int32, or int64 where it does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from xrelay.frontends.relay_text.names import SPECIAL_FLOATS

NUMBER = r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\w*"
_PARTS = re.compile(r"(?P<integer>\d+)(?P<rest>(?:\.\d*)?(?:[eE][+-]?\d+)?)(?P<suffix>(?!\d)\w*)")
_DTYPES = {
    **{"": "int32", "i": "int32", "f": "float32", "bf16": "bfloat16"},
    **{f"{kind[0]}{width}": f"{kind}{width}" for kind in ("int", "uint") for width in (8, 16, 32, 64)},
    **{f"f{width}": f"float{width}" for width in (16, 32, 64)},
}
_SUFFIXES = {dtype: suffix for suffix, dtype in reversed(_DTYPES.items())}
"""The shortest suffix of each dtype."""
DTYPES = frozenset(_SUFFIXES) | {"bool"}
"""The element types of constants."""
_LONGEST_INTEGER = 40


def numpy_dtype(name: str) -> np.dtype:
    """The NumPy dtype of an element type. Raises ValueError for a name that is none."""
    if name not in DTYPES:
        raise ValueError(f"there are no constants of dtype {name}; there are {', '.join(sorted(DTYPES))}")
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


# Reading -------------------------------------------------------------------------------------------------------------


def read_scalar(text: str, negative: bool = False) -> np.ndarray:
    """The array of rank 0 that a literal stands for. Raises ValueError if it is malformed or beyond its dtype."""
    if text in SPECIAL_FLOATS:
        suffix = text[3:]
        value: int | float = float(SPECIAL_FLOATS[text])
    else:
        value, suffix = _read(text)
    dtype = _DTYPES[suffix]
    value = -value if negative else value
    if isinstance(value, int):
        if not suffix and not _fits(value, dtype):
            dtype = "int64"
        if not _fits(value, dtype):
            raise ValueError(f"{value} does not fit {dtype}")
        return np.array(value, dtype)
    with np.errstate(over="ignore"):
        array = np.array(value, numpy_dtype(dtype))
    if np.isinf(array) and text not in SPECIAL_FLOATS:
        raise ValueError(f"{text} is beyond the largest {dtype}; infinity is written inf{suffix}")
    return array


def read_number(text: str, negative: bool = False) -> int | float:
    """The value of a number among attributes: a Python int or a double, whatever the suffix says of the width."""
    value = float(SPECIAL_FLOATS[text]) if text in SPECIAL_FLOATS else _read(text)[0]
    return -value if negative else value


def _read(text: str) -> tuple[int | float, str]:
    """The value (an int for an integer dtype) and the suffix."""
    parts = _PARTS.fullmatch(text)
    if parts is None or parts["suffix"] not in _DTYPES:
        raise ValueError(f"malformed number {text}; the suffixes are {', '.join(s for s in _DTYPES if s)}")
    suffix = parts["suffix"]
    if "f" in suffix:
        return float(parts["integer"] + parts["rest"]), suffix
    if parts["rest"]:
        hint = f"{suffix} is for integers" if suffix else f"{text}f is a float32, {text}f64 a float64"
        raise ValueError(f"a number with a fraction or an exponent needs the suffix of a float: {hint}")
    if len(parts["integer"]) > _LONGEST_INTEGER:
        raise ValueError("the integer does not fit int64")
    return int(parts["integer"]), suffix


def _fits(value: int, dtype: str) -> bool:
    info = np.iinfo(dtype)
    return int(info.min) <= value <= int(info.max)


# Writing -------------------------------------------------------------------------------------------------------------


def scalar_text(array: np.ndarray) -> str | None:
    """The literal of an array of rank 0, None if it has none (a NaN that carries data)."""
    dtype = array.dtype.name
    if dtype == "bool":
        return str(bool(array))
    if array.dtype.kind in "iu":
        return f"{int(array)}{_SUFFIXES[dtype]}"
    for text in _float_texts(array, _SUFFIXES[dtype]):
        if read_scalar(text.removeprefix("-"), text.startswith("-")).tobytes() == array.tobytes():
            return text
    return None


def _float_texts(array: np.ndarray, suffix: str) -> Iterator[str]:
    """The shortest text, then the exact one: reading goes through a double, which may round the shortest twice."""
    if not np.isfinite(array):
        yield f"{float(array)}{suffix}"
        return
    yield f"{str(array[()]).removesuffix('.0')}{suffix}"
    yield f"{float(array)!r}{suffix}"


def number_text(value: int | float) -> str:
    """A number among attributes; the `f` of a float says nothing of its width."""
    return repr(value) if isinstance(value, int) else f"{repr(value).removesuffix('.0')}f"
