"""`relay-opt` and what xDSL's own driver sees of us. What it prints is tested in `lit/tools`."""

from __future__ import annotations

import pytest
from xdsl.universe import XDSL_UNIVERSE, Universe

from xrelay import relay_opt
from xrelay.universe import UNIVERSE

KINDS = ("all_dialects", "all_passes", "all_targets", "all_frontends")


@pytest.mark.parametrize("kind", KINDS)
def test_names_do_not_collide_with_those_of_xdsl(kind):
    assert not getattr(UNIVERSE, kind).keys() & getattr(XDSL_UNIVERSE, kind).keys()


@pytest.mark.parametrize("kind", KINDS)
def test_xdsl_finds_all_of_ours(kind):
    assert getattr(UNIVERSE, kind).keys() <= getattr(Universe.get_multiverse(), kind).keys()


@pytest.mark.parametrize("kind", KINDS)
def test_every_getter_gives_what_its_name_says(kind):
    for name, get in getattr(UNIVERSE, kind).items():
        assert get().name == name


def test_a_context_owns_its_relay_dialect():
    """The dialect keeps the constants of the file being read, so contexts must not share it."""
    get = UNIVERSE.all_dialects["relay"]
    assert get() is not get()


def test_binary_output_goes_to_a_file_only(tmp_path):
    (tmp_path / "a.mlir").write_text("")
    with pytest.raises(SystemExit, match="binary"):
        relay_opt.main([str(tmp_path / "a.mlir"), "-t", "obj"])


def test_onnx_model_is_read(tmp_path, capsys):
    from tests.xrelay.test_cli import save_model

    relay_opt.main([str(save_model(tmp_path / "tiny.onnx"))])
    printed = capsys.readouterr().out
    assert "relay.nn.relu" in printed
