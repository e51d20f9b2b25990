"""Exports members, and imports them: without what lets somebody sign in, unless it is wanted.

Links to set a password and new addresses that are not confirmed are never exported. They end with the move.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

from stratabase.core.model.model import Profile
from stratabase.members.member import Member, NamesTaken, fold_name
from stratabase.members.ports import Members
from stratabase.transfer.format import (
    MEMBERS,
    ExportedFile,
    Line,
    LineWriter,
    ReportDone,
    read_lines,
    text_field,
)
from stratabase.values.formats.preferences import Formats

_PASSWORD = "password"  # noqa: S105 - the name of a field
_FIELDS = ("id", "username", "email", "profile", "notes", "formats", "disabled", "generation")


def export_members(
    folder: Path, members: Members, *, with_password_hashes: bool, report: ReportDone
) -> dict[str, ExportedFile]:
    """Write all members to a folder in the order of their IDs, and return the entries of the manifest."""
    names = (*_FIELDS, _PASSWORD) if with_password_hashes else _FIELDS
    with LineWriter(folder, MEMBERS) as writer:
        for member in sorted(chain.from_iterable(members.batches()), key=lambda member: member.id):
            fields = asdict(member)
            writer.write({name: fields[name] for name in names})
            report(1)
        return writer.finish()


class MemberImport:
    """The members of an export."""

    def __init__(self, folder: Path, profiles: Mapping[str, Profile]) -> None:
        """`profiles`: those of the model."""
        self._folder = folder
        self._profiles = profiles

    def check(self, open_members: Callable[[], Members]) -> None:
        """Raise InvalidExport for the first member that can't be added.

        `open_members`: opens the members of the instance, if the export has members.
        """
        exported = {member.id for member in self.members()}
        for line, member in self._members():
            members = open_members()
            if members.by_id(member.id) is not None:
                continue
            same_name, same_address = members.by_username(member.username), members.by_email(member.email)
            # An interrupted import can have added a member who has the address in another spelling.
            if same_address is not None and same_address.id in exported:
                is_spelled_alike = fold_name(same_address.email) == fold_name(member.email)
                same_address = same_address if is_spelled_alike else None
            if same_name is not None or same_address is not None:
                raise line.refuse(
                    f"Another member has the username {member.username!r} or the email address "
                    f"{member.email!r}. Import into an instance that has not served yet, or delete "
                    "that member."
                )

    def members(self) -> Iterator[Member]:
        """Yield the members of the export. Raises InvalidExport."""
        return (member for _line, member in self._members())

    def run(self, open_members: Callable[[], Members], report: ReportDone) -> int:
        """Add all members that do not exist yet, and return their number.

        Two of them can have one email address in two spellings, if they had it in the exported instance.
        Raises InvalidExport, Unavailable.
        """
        added = 0
        for line, member in self._members():
            members = open_members()
            if members.by_id(member.id) is None:
                try:
                    members.add(member, is_moved=True)
                except NamesTaken as error:
                    taken = " and ".join(error.fields)
                    raise line.refuse(f"Another member has the same {taken}.") from error
                added += 1
            report(1)
        return added

    def _members(self) -> Iterator[tuple[Line, Member]]:
        for line in read_lines(self._folder, MEMBERS):
            yield line, self._member(line)

    def _member(self, line: Line) -> Member:
        record: dict[str, Any] = line.record
        if unknown := record.keys() - {*_FIELDS, _PASSWORD}:
            raise line.refuse(f"The field {min(unknown)!r} is unknown. Use: {', '.join(_FIELDS)}.")
        texts: dict[str, Any] = {
            name: text_field(line, name) for name in ("id", "username", "email", "profile")
        }
        if texts["profile"] not in self._profiles:
            raise line.refuse(
                f"The model has no profile {texts['profile']!r}. It has: {', '.join(self._profiles)}."
            )
        try:
            formats = Formats(**record["formats"])
        except (KeyError, TypeError):
            raise line.refuse('"formats" must be the formats of a member.') from None
        disabled, generation = record.get("disabled", False), record.get("generation", 0)
        notes, password = record.get("notes"), record.get(_PASSWORD)
        if not isinstance(disabled, bool) or not isinstance(generation, int):
            raise line.refuse('"disabled" must be true or false, and "generation" a whole number.')
        if not all(each is None or isinstance(each, str) for each in (notes, password)):
            raise line.refuse('"notes" and "password" must be texts or null.')
        return Member(
            **texts,
            notes=notes,
            formats=formats,
            password=password,
            disabled=disabled,
            generation=generation,
        )
