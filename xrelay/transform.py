"""Running passes from Python: `Pass`, `Sequential`, `PassContext`, instruments.

```python
with xrelay.transform.PassContext(opt_level=3, disabled_pass=["FoldScaleAxis"]):
    mod = xrelay.transform.Sequential([relay.transform.SimplifyInference(), relay.transform.FoldConstant()])(mod)
```

A pass takes a module (a `relay.Module`, or an xDSL `ModuleOp`) and returns a new one of the same kind; its input stays
as it was. The rules are Relay's: a pass that is called directly always runs, a `Sequential` runs a pass that is not
disabled, and is required or of an opt level that the context reaches; before it, it runs the passes that this one
requires.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xrelay.errors import XRelayError
from xrelay.instrument import PassInstrument, PassTimingInstrument, PrintAfterAll, PrintBeforeAll, module_text

__all__ = [
    "Pass",
    "PassContext",
    "PassContextError",
    "PassInfo",
    "PassInstrument",
    "PassTimingInstrument",
    "PrintAfterAll",
    "PrintBeforeAll",
    "PrintIR",
    "Sequential",
    "module_pass",
]

M = TypeVar("M")
"""`relay.Module` or `ModuleOp`."""


class PassContextError(XRelayError):
    """An option that does not exist or has the wrong type, or a pass that nobody knows by this name."""


@dataclass(frozen=True)
class PassInfo:
    """What is known of a pass before it runs."""

    name: str
    opt_level: int = 0
    required: tuple[str, ...] = ()


class PassContext:
    """Options of the passes that run inside of `with PassContext(…):`, per thread.

    `required_pass` and `disabled_pass` are names of passes, `instruments` see every pass run, `config` holds the
    options listed by `list_configs()`. Raises PassContextError for an option that is not among them.
    """

    CONFIG: ClassVar[dict[str, type]] = {
        "relay.FuseOps.max_depth": int,
        "relay.FoldConstant.max_growth": int,
    }
    _stacks: ClassVar[threading.local] = threading.local()

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Sequence[str] | None = None,
        disabled_pass: Sequence[str] | None = None,
        instruments: Sequence[PassInstrument] | None = None,
        config: Mapping[str, Any] | None = None,
    ):
        self.opt_level = opt_level
        self.required_pass = _names(required_pass, "required_pass")
        self.disabled_pass = _names(disabled_pass, "disabled_pass")
        self.instruments = list(instruments or ())
        self.config = dict(config or {})
        for key, value in self.config.items():
            _check_config(key, value)

    @classmethod
    def current(cls) -> PassContext:
        """The innermost context of this thread; one with default options outside of any."""
        stack = cls._stack()
        return stack[-1] if stack else cls()

    @classmethod
    def list_configs(cls) -> dict[str, str]:
        """The options that `config` may hold, and their types."""
        return {key: kind.__name__ for key, kind in cls.CONFIG.items()}

    @classmethod
    def _stack(cls) -> list[PassContext]:
        if not hasattr(cls._stacks, "contexts"):
            cls._stacks.contexts = []
        return cls._stacks.contexts

    def __enter__(self) -> Self:
        for instrument in self.instruments:
            instrument.enter_pass_ctx()
        self._stack().append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack().pop()
        for instrument in self.instruments:
            instrument.exit_pass_ctx()

    def enabled(self, info: PassInfo) -> bool:
        """Whether a `Sequential` runs the pass."""
        if info.name in self.disabled_pass:
            return False
        return info.name in self.required_pass or self.opt_level >= info.opt_level


class Pass:
    """A function from module to module with a name, an opt level and the passes that must run before it."""

    REGISTRY: ClassVar[dict[str, Callable[[], Pass]]] = {}
    """Name → how to make the pass; how a required pass is found."""

    def __init__(self, info: PassInfo, function: Callable[[ModuleOp, PassContext], ModuleOp | None]):
        self.info = info
        self._function = function

    @classmethod
    def of(
        cls, name: str, pass_class: type[ModulePass], options: Callable[[PassContext], dict[str, Any]] | None = None
    ) -> Pass:
        """A `Pass` that runs an xDSL pass, whose options may depend on the context."""

        def run(module: ModuleOp, context: PassContext) -> None:
            pass_class(**(options(context) if options else {})).apply(Context(), module)

        opt_level, required = getattr(pass_class, "opt_level", 0), getattr(pass_class, "required", ())
        return cls(PassInfo(name, opt_level, tuple(required)), run)

    def __call__(self, mod: M) -> M:
        """The transformed module; `mod` itself is not changed."""
        from xrelay.relay.module import Module

        if isinstance(mod, Module):
            return Module.from_ir(self.run(mod.ir.clone(), PassContext.current()))  # type: ignore[return-value]
        if not isinstance(mod, ModuleOp):
            raise TypeError(f"pass {self.info.name} takes a module, got {type(mod).__name__}")
        return self.run(mod.clone(), PassContext.current())

    def run(self, mod: ModuleOp, context: PassContext) -> ModuleOp:
        """Transform a module that may be changed in place, under the eyes of the context's instruments."""
        instruments = context.instruments
        if not all([instrument.should_run(mod, self.info) for instrument in instruments]):
            return mod
        for instrument in instruments:
            instrument.run_before_pass(mod, self.info)
        result = self._function(mod, context)
        mod = mod if result is None else result
        for instrument in instruments:
            instrument.run_after_pass(mod, self.info)
        return mod

    def __repr__(self) -> str:
        return f"Pass({self.info.name}, opt_level={self.info.opt_level})"


