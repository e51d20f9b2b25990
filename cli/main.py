"""The command `stratabase`."""

import argparse
import sys
from collections.abc import Sequence

from cli.commands import COMMANDS
from cli.fault import Fault
from stratabase import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 could not be done, 2 makes no sense."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except Fault as fault:
        print(fault, file=sys.stderr)
        return fault.code
    except BrokenPipeError:
        # Whoever read the output has seen enough; Python must not try to write the rest when it ends.
        sys.stdout = None
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("stratabase", description="A data service made from one model file.")
    parser.add_argument("--version", action="version", version=f"stratabase {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=command.HELP, description=command.HELP)
        command.configure(subparser)
        subparser.set_defaults(run=command.run)
    return parser
