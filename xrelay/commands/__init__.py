"""The commands of `xrelay`, one a module: `add_arguments(parser)`, `execute(args)`; its first line is its help."""
