"""`xrelay.transform` runs passes by Relay's rules; `xrelay.relay.transform` has Relay's passes."""

from __future__ import annotations

import threading

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr

from tests.lowering.graph.graph_utils import names, parse
from xrelay.errors import XRelayError
from xrelay.relay import transform as relay_transform
from xrelay.relay.dataflow_pattern import is_op
from xrelay.transform import (
    Pass,
    PassContext,
    PassInfo,
    PassInstrument,
    PassTimingInstrument,
    PrintAfterAll,
    PrintIR,
    Sequential,
    module_pass,
)

TEXT = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.constant [1.0, 2.0] : tensor<2xf32>
  %1 = relay.negative %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = relay.add %x, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = relay.nn.relu %2 : (tensor<2xf32>) -> tensor<2xf32>
  func.return %3 : tensor<2xf32>
}"""


@pytest.fixture
def mod() -> ModuleOp:
    return parse(TEXT)


def marker(name: str, opt_level: int = 0, required=()) -> Pass:
    """A pass that notes its name in the module."""

    @module_pass(opt_level=opt_level, name=name, required=required)
    def mark(mod: ModuleOp, ctx: PassContext) -> ModuleOp:
        seen = mod.attributes.get("ran", StringAttr(""))
        mod.attributes["ran"] = StringAttr(seen.data + name)
        return mod

    return mark


def ran(mod: ModuleOp) -> str:
    return mod.attributes.get("ran", StringAttr("")).data


@pytest.mark.parametrize("name", relay_transform.__all__)
def test_no_pass_changes_its_input(mod: ModuleOp, name: str, capsys):
    if name in ("module_pass", "LayoutConfig", "gradient"):
        return
    before = str(mod)
    arguments = {
        "ConvertLayout": [{"nn.conv2d": ["NHWC"]}],
        "MergeComposite": [[("npu.relu", is_op("nn.relu")(None))]],
        "AnnotateTarget": ["npu"],
    }.get(name, [])
    after = getattr(relay_transform, name)(*arguments)(mod)
    assert str(mod) == before
    assert after is not mod
    after.verify()


def test_the_passes_of_relay(mod: ModuleOp):
    folded = relay_transform.FoldConstant()(mod)
    assert names(folded) == ["constant", "add", "nn.relu"]
    fused = relay_transform.FuseOps()(folded)
    assert names(fused) == ["constant", "fused_add_nn_relu"]
    assert names(relay_transform.DefuseOps()(fused)) == names(folded)


def test_a_pass_called_directly_always_runs(mod: ModuleOp):
    with PassContext(opt_level=0, disabled_pass=["a"]):
        assert ran(marker("a", opt_level=4)(mod)) == "a"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "ab"),
        ({"opt_level": 0}, "a"),
        ({"opt_level": 4}, "abc"),
        ({"required_pass": ["c"]}, "abc"),
        ({"disabled_pass": ["a", "c"]}, "b"),
        ({"required_pass": ["c"], "disabled_pass": ["c"]}, "ab"),
    ],
)
def test_which_passes_a_sequential_runs(mod: ModuleOp, options: dict, expected: str):
    passes = Sequential([marker("a"), marker("b", opt_level=2), marker("c", opt_level=4)])
    with PassContext(**options):
        assert ran(passes(mod)) == expected
    assert ran(mod) == ""


def test_a_sequential_is_a_pass_itself(mod: ModuleOp):
    inner = Sequential([marker("x")], opt_level=3, name="inner")
    assert ran(Sequential([marker("a"), inner])(mod)) == "a"
    with PassContext(opt_level=3):
        assert ran(Sequential([marker("a"), inner])(mod)) == "ax"


def test_required_passes_run_before(mod: ModuleOp):
    seen: list[str] = []

    class Note(PassInstrument):
        def run_before_pass(self, mod, info):
            seen.append(info.name)

    with PassContext(instruments=[Note()]):
        Sequential([marker("a", required=["InferType"])])(mod)
        with pytest.raises(XRelayError, match=r"no pass 'Nonsense'; known are .*FuseOps"):
            Sequential([marker("a", required=["Nonsense"])])(mod)
    assert seen == ["sequential", "InferType", "a", "sequential"]


def test_contexts_nest_and_belong_to_their_thread():
    assert PassContext.current().opt_level == 2
    with PassContext(opt_level=1), PassContext(opt_level=3) as inner:
        assert PassContext.current() is inner
        seen: list[int] = []
        thread = threading.Thread(target=lambda: seen.append(PassContext.current().opt_level))
        thread.start()
        thread.join()
        assert seen == [2]
    assert PassContext.current().opt_level == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"config": {"relay.FuseOps.depth": 3}},
            "no option 'relay.FuseOps.depth'; known are .*relay.FuseOps.max_depth",
        ),
        ({"config": {"relay.FuseOps.max_depth": "many"}}, "relay.FuseOps.max_depth must be int, got 'many'"),
        ({"config": {"relay.FuseOps.max_depth": True}}, "must be int"),
        ({"required_pass": "FuseOps"}, "required_pass is a list of names"),
    ],
)
def test_wrong_options(options: dict, message: str):
    with pytest.raises(XRelayError, match=message):
        PassContext(**options)


def test_options_reach_the_passes(mod: ModuleOp):
    assert PassContext.list_configs()["relay.FuseOps.max_depth"] == "int"
    with PassContext(config={"relay.FuseOps.max_depth": 1}):
        assert len(names(relay_transform.FuseOps()(mod))) == 4
    with PassContext(config={"relay.FoldConstant.max_growth": -8}):
        assert len(names(relay_transform.FoldConstant()(mod))) == 4


def test_fusion_follows_the_opt_level(mod: ModuleOp):
    with PassContext(opt_level=0):
        assert names(relay_transform.FuseOps()(mod))[-2:] == ["fused_add", "fused_nn_relu"]
        assert names(relay_transform.FuseOps(fuse_opt_level=2)(mod))[-1] == "fused_negative_add_nn_relu"
    assert names(relay_transform.FuseOps(fuse_opt_level=0)(mod))[-1] == "fused_nn_relu"


def test_instruments_see_and_stop_passes(mod: ModuleOp):
    events: list[str] = []

    class Watch(PassInstrument):
        def enter_pass_ctx(self):
            events.append("enter")

        def exit_pass_ctx(self):
            events.append("exit")

        def should_run(self, mod, info: PassInfo) -> bool:
            return info.name != "b"

        def run_before_pass(self, mod, info):
            events.append(f"before {info.name}{ran(mod)}")

        def run_after_pass(self, mod, info):
            events.append(f"after {info.name}{ran(mod)}")

    with PassContext(instruments=[Watch()]):
        marker("a")(mod)
        marker("b")(mod)
    assert events == ["enter", "before a", "after aa", "exit"]


def test_timing(mod: ModuleOp):
    timing = PassTimingInstrument()
    with PassContext(opt_level=3, instruments=[timing]):
        Sequential([relay_transform.InferType(), relay_transform.FuseOps()], name="both")(mod)
    lines = timing.render().splitlines()
    assert [line.split(":")[0] for line in lines] == ["both", "  InferType", "  FuseOps"]
    assert all("ms (" in line for line in lines)


def test_printing(mod: ModuleOp, capsys):
    with PassContext(instruments=[PrintAfterAll()]):
        relay_transform.FoldConstant()(mod)
    out = capsys.readouterr().out
    assert out.startswith("// after FoldConstant\nbuiltin.module {")
    PrintIR("// here")(mod)
    assert "// here\nbuiltin.module {" in capsys.readouterr().out


def test_a_pass_takes_a_module():
    with pytest.raises(TypeError, match="pass FuseOps takes a module, got str"):
        relay_transform.FuseOps()("module")
