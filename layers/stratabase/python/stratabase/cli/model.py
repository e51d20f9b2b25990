"""`stratabase model`: checks a model, prints what is generated from it, and adapts stored data to it."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from stratabase.cli.model_explain import EXPLAIN_ARGUMENTS, EXPLAIN_HELP, explain_page
from stratabase.core.app.platform import open_engine, platform_of
from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.model import prepared
from stratabase.core.model.language import language_text
from stratabase.core.model.model import Model
from stratabase.core.model.reading import InvalidModel, lint_model_file, read_model_file
from stratabase.core.model.users import with_users
from stratabase.core.schema.executor import ProfileSchemas, print_sdl
from stratabase.core.schema.generate import NothingServed, generate_schema
from stratabase.core.schema.prepared_documents import prepare_documents, prepared_documents_file
from stratabase.core.store.read.required_values import MissingValues, RequiredValues
from stratabase.core.unusable_store import UnusableStore
from stratabase.evolution.commands.backfill.convert import convert
from stratabase.evolution.commands.backfill.drop import drop
from stratabase.evolution.commands.model_diff import DIFF_ARGUMENTS, DIFF_HELP, run_diff
from stratabase.terminal.arguments import Argument, Options, Subcommand, add_subcommands
from stratabase.terminal.command_error import FAILED, CommandError
from stratabase.terminal.confirm import YES
from stratabase.terminal.progress import ProgressBar
from stratabase.terminal.settings import read_settings, require_store


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands."""
    add_subcommands(parser, _SUBCOMMANDS)


def run(options: Options) -> int:
    """Run the subcommand."""
    return int(options.subcommand(options))


def _check(options: Options) -> int:
    """Print the errors of the model, or "ok" and its warnings.

    With `--data`, also print how many stored objects lack required values.
    """

    def warn(model: Model) -> str:
        for warning in lint_model_file(_model_file(options)):
            print(f"Warning: {warning}", file=sys.stderr)
        return "".join(("ok\n", *_missing_value_lines(model))) if options.data else "ok\n"

    return _print_for_model(options, warn)


def _missing_value_lines(model: Model) -> Iterator[str]:
    """Yield a line for each required attribute and role that stored objects lack. Raises CommandError."""
    settings = read_settings()
    require_store(settings)
    try:
        engine = open_engine(platform_of(settings))
        bar = ProgressBar("Required values", 0)
        missing = [*RequiredValues(engine, model, platform_of(settings).parallel_map, bar).missing_values()]
        bar.clear()
        engine.close()
    except (UnusableStore, Unavailable) as error:
        raise CommandError(str(error)) from error
    yield from map(_missing_value_line, missing)
    if not missing:
        yield "All stored objects have the values that the model requires.\n"


def _missing_value_line(values: MissingValues) -> str:
    return (
        f"{values.class_name}.{values.name} is required, but it is empty in {values.missing:,} of "
        f"{values.total:,} {values.class_name} objects.\n"
    )


def _print_directives(_options: Options) -> int:
    """Print the definitions of the directives of the model language, for editors."""
    print(language_text(), end="")
    return 0


def _print_sdl(options: Options) -> int:
    """Print the GraphQL schema of the model, or what a profile may use of it."""

    def sdl(model: Model) -> str:
        profile = options.profile
        if profile is not None and profile not in model.profiles:
            raise CommandError(
                f'The profile "{profile}" does not exist. Use one of: {", ".join(model.profiles)}.'
            )
        served = with_users(model)
        return print_sdl(ProfileSchemas(served, generate_schema(served)).of(profile).load())

    try:
        return _print_for_model(options, sdl)
    except (NothingServed, Refused) as error:
        raise CommandError(str(error)) from error


