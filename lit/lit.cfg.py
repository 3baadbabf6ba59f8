"""Configuration of lit: every `.mlir` or `.relay` file below is a test whose RUN lines say what it does."""

import shlex
import sys
from pathlib import Path

import lit.formats

config.name = "xrelay"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".relay"]
config.excludes = ["Output", "Inputs"]
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = str(Path(__file__).parent.parent / "build" / "lit")

# The tools run from the Python that runs lit, whatever is first on the PATH.
python = shlex.quote(sys.executable)
for tool, module in {
    "relay-opt": "xrelay.relay_opt",
    "xdsl-opt": "xdsl.tools.xdsl_opt",
    "filecheck": "filecheck",
}.items():
    config.substitutions.append((rf"(?<![\w./-]){tool}(?![\w./-])", f"{python} -m {module}"))

supported, _ = lit_config.maxIndividualTestTimeIsSupported
if supported:
    config.maxIndividualTestTime = 60
