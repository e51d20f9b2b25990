"""The subcommands of a command, such as `list` and `rotate` of `stratabase keys`, as a table."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from stratabase.terminal.examples import add_examples

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
