"""`stratabase audit`: writes the audit trail to a CSV file."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from stratabase.core.app.app import App
from stratabase.core.domain.caller import CONSOLE
from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.model.reading import InvalidModel
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.app.member_services import MemberServices
from stratabase.members.endpoints.audit import AUDIT_ENTRY, render_entry
from stratabase.terminal.arguments import add_examples
from stratabase.terminal.command_error import CommandError, text_with_cause
from stratabase.terminal.progress import ProgressBar
from stratabase.terminal.settings import read_settings, require_store
from stratabase.transfer.client.csv_options import add_file_options, delimiter, known_encoding, writing
from stratabase.transfer.csv.cells import with_quote
from stratabase.transfer.csv.csv_export import write_file
from stratabase.values.wording import pluralize

_COLUMNS = tuple(AUDIT_ENTRY.fields)
"""The columns of the file: the fields that the address of the service shows, too."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("target", metavar="FILE", type=Path, help="the CSV file to write")
    parser.add_argument(
        "--member",
        metavar="NAME",
        help="only entries about a member: the username, or the ID of a deleted one",
    )
    add_file_options(parser)
    add_examples(
        parser, "stratabase audit trail.csv", "stratabase audit rosa.csv --member rosa --encoding utf-8-sig"
    )


def run(options: argparse.Namespace) -> int:
    """Write the file, and print how many rows it has."""
    settings = read_settings()
    require_store(settings)
    if options.target.exists():
        raise CommandError(f"{options.target} exists already. Choose another file, or delete this one.")
    separator, encoding = delimiter(options) or ",", known_encoding(options.encoding or "utf-8")
    instance = App(settings)
    bar = ProgressBar(f"Writing {options.target.name}", 0)
    try:
        rows = _rows(instance, None if options.member is None else _member_id(instance, options.member))
        with writing(options.target, encoding):
            number = write_file(
                options.target, _COLUMNS, rows, encoding=encoding, delimiter=separator, progress=bar
            )
    except (InvalidModel, UnusableStore, Refusal) as error:
        raise CommandError(text_with_cause(error)) from error
    finally:
        bar.clear()
        instance.close()
    print(f"{options.target}: {pluralize(number, 'row')}.")
    return 0


def _member_id(instance: App, name: str) -> str:
    """Return the ID of a member. Raises CommandError."""
    member = instance.part(AuthServices).members.by_username(name)
    if member is not None:
        return member.id
    if id_timestamp(name) is not None:
        return name
    raise CommandError(f'Member "{name}" does not exist. To list all members, run `stratabase members list`.')


def _rows(instance: App, member: str | None) -> Iterator[list[str]]:
    """Yield the rows below the header, newest first."""
    read, after = instance.part(MemberServices).read_audit_trail, None
    while True:
        page, usernames = read(CONSOLE, after, member=member)
        for entry in page.entries:
            fields = render_entry(entry, usernames)
            texts = (str(fields.get(column, "")) for column in _COLUMNS)
            yield [with_quote(text) if text else "" for text in texts]
        after = page.next
        if after is None:
            return
