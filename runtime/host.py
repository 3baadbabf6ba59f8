"""The machine that this process runs on: which code it can run, and with how many threads."""

from __future__ import annotations

import os
import platform
import sys
from functools import cache
from pathlib import Path

from xrelay.errors import ArtifactError, XRelayError
from xrelay.runtime.metadata import Target

MAX_THREADS = 1024
"""The pool's own limit (support.ll)."""

_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}
_SYSTEMS = ("linux", "darwin")

# Features implied by a cpu name: the levels of the x86-64 psABI, each with those below it.
_V2 = "popcnt sse3 sse4.1 sse4.2 ssse3"
_V3 = f"{_V2} avx avx2 bmi bmi2 f16c fma lzcnt movbe"
_V4 = f"{_V3} avx512f avx512bw avx512cd avx512dq avx512vl"
_LEVELS = {"": "", "generic": "", "x86-64": "", "x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4}

# LLVM's names of vector features where Linux has other ones in /proc/cpuinfo; then those with the same name.
_CPUINFO_NAMES = {
    "sse3": "pni",
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
    "bmi": "bmi1",
    "lzcnt": "abm",
    "avxvnni": "avx_vnni",
    "avx512vnni": "avx512_vnni",
    "avx512bf16": "avx512_bf16",
    "avx512fp16": "avx512_fp16",
    "avx512bitalg": "avx512_bitalg",
    "avx512vbmi2": "avx512_vbmi2",
    "avx512vpopcntdq": "avx512_vpopcntdq",
    "amx-tile": "amx_tile",
    "amx-int8": "amx_int8",
    "amx-bf16": "amx_bf16",
} | {
    name: name
    for name in (
        "ssse3 sse4a popcnt movbe bmi2 fma fma4 f16c avx avx2 avx512f avx512bw avx512cd avx512dq avx512vl "
        "avx512ifma avx512vbmi gfni vaes vpclmulqdq"
    ).split()
}


def check_target(target: Target, where: str) -> None:
    """Refuses code that this machine cannot run.

    Raises:
        ArtifactError: another architecture or system, or a CPU without a feature that the code uses.
    """
    wanted, here = _platform(target.triple), f"{_architecture()}-{sys.platform}"
    if wanted != here:
        raise ArtifactError(f"{where}: compiled for {target.triple}, but this machine is {here}")
    required = [name[1:] for name in target.features.split(",") if name.startswith("+")]
    host = host_features()
    if not required:
        required = _implied_features(target.cpu, where)
    missing = [name for name in required if host.get(name) is False]
    if missing:
        raise ArtifactError(
            f"{where}: compiled for a CPU with {', '.join(missing)}, which this one lacks; "
            "compile the model on this machine or for an older CPU"
        )


@cache
def host_features() -> dict[str, bool]:
    """The CPU's features by LLVM's names, each with whether it has it. Without llvmlite fewer are known, or none."""
    try:
        import llvmlite.binding as llvm
    except ImportError:
        return _cpuinfo_features()
    return dict(llvm.get_host_cpu_features())


def default_num_threads() -> int:
    """The number in XRELAY_NUM_THREADS, else the number of CPUs that this process may use.

    Raises:
        XRelayError: XRELAY_NUM_THREADS is no number of threads.
    """
    text = os.environ.get("XRELAY_NUM_THREADS")
    if text:
        return check_num_threads(int(text) if text.strip().isdecimal() else text, "XRELAY_NUM_THREADS")
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MAX_THREADS)
    return min(os.cpu_count() or 1, MAX_THREADS)


def check_num_threads(value: object, what: str = "num_threads") -> int:
    """Raises:
    XRelayError: `value` is no integer from 1 to `MAX_THREADS`.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_THREADS:
        raise XRelayError(f"{what} is {value!r}, expected an integer from 1 to {MAX_THREADS}")
    return value


def _architecture() -> str:
    machine = platform.machine().lower()
    return _ARCHITECTURES.get(machine, machine)


def _platform(triple: str) -> str:
    """`x86_64-linux` of `x86_64-unknown-linux-gnu`."""
    architecture = triple.split("-")[0]
    system = next((system for system in _SYSTEMS if system in triple), "darwin" if "macos" in triple else "?")
    return f"{_ARCHITECTURES.get(architecture, architecture)}-{system}"


def _implied_features(cpu: str, where: str) -> list[str]:
    if cpu in _LEVELS:
        return _LEVELS[cpu].split()
    import_error = f"{where}: compiled for the CPU {cpu!r} without a list of its features"
    try:
        import llvmlite.binding as llvm
    except ImportError:
        raise ArtifactError(f"{import_error}, and llvmlite, which names this machine's CPU, is not installed") from None
    if (here := llvm.get_host_cpu_name()) != cpu:
        raise ArtifactError(f"{import_error}, but this machine's CPU is {here!r}")
    return []


def _cpuinfo_features() -> dict[str, bool]:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return {}
    flags = next((set(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), None)
    if flags is None:
        return {}
    return {name: flag in flags for name, flag in _CPUINFO_NAMES.items()}
