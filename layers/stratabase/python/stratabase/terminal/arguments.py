"""The arguments of a command, its subcommands, and the examples of its help.

The parser says what was probably meant by a wrong argument.
"""

import argparse
import shutil
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from stratabase.core.settings import variables
from stratabase.values.wording import nearest_word


def add_examples(parser: argparse.ArgumentParser, *commands: str) -> None:
    """Show command lines at the end of the help of a parser, each on a line of its own."""
    width = shutil.get_terminal_size().columns - 2
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    # This formatter keeps the lines of the description too, which is one long line.
    parser.description = textwrap.fill(parser.description or "", width)
    title = "examples:" if len(commands) > 1 else "example:"
    parser.epilog = "\n".join((title, *(f"  {command}" for command in commands)))


_PREFIX = "STRATABASE_"


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors name the usage of the command that got the wrong argument."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Return the options, or exit with 2. argparse leaves unknown arguments to the outermost parser."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self._refuse(unknown)
        return options, unknown

    def _refuse(self, unknown: Sequence[str]) -> NoReturn:
        options = [each for action in self._actions for each in action.option_strings]
        known = tuple(each for each in options if each.startswith("--"))
        hints = (_hint(each.partition("=")[0], known) for each in unknown if each.startswith("-"))
        self.error(". ".join((f"unrecognized arguments: {' '.join(unknown)}", *filter(None, hints))))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices of an argument, such as an unknown command."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            nearest = nearest_word(str(value), tuple(map(str, action.choices or ())))
            if nearest is None:
                raise
            raise argparse.ArgumentError(action, f"{error.message}. {_meant(nearest)}") from error


def _hint(option: str, known: tuple[str, ...]) -> str:
    """Return what to write instead of an unknown option, or an empty text."""
    name = option.lstrip("-").replace("-", "_").upper()
    settings = {variable.name for _, variable in variables()}
    for setting in (name, f"{_PREFIX}{name}"):
        if setting in settings:
            return f"This is a setting: set the environment variable {setting}."
    nearest = nearest_word(option, known) if len(name) > 1 else None
    return _meant(nearest) if nearest else ""


def _meant(word: str) -> str:
    return f"Did you mean {word}?"


Options = argparse.Namespace
"""The parsed arguments of a command."""
Argument = tuple[str, Mapping[str, Any]]
"""The name or flag of an argument, and the keyword arguments of argparse's `add_argument`."""


class Subcommand(NamedTuple):
    """What a subcommand does, its help text and its arguments."""

    run: Callable[..., Any]
    """The function of the subcommand. The command's `run` defines its parameters and result."""
    help_text: str
    arguments: tuple[Argument, ...] = ()
    example: str = ""
    """A command line that a person can adapt, for the help."""


def add_subcommands(parser: argparse.ArgumentParser, subcommands: Mapping[str, Subcommand]) -> None:
    """Add subcommands by name to a command's parser; `options.subcommand` is the `run` of the chosen one."""
    subparsers = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for name, subcommand in subcommands.items():
        subparser = subparsers.add_parser(name, help=subcommand.help_text, description=subcommand.help_text)
        subparser.set_defaults(subcommand=subcommand.run)
        for argument, options in subcommand.arguments:
            subparser.add_argument(argument, **options)
        add_examples(subparser, subcommand.example)
    add_examples(parser, *(each.example for each in subcommands.values()))
