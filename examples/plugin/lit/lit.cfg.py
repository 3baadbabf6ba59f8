"""Configuration of lit for the plugin: `relay-opt` and `filecheck` of the Python that runs lit."""

import shlex
import sys
from pathlib import Path

import lit.formats

config.name = "xrelay-plugin-example"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = str(Path(__file__).parent.parent / "build" / "lit")

python = shlex.quote(sys.executable)
config.substitutions.append((r"\brelay-opt\b", f"{python} -m xrelay.relay_opt"))
config.substitutions.append((r"\bfilecheck\b", f"{python} -m filecheck"))
