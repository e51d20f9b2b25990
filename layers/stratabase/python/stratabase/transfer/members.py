"""Exports members, and imports them: without what lets somebody sign in, unless it is wanted.

Passwords and API keys are exported as hashes, if it is wanted. Links to set a password, new addresses that
are not confirmed, sessions, and codes are never exported. They end with the move. A link to an account at an
identity provider is no secret: it stays.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from stratabase.core.model.model import Profile
from stratabase.members.credentials import ApiKey, ProviderLink
from stratabase.members.member import Member, MemberKind, NamesTaken, fold_name
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

T = TypeVar("T", ApiKey, ProviderLink)
_PASSWORD = "password"  # noqa: S105 - the name of a field
_FIELDS = ("id", "username", "email", "profile", "notes", "formats", "disabled", "generation")
_KIND, _KEYS, _LINKS = "kind", "keys", "links"
"""The fields that an export has only if they have a value. So earlier versions can import most exports."""


def export_members(
    folder: Path, members: Members, *, with_password_hashes: bool, report: ReportDone
) -> dict[str, ExportedFile]:
    """Write all members to a folder in the order of their IDs, and return the entries of the manifest."""
    names = (*_FIELDS, _PASSWORD) if with_password_hashes else _FIELDS
    with LineWriter(folder, MEMBERS) as writer:
        for member in sorted(chain.from_iterable(members.batches()), key=lambda member: member.id):
            values = asdict(member)
            writer.write({name: values[name] for name in names} | _optional(member, with_password_hashes))
            report(1)
        return writer.finish()


def _optional(member: Member, with_hashes: bool) -> dict[str, Any]:  # noqa: FBT001 - as in `export_members`
    """Return the fields of a member that an export has only if they have a value."""
    kind = None if member.kind is MemberKind.PERSON else member.kind.value
    keys = [asdict(key) for key in member.keys if with_hashes]
    optional = {_KIND: kind, _KEYS: keys, _LINKS: [asdict(link) for link in member.links]}
    return {name: value for name, value in optional.items() if value}


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
            if any(members.by_link(link.issuer, link.subject) for link in member.links):
                raise line.refuse(
                    f"Another member is linked to an account of the member {member.username!r} at an "
                    "identity provider. Import into an instance that has not served yet, or delete that "
                    "member."
                )
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
        if unknown := record.keys() - {*_FIELDS, _PASSWORD, _KIND, _KEYS, _LINKS}:
            raise line.refuse(f"The field {min(unknown)!r} is unknown. Use: {', '.join(_FIELDS)}.")
        texts: dict[str, Any] = {name: text_field(line, name) for name in ("id", "username", "profile")}
        kind = _kind(line)
        texts["email"] = text_field(line, "email") if kind is MemberKind.PERSON else ""
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
            kind=kind,
            keys=tuple(replace(key, networks=tuple(key.networks)) for key in _listed(line, _KEYS, ApiKey)),
            links=_listed(line, _LINKS, ProviderLink),
            notes=notes,
            formats=formats,
            password=password,
            disabled=disabled,
            generation=generation,
        )


def _kind(line: Line) -> MemberKind:
    kind = line.record.get(_KIND, MemberKind.PERSON.value)
    try:
        return MemberKind(kind)
    except ValueError:
        known = " or ".join(f'"{each.value}"' for each in MemberKind)
        raise line.refuse(f'"{_KIND}" must be {known}.') from None


def _listed(line: Line, name: str, class_: type[T]) -> tuple[T, ...]:
    """Return the elements of a list in a line, which are of a class of credentials."""
    try:
        listed = tuple(class_(**each) for each in line.record.get(name, ()))
    except TypeError:
        listed = ()
        is_good = False
    else:
        is_good = all(_is_value(each.name, getattr(one, each.name)) for one in listed for each in fields(one))
    if not is_good:
        raise line.refuse(f'"{name}" must be the {name} of a member, as an export has them.')
    return listed


def _is_value(name: str, value: object) -> bool:
    """Return whether a field of a credential can have a value."""
    if name == "networks":
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if name in {"until", "profile"} and value is None:
        return True
    return type(value) is (int if name in {"since", "until"} else str)
