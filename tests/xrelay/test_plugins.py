"""Plugins are loaded once, in order; one that is broken says so."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from xrelay import plugins
from xrelay.errors import PluginError

LOADED: list[str] = []
NOT_A_FUNCTION = 7


def register_one():
    LOADED.append("one")


def register_two():
    LOADED.append("two")


def register_broken():
    raise ImportError("no module named fastmath")


@pytest.fixture
def install(monkeypatch):
    """Pretend that these plugins are installed: name → attribute of this module."""

    def install(**names: str) -> None:
        found = [EntryPoint(name, f"{__name__}:{value}", plugins.GROUP) for name, value in names.items()]
        monkeypatch.setattr(plugins, "entry_points", lambda group: found if group == plugins.GROUP else [])

    LOADED.clear()
    monkeypatch.delenv(plugins.DISABLE, raising=False)
    plugins.load_plugins.cache_clear()
    yield install
    plugins.load_plugins.cache_clear()


def test_plugins_load_once_by_name(install):
    install(b="register_two", a="register_one")
    assert plugins.load_plugins() == ("a", "b")
    assert plugins.load_plugins() == ("a", "b")
    assert LOADED == ["one", "two"]


@pytest.mark.parametrize(("disabled", "loaded"), [("a", ["two"]), ("a, b", []), ("*", []), ("c", ["one", "two"])])
def test_plugins_can_be_left_out(install, monkeypatch, disabled, loaded):
    install(a="register_one", b="register_two")
    monkeypatch.setenv(plugins.DISABLE, disabled)
    plugins.load_plugins()
    assert loaded == LOADED


def test_a_broken_plugin_names_itself_and_the_way_out(install):
    install(mine="register_broken")
    with pytest.raises(PluginError, match=r"plugin 'mine'.*no module named fastmath") as caught:
        plugins.load_plugins()
    assert "XRELAY_DISABLE_PLUGINS=mine" in str(caught.value)


@pytest.mark.parametrize("value", ["NOT_A_FUNCTION", "missing"])
def test_a_wrong_entry_point(install, value):
    install(mine=value)
    with pytest.raises(PluginError, match="plugin 'mine'"):
        plugins.load_plugins()