def _prepare(options: Options) -> int:
    """Write the prepared model, which loads fast. It becomes invalid when the model file changes."""
    file: Path = options.file
    output = options.output or prepared.prepared_file(file)

    def write(model: Model) -> str:
        text = file.read_bytes()
        output.write_bytes(prepared.prepare(model, text))
        documents = output.parent / prepared_documents_file(file).name
        prepare_documents(documents, model, text)
        return f"{output}\n{documents}\n"

    try:
        return _print_for_model(options, write)
    except NothingServed as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"Writing {output} failed: {error.strerror}.") from error


def _explain(options: Options) -> int:
    """Print the candidate plans of a page query, the chosen one first, and what it costs in the store."""
    return _print_for_model(options, lambda model: explain_page(model, options))


_FILE_HELP = "a model file; the default is the model in the settings"
_FILE: Argument = ("file", {"nargs": "?", "type": Path, "help": _FILE_HELP})
_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "check": Subcommand(
        _check,
        "print the errors and warnings of a model, or ok",
        (
            _FILE,
            (
                "--data",
                {
                    "action": "store_true",
                    "help": "count the stored objects that lack required values",
                },
            ),
        ),
        example="stratabase model check --data",
    ),
    "convert": Subcommand(
        convert,
        "convert stored values to the types and defaults of the model",
        (
            (
                "name",
                {
                    "metavar": "CLASS[.attribute]",
                    "nargs": "?",
                    "help": "the class or attribute to convert; the default is everything",
                },
            ),
            YES,
            (
                "--report",
                {"metavar": "FILE", "type": Path, "help": "a CSV file for the values that are not converted"},
            ),
        ),
        example="stratabase model convert Employee.salary --report values.csv",
    ),
    "diff": Subcommand(run_diff, DIFF_HELP, DIFF_ARGUMENTS, example="stratabase model diff --data"),
    "directives": Subcommand(
        _print_directives,
        "print the directives of the model language, for editors",
        example="stratabase model directives > directives.graphql",
    ),
    "drop": Subcommand(
        drop,
        "erase what is stored under a name that the model no longer has, in all versions, for good",
        (
            (
                "name",
                {"metavar": "NAME", "help": "such as Employee.nickname, Employee.team, Team or Status.OLD"},
            ),
            YES,
            (
                "--unlisted",
                {
                    "action": "store_true",
                    "help": "accept a name that was removed before Stratabase kept a catalog of names",
                },
            ),
            (
                "--no-vacuum",
                {"action": "store_true", "help": "do not rebuild the SQLite file to clear its free space"},
            ),
        ),
        example="stratabase model drop Employee.nickname",
    ),
    "explain": Subcommand(
        _explain,
        EXPLAIN_HELP,
        (*EXPLAIN_ARGUMENTS, ("--model", {"dest": "file", "type": Path, "help": _FILE_HELP})),
        example='stratabase model explain Employee \'{"orderBy": ["last_name___ASC"], "next": 10}\'',
    ),
    "prepare": Subcommand(
        _prepare,
        "write the prepared model that deployed functions load",
        (
            ("file", {"type": Path, "help": "the model file"}),
            (
                "output",
                {"nargs": "?", "type": Path, "help": "the output file; the default is next to the model"},
            ),
        ),
        example="stratabase model prepare model.graphql",
    ),
    "sdl": Subcommand(
        _print_sdl,
        "print the GraphQL schema that is generated from a model",
        (
            _FILE,
            (
                "--profile",
                {"metavar": "PROFILE", "help": "print only what members with this profile may use"},
            ),
        ),
        example="stratabase model sdl --profile Member",
    ),
}


def _model_file(options: Options) -> Path:
    return options.file or read_settings().model


def _print_for_model(options: Options, text: Callable[[Model], str]) -> int:
    """Read the model that the options name, and print `text(model)` or the errors. Return the exit code."""
    try:
        model = read_model_file(_model_file(options))
    except InvalidModel as mistakes:
        print(mistakes, file=sys.stderr)
        return FAILED
    print(text(model), end="")
    return 0
