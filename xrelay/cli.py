"""`xrelay`: compile, run, measure and look into models from the command line."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence

from xrelay import __version__
from xrelay.commands import bench, compile, inspect, run
from xrelay.commands.tables import forget_stdout
from xrelay.errors import XRelayError

_COMMANDS = {"compile": compile, "run": run, "bench": bench, "inspect": inspect}


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="xrelay", description="A deep-learning compiler: models to machine code.")
    parser.add_argument("--version", action="version", version=f"xrelay {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in _COMMANDS.items():
        summary = (command.__doc__ or "").strip().splitlines()[0]
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        command.add_arguments(subparser)
        subparser.set_defaults(execute=command.execute)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns 0, or 1 after a mistake of the user, 2 after a fault of xrelay, 130 after Ctrl-C."""
    args = build_parser().parse_args(arguments)
    try:
        args.execute(args)
    except BrokenPipeError:
        forget_stdout()
        return 1
    except (XRelayError, OSError) as error:
        print(f"xrelay {args.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception:
        traceback.print_exc()
        print(
            "This is a fault of xrelay, not of your model. Please report it, with the lines above, "
            f"xrelay {__version__} and the model or the smallest part of it that shows the fault.",
            file=sys.stderr,
        )
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
