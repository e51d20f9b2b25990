"""`stratabase model`: checks and shows the model."""

import argparse
import sys
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from cli.fault import BROKEN, Fault
from cli.server import configuration

if TYPE_CHECKING:
    from stratabase.model.model import Model

_ANOTHER = "another model than the one that is served"
HELP = "check the model, or show what belongs to it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what it can do with the model."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for name, (action, about) in ACTIONS.items():
        subparser = actions.add_parser(name, help=about, description=about)
        subparser.set_defaults(action=action)
        _ARGUMENTS.get(action, _file)(subparser)


def _file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, help=_ANOTHER)


def _checked(parser: argparse.ArgumentParser) -> None:
    _file(parser)
    parser.add_argument(
        "--data", action="store_true", help="count the stored objects that lack what the model requires"
    )


def _files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="the model")
    parser.add_argument("output", nargs="?", type=Path, help="where it goes, if not beside the model")


def _page(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("class_name", metavar="CLASS", help="the class of whose objects a page is asked for")
    parser.add_argument(
        "page_options", metavar="OPTIONS", nargs="?", default="{}", help="the options of getPage, as JSON"
    )
    parser.add_argument("--total-count", action="store_true", help="the page's totalCount is selected too")
    parser.add_argument("--model", dest="file", type=Path, help=_ANOTHER)


def run(options: argparse.Namespace) -> int:
    """Do one of the actions."""
    return int(options.action(options))


def check(options: argparse.Namespace) -> int:
    """Print the model's mistakes, or "ok", and what somebody should look at.

    With `--data`, print how many stored objects lack what the model requires, too.
    """
    from stratabase.model.reading import lint_model_file  # noqa: PLC0415 - it takes a while

    def warned(model: "Model") -> str:
        for warning in lint_model_file(_model_file(options)):
            print(f"Warning: {warning}", file=sys.stderr)
        return "".join(("ok\n", *_missing_values(model))) if options.data else "ok\n"

    return _with_model(options, warned)


def _missing_values(model: "Model") -> Iterator[str]:
    from cli.data import missing_values  # noqa: PLC0415 - only where the store is opened

    return missing_values(model)


def sdl(options: argparse.Namespace) -> int:
    """Print the GraphQL schema that is generated from the model."""
    from graphql import print_schema  # noqa: PLC0415 - the other commands need no schema

    from stratabase.schema.generate import NothingServed, generate_schema  # noqa: PLC0415

    try:
        return _with_model(options, lambda model: print_schema(generate_schema(model)) + "\n")
    except NothingServed as error:
        raise Fault(str(error)) from error


def directives(_options: argparse.Namespace) -> int:
    """Print the definitions of the model language's directives, which editors read."""
    print(resources.files("stratabase.model").joinpath("directives.graphql").read_text("utf-8"), end="")
    return 0


def prepare(options: argparse.Namespace) -> int:
    """Write the model as a start reads it fastest; a change of the model's text makes that void."""
    from stratabase.model import prepared  # noqa: PLC0415 - the other commands need none of it

    file: Path = options.file
    content = options.output or prepared.prepared_file(file)

    def write(model: "Model") -> str:
        content.write_bytes(prepared.prepare(model, file.read_bytes()))
        return f"{content}\n"

    try:
        return _with_model(options, write)
    except OSError as error:
        raise Fault(f"{content} cannot be written ({error.strerror}).") from error


def explain(options: argparse.Namespace) -> int:
    """Print the ways to find a page, the one that the service goes first."""
    from cli.planning import explanation  # noqa: PLC0415 - the other commands need no planner

    asked = options.class_name, options.page_options
    return _with_model(options, lambda model: explanation(model, *asked, total_count=options.total_count))


ACTIONS: dict[str, tuple[Callable[[argparse.Namespace], int], str]] = {
    "check": (check, "print the mistakes of a model, or ok, and what to look at"),
    "directives": (directives, "print the directives that a model may use, for editors"),
    "explain": (explain, "print how a page is found, and what that costs"),
    "prepare": (prepare, "write what a deployed function reads in place of the model's text"),
    "sdl": (sdl, "print the GraphQL schema that is generated from a model"),
}

_ARGUMENTS: dict[Callable[[argparse.Namespace], int], Callable[[argparse.ArgumentParser], None]] = {
    check: _checked,
    directives: lambda _: None,
    explain: _page,
    prepare: _files,
}
"""What the actions are given, where it is not a model's file alone."""


def _model_file(options: argparse.Namespace) -> Path:
    return options.file or configuration.read_settings().model


def _with_model(options: argparse.Namespace, show: "Callable[[Model], str]") -> int:
    from stratabase.model.reading import InvalidModel, read_model_file  # noqa: PLC0415 - it takes a while

    try:
        model = read_model_file(_model_file(options))
    except InvalidModel as mistakes:
        print(mistakes, file=sys.stderr)
        return BROKEN
    print(show(model), end="")
    return 0
