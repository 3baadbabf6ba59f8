"""The errors that a user of xrelay can cause.

All derive from `XRelayError`; anything else that escapes is a fault of xrelay.
"""

from __future__ import annotations


class XRelayError(Exception):
    """A mistake in a model, an input or an option: says what, where, and what would be right."""


class ModelError(XRelayError):
    """A model file that cannot be read or that contradicts its own format."""


class RelayParseError(XRelayError):
    """Relay text with faults: the message shows each with its line, a caret below, and what was expected."""


class UnsupportedError(XRelayError):
    """A valid request that xrelay does not handle (an operator, a dtype, a dynamic size)."""


class TypeInferenceError(XRelayError):
    """Operands that break an operator's type rule."""


class InputError(XRelayError):
    """An argument of `run` that does not fit the model's signature."""


class CompilationError(XRelayError):
    """A module that a pass cannot lower as it stands."""


class ExecutionError(XRelayError):
    """A kernel stopped because an operator's definition makes a value invalid (an index beyond its axis)."""


class ArtifactError(XRelayError):
    """A compiled file that is damaged, foreign, or made for another machine or version."""


class ToolchainError(XRelayError):
    """A tool of the system (the C compiler) is missing or failed."""


class PluginError(XRelayError):
    """A plugin that cannot be loaded."""
