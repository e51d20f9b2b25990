"""Changes the fields of a member, for the member or for an administrator."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, partial
from typing import Any

from stratabase import waiting
from stratabase.domain.issues.refusals import Forbidden
from stratabase.domain.members.fields import member_fields
from stratabase.domain.members.member import (
    Caller,
    MailedLink,
    Member,
    NamesTaken,
    with_password,
    with_pending_email,
    without_pending_email,
)
from stratabase.domain.members.password import PasswordPolicy, normalize_password
from stratabase.domain.members.refusals import BadMember, FieldMistake, MemberTaken, NoSuchMember
from stratabase.messages import Message, _, and_list
from stratabase.model.model import Profile
from stratabase.operations.members.email_change import EmailChange
from stratabase.operations.members.rules import (
    ONLY_ADMINISTRATORS_CHANGE,
    FieldValues,
    check_administrator_remains,
    invalid_fields,
    require_self_or_administrator,
    retry_conflicts,
    set_fields,
    unknown_fields,
)
from stratabase.operations.ports import Members, Passwords

PASSWORD = "password"  # noqa: S105 - it is the name of a field
"""The one field that is given and never shown."""
ID, PENDING_EMAIL = "id", "pendingEmail"
"""Fields that are shown, and may be given back as they are."""
EMAIL = "email"


class UpdateMember:
    """Changes members: any fields, all of them or none.

    The e-mail address that members give themselves waits for proof (`EmailChange`); an administrator's takes
    effect at once.
    """

    def __init__(
        self,
        members: Members,
        passwords: Passwords,
        policy: PasswordPolicy,
        profiles: Mapping[str, Profile],
        emails: EmailChange,
    ) -> None:
        self._members = members
        self._passwords = passwords
        self._policy = policy
        self._profiles = profiles
        self._emails = emails
        self._fields = member_fields(profiles)

    def __call__(self, caller: Caller, id_: str, given: FieldValues, base_url: str = "") -> Member:
        """Return the member as it is now; what is given as it was before is no change.

        A link to confirm an address is one below `base_url`.

        Raises Forbidden, NoSuchMember, BadMember with all mistakes, MemberTaken, LastAdministrator,
        TooManyMails, ConfirmationNotSent, Unavailable.
        """
        require_self_or_administrator(caller, id_, ONLY_ADMINISTRATORS_CHANGE)
        hashed = cache(partial(self._hashed, given))
        links: list[MailedLink] = []

        def link(member: Member) -> MailedLink:
            # One mail, however often another change comes between.
            if not links:
                links.append(self._emails.request(member, given[EMAIL], base_url))
            return links[0]

        after = retry_conflicts(lambda: self._round(caller, id_, given, hashed, link))
        if links and after.confirmation == links[0]:
            self._emails.tell_requested(after)
        return after

    def _round(
        self,
        caller: Caller,
        id_: str,
        given: FieldValues,
        hashed: Callable[[], str],
        link: Callable[[Member], MailedLink],
    ) -> Member:
        before = self._members.by_id(id_)
        if before is None:
            raise NoSuchMember
        new = {name: value for name, value in given.items() if self._is_new(before, name, value)}
        self._check_rights(caller, new)
        wrong = [*self._mistakes(before, new)]
        if wrong:
            raise BadMember(wrong)
        waits = EMAIL in new and not caller.administrator
        at_once = {name: value for name, value in new.items() if name != EMAIL or not waits}
        after = set_fields(before, at_once, self._fields)
        if PASSWORD in new:
            after = with_password(after, hashed())
        if waits:
            after = with_pending_email(after, new[EMAIL], link(before))
        elif before.pending_email is not None and _cancels(given, new):
            after = without_pending_email(after)
        if after != before:
            self._commit(before, after)
        return after

    def _is_new(self, before: Member, name: str, value: Any) -> bool:
        if name == ID:
            return bool(value != before.id)
        if name == PENDING_EMAIL:
            return (value or None) != before.pending_email
        field = self._fields.get(name)
        return field is None or field.get(before) != value

    def _check_rights(self, caller: Caller, new: FieldValues) -> None:
        reserved = [name for name, field in self._fields.items() if field.administrators_only and name in new]
        if reserved and not caller.administrator:
            message = _(
                "Only administrators can change {fields}. This also applies to your own account.",
                fields=and_list(reserved),
            )
            raise Forbidden(message)

    def _mistakes(self, before: Member, new: FieldValues) -> Iterator[FieldMistake]:
        yield from unknown_fields(new, (ID, *self._fields, PENDING_EMAIL, PASSWORD))
        if ID in new:
            message = _('"id" can\'t be changed. Use the ID of the member, or remove the field.')
            yield FieldMistake(ID, message)
        yield from invalid_fields(new, self._fields)
        if new.get(PENDING_EMAIL):
            message = _('"pendingEmail" can\'t be changed. Set "email" to the new address instead.')
            yield FieldMistake(PENDING_EMAIL, message)
        if PASSWORD in new:
            names = (new.get("username", before.username), new.get(EMAIL, before.email), before.email)
            messages = self._weaknesses(new[PASSWORD], [name for name in names if isinstance(name, str)])
            yield from (FieldMistake(PASSWORD, message) for message in messages)

    def _weaknesses(self, password: Any, names: Collection[str]) -> Iterator[Message]:
        if not isinstance(password, str):
            yield _('"{field}" must be {expected}.', field=PASSWORD, expected=_("a string"))
            return
        for weakness in self._policy.weaknesses(password, names):
            yield self._policy.advice(weakness)

    def _commit(self, before: Member, after: Member) -> None:
        roster = check_administrator_remains(self._members, self._profiles, before, after)
        try:
            self._members.change(before, after, roster)
        except NamesTaken as taken:
            raise MemberTaken(taken.fields) from None

    def _hashed(self, given: FieldValues) -> str:
        return waiting.offload(self._passwords.hash, normalize_password(given[PASSWORD]))


def _cancels(given: FieldValues, new: FieldValues) -> bool:
    """Return whether a change ends that an address waits to be confirmed.

    The present address does, alone: beside the pending one it is what was read, given back. So does null in
    place of the pending one.
    """
    if PENDING_EMAIL in given:
        return PENDING_EMAIL in new
    return EMAIL in given
