"""Plugins: packages that add operators, lowerings, NumPy meanings or importers of ONNX domains.

A plugin names a function in the entry-point group `xrelay.plugins`; it is called once, without arguments, before the
first import or pass, and registers what the plugin brings by importing its modules. Dialects, passes and formats go
through xDSL's own group, `xdsl.universe`. `examples/plugin/` is a complete one.

The environment variable XRELAY_DISABLE_PLUGINS lists plugins (by the name of their entry point) that are left out; `*`
stands for all.
"""

from __future__ import annotations

import functools
import os
from importlib.metadata import EntryPoint, entry_points

from xrelay.errors import PluginError

GROUP = "xrelay.plugins"
DISABLE = "XRELAY_DISABLE_PLUGINS"


@functools.cache
def load_plugins() -> tuple[str, ...]:
    """Load every installed plugin, once a process, in the order of their names, which are returned.

    Raises PluginError for one that does not load: a model that needs it would only fail later, with a worse message.
    """
    disabled = {name.strip() for name in os.environ.get(DISABLE, "").split(",")}
    if "*" in disabled:
        return ()
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    wanted = [entry for entry in found if entry.name not in disabled]
    for entry in wanted:
        _load(entry)
    return tuple(entry.name for entry in wanted)


def _load(entry: EntryPoint) -> None:
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "an unknown package"
    try:
        register = entry.load()
        if not callable(register):
            raise TypeError(f"{entry.value} is a {type(register).__name__}, not a function")
        register()
    except Exception as error:
        raise PluginError(
            f"plugin {entry.name!r} of {package} does not load: {type(error).__name__}: {error}\n"
            f"  update or uninstall it, or leave it out by {DISABLE}={entry.name}"
        ) from error
