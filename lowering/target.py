"""Descriptions of the machines that xrelay compiles for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from xrelay.errors import UnsupportedError

_X86 = ("x86_64", "amd64", "i386", "i486", "i586", "i686")


@dataclass(frozen=True)
class Target:
    """A machine as LLVM names it, and what lowerings need to know of it.

    `Target("llvm")` is this machine; `Target("llvm -mcpu=skylake-avx512")` names a processor, `-mattr=+avx2,-avx512f`
    changes its features, `-mtriple=aarch64-linux-gnu` names another system. Raises UnsupportedError for anything else.
    """

    description: str = "llvm"
    triple: str = field(init=False)
    cpu: str = field(init=False)
    features: str = field(init=False)
    """Features in LLVM's form: `+avx2,-avx512f`."""

    def __post_init__(self) -> None:
        options = _parse(self.description)
        triple, cpu, features = _host()
        own_machine = "mcpu" not in options and "mtriple" not in options
        values = {
            "triple": options.get("mtriple", triple),
            "cpu": cpu if own_machine else options.get("mcpu", ""),
            "features": ",".join(filter(None, [features if own_machine else "", options.get("mattr", "")])),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        return self.description

    @property
    def architecture(self) -> str:
        return self.triple.split("-")[0]

    @property
    def vector_bytes(self) -> int:
        """Bytes of the widest vector register for floats."""
        return _capabilities(self.triple, self.cpu, self.features).vector_bytes

    @property
    def vector_registers(self) -> int:
        """How many vector registers there are."""
        return 16 if self.architecture in _X86 and self.vector_bytes < 64 else 32

    @property
    def has_fma(self) -> bool:
        """a · b + c, rounded once, is one instruction."""
        return _capabilities(self.triple, self.cpu, self.features).fma

    @property
    def native_half(self) -> bool:
        """float16 ↔ float32 is one instruction."""
        return _capabilities(self.triple, self.cpu, self.features).half

    @property
    def function_attributes(self) -> dict[str, str]:
        """The attributes that every LLVM function for this target carries."""
        attributes = {"target-cpu": self.cpu, "target-features": self.features}
        if self.architecture in _X86:
            attributes["prefer-vector-width"] = str(8 * self.vector_bytes)
        return {name: value for name, value in attributes.items() if value}


def host() -> Target:
    """The machine that this runs on."""
    return Target("llvm")


def _parse(description: str) -> dict[str, str]:
    kind, *options = description.split() or [""]
    parsed: dict[str, str] = {}
    for option in options:
        name, equals, value = option.removeprefix("-").partition("=")
        if name not in ("mcpu", "mattr", "mtriple") or not equals or not option.startswith("-"):
            raise UnsupportedError(
                f"target {description!r}: unknown option {option!r}, expected -mcpu=, -mattr= or -mtriple="
            )
        parsed[name] = value
    if kind != "llvm":
        raise UnsupportedError(f"target {description!r}: the only kind of target is 'llvm', got {kind!r}")
    return parsed


@cache
def _host() -> tuple[str, str, str]:
    """Triple, processor and features of this machine."""
    from llvmlite import binding

    return binding.get_default_triple(), binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


@dataclass(frozen=True)
class _Capabilities:
    vector_bytes: int
    fma: bool
    half: bool


_PROBES = """
define <16 x float> @add(<16 x float> %a, <16 x float> %b) {
  %c = fadd <16 x float> %a, %b
  ret <16 x float> %c
}
define float @fma(float %a, float %b, float %c) {
  %d = call float @llvm.fma.f32(float %a, float %b, float %c)
  ret float %d
}
define i16 @half(float %a) {
  %h = fptrunc float %a to half
  %i = bitcast half %h to i16
  ret i16 %i
}
declare float @llvm.fma.f32(float, float, float)
"""


@cache
def _capabilities(triple: str, cpu: str, features: str) -> _Capabilities:
    """What a processor can do, read off the code that LLVM makes for it: LLVM knows it, but lists it nowhere."""
    from llvmlite import binding

    from xrelay.lowering.llvm.object_code import target_machine

    code = target_machine(triple, cpu, features).emit_assembly(binding.parse_assembly(_PROBES))
    widths = {"zmm0": 64, "ymm0": 32}
    return _Capabilities(
        vector_bytes=next((width for register, width in widths.items() if register in code), 16),
        fma="fmaf" not in code,
        half="__truncsfhf2" not in code and "__gnu_f2h_ieee" not in code,
    )