class Sequential(Pass):
    """Passes in a row, as far as the context enables them."""

    def __init__(
        self,
        passes: Sequence[Pass],
        opt_level: int = 0,
        name: str = "sequential",
        required: Sequence[str] | None = None,
    ):
        super().__init__(PassInfo(name, opt_level, tuple(required or ())), self._run_all)
        self.passes = list(passes)

    def _run_all(self, mod: ModuleOp, context: PassContext) -> ModuleOp:
        for step in self.passes:
            if not context.enabled(step.info):
                continue
            for name in step.info.required:
                mod = _registered(name).run(mod, context)
            mod = step.run(mod, context)
        return mod


def module_pass(
    pass_func: Callable[[ModuleOp, PassContext], ModuleOp] | None = None,
    opt_level: int = 0,
    name: str | None = None,
    required: Sequence[str] | None = None,
) -> Any:
    """Decorator: make a `Pass` of a function `(mod, ctx) -> mod`. It gets a copy of the module, which it may change."""

    def make(function: Callable[[ModuleOp, PassContext], ModuleOp]) -> Pass:
        return Pass(PassInfo(name or function.__name__, opt_level, tuple(required or ())), function)

    return make if pass_func is None else make(pass_func)


def PrintIR(header: str = "", show_meta_data: bool = False) -> Pass:
    """A pass that prints the module as it stands; large constants by name only, or with `show_meta_data` in full."""

    def show(mod: ModuleOp, _: PassContext) -> None:
        print("\n".join(filter(None, [header, module_text(mod, show_meta_data)])))

    return Pass(PassInfo("PrintIR"), show)


def _registered(name: str) -> Pass:
    import xrelay.relay.transform  # noqa: F401  (registers Relay's passes)

    if name not in Pass.REGISTRY:
        raise PassContextError(f"there is no pass {name!r}; known are {', '.join(sorted(Pass.REGISTRY))}")
    return Pass.REGISTRY[name]()


def _names(value: Sequence[str] | None, what: str) -> frozenset[str]:
    if isinstance(value, str):
        raise PassContextError(f"{what} is a list of names, got the string {value!r}")
    return frozenset(value or ())


def _check_config(key: str, value: Any) -> None:
    kind = PassContext.CONFIG.get(key)
    if kind is None:
        raise PassContextError(f"there is no option {key!r}; known are {', '.join(PassContext.CONFIG)}")
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise PassContextError(f"option {key} must be {kind.__name__}, got {value!r}")
