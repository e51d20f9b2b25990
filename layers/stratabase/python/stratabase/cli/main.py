"""The command `stratabase`: parses the arguments and runs a command."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from stratabase import MODEL_LANGUAGE, __version__
from stratabase.core.features import FEATURES, CommandEntry
from stratabase.terminal.arguments import CommandParser, add_examples
from stratabase.terminal.command_error import INTERRUPTED, as_command_error
from stratabase.terminal.data_folder import release_data_folders
from stratabase.terminal.wrong_package import wrong_package

COMMANDS: Mapping[str, CommandEntry] = {
    name: command for feature in FEATURES for name, command in feature.commands.items()
}
"""The commands by their names."""


class CommandModule(Protocol):
    """The module of a command."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments of the command."""

    def run(self, options: argparse.Namespace) -> int:
        """Run the command and return its exit code. Raises CommandError for what the person can fix."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    0 for success, 1 for failure, 2 for wrong usage, 130 for an interruption by the user.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    chosen = next((argument for argument in arguments if argument in COMMANDS), None)
    try:
        options = parser_of(chosen).parse_args(arguments)
        try:
            return int(options.run(options))
        finally:
            release_data_folders()
    except KeyboardInterrupt:
        # The terminal shows ^C in the line of the cursor, maybe after a bar.
        end_of_line = "\n" if sys.stderr.isatty() else ""
        resumes = chosen is not None and COMMANDS[chosen].resumes
        advice = " To go on, run the same command again." if resumes else ""
        print(f"{end_of_line}Interrupted.{advice}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe, such as `head`. Python must not flush the output again at exit.
        sys.stdout = None
        return 0
    except Exception as error:
        explained = wrong_package(error) or as_command_error(error)
        if explained is None:
            raise
        print(explained, file=sys.stderr)
        return explained.exit_code


def parser_of(chosen: str | None) -> argparse.ArgumentParser:
    """Return the parser of all commands, with only the arguments of the chosen one.

    Only the module of the chosen command is imported, because the modules import much of the service.
    """
    parser = CommandParser("stratabase", description="A complete back end from one model file.")
    parser.add_argument(
        "--version",
        action=_PrintVersion,
        nargs=0,
        help="print the versions of Stratabase, the model language and the layouts of the stores",
    )
    add_examples(parser, "stratabase init my-app", "stratabase serve", "stratabase members --help")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=command.help, description=command.help)
        if name == chosen:
            module = cast("CommandModule", import_module(command.module))
            module.configure(subparser)
            subparser.set_defaults(run=module.run)
    return parser


class _PrintVersion(argparse.Action):
    """Prints the versions, and exits."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from stratabase.core.domain.store_mark import KNOWN_LAYOUTS  # noqa: PLC0415 - only this needs it

        layouts = ", ".join(f"{kind.value} {known.newest}" for kind, known in KNOWN_LAYOUTS.items())
        print(f"stratabase {__version__}\nmodel language {MODEL_LANGUAGE}\nstore layout: {layouts}")
        parser.exit()
