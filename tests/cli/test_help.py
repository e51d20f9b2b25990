"""The help of every command has an example that works, and shows every argument."""

import argparse
import re
import shlex
from collections.abc import Iterator

from stratabase.cli.main import COMMANDS, parser_of
from tests.rows import each_row


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a parser and those of its subcommands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from parsers(each)


def all_parsers() -> Iterator[argparse.ArgumentParser]:
    """Yield the parser of `stratabase`, and those of each command with all of its arguments."""
    yield parser_of(None)
    for name in COMMANDS:
        full = parser_of(name)
        yield from (each for each in parsers(full) if each.prog.startswith(f"{full.prog} {name}"))


ALL = {parser.prog: parser for parser in all_parsers()}


def examples(parser: argparse.ArgumentParser) -> list[str]:
    title, *lines = (parser.epilog or "").splitlines()
    assert title == ("examples:" if len(lines) > 1 else "example:")
    return [line.removeprefix("  ") for line in lines]


def test_all_parsers_are_found() -> None:
    assert {
        "stratabase",
        "stratabase serve",
        "stratabase members create",
        "stratabase model sdl",
    } <= ALL.keys()
    assert len(ALL) > 35


@each_row("prog", ALL)
def test_the_help_has_examples_that_the_command_accepts(prog: str) -> None:
    for example in examples(ALL[prog]):
        # Without what belongs to the shell: variables, `eval "$(…)"` and redirections.
        plain = example.removeprefix('eval "$(').removesuffix(')"').partition(" > ")[0]
        plain = re.sub(r"^(?:[A-Z_]+=\S+ )+", "", plain)
        assert f"{plain} ".startswith(f"{prog} ")
        _, *arguments = shlex.split(plain)
        if "--help" not in arguments:
            assert parser_of(arguments[0]).parse_args(arguments)


@each_row("prog", ALL)
def test_the_help_shows_and_explains_every_argument(prog: str) -> None:
    parser = ALL[prog]
    text = parser.format_help()
    assert parser.description
    for action in parser._actions:
        assert action.help is None or action.help != argparse.SUPPRESS
        shown = action.option_strings or [action.metavar if isinstance(action.metavar, str) else action.dest]
        assert all(each in text for each in shown)
        assert action.help or isinstance(action, argparse._SubParsersAction), (prog, action.dest)
