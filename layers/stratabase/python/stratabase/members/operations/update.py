"""Change the fields of a member, by the member or by an administrator."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, partial
from typing import Any

from stratabase.core import waiting
from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated
from stratabase.core.model.model import Profile
from stratabase.core.operations.ports import Clock
from stratabase.members.fields import member_fields
from stratabase.members.member import (
    MailedLink,
    Member,
    MemberKind,
    NamesTaken,
    with_password,
    with_pending_email,
    without_pending_email,
)
from stratabase.members.operations.email_change import EmailChange
from stratabase.members.operations.fresh_sign_in import (
    StaleSignIn,
    require_fresh_sign_in,
    require_sign_in,
)
from stratabase.members.operations.rules import (
    ONLY_ADMINISTRATORS_CHANGE,
    FieldValues,
    check_administrator_remains,
    fields_of_persons,
    invalid_fields,
    normalized_fields,
    require_giver_of,
    require_self_or_administrator,
    retry_conflicts,
    set_fields,
    unknown_fields,
)
from stratabase.members.password import PasswordPolicy, normalize_password
from stratabase.members.ports import Members, Passwords
from stratabase.members.refusals import BadMember, FieldMistake, MemberTaken, NoSuchMember
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.messages import Message, _, and_list

PASSWORD = "password"  # noqa: S105 - it is the name of a field
"""A field that can be set and is never shown."""
CURRENT_PASSWORD = "currentPassword"  # noqa: S105 - it is the name of a field
"""The proof that a change of PROVEN_FIELDS is made by the caller, and not by somebody with the token."""
ID, PENDING_EMAIL = "id", "pendingEmail"
"""Fields that are shown, and may be sent back unchanged."""
EMAIL = "email"
PROVEN_FIELDS = (PASSWORD, EMAIL)
"""Fields that lead to the account: the password itself, and the address that gets links to set another one.

Members prove that they know their current password before they change their own. Administrators who change
those of others must have signed in lately, as must members without a password.
"""
VerifyPassword = Callable[[str, str, str], Caller]
"""Returns the caller with a username and a password. The third argument is the address of the request.

Raises Unauthenticated, which counts as a failed sign-in, TooManyFailures, Forbidden, Unavailable.
"""


class UpdateMember:
    """Changes fields of members: all fields of a request, or none.

    If members change their own e-mail address, they must confirm it (`EmailChange`). A change by an
    administrator takes effect at once. If members change their own PROVEN_FIELDS, administrators too, they
    must prove that they know the current password, because a token alone can be stolen.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is a service that it uses
        self,
        members: Members,
        passwords: Passwords,
        policy: PasswordPolicy,
        profiles: Mapping[str, Profile],
        emails: EmailChange,
        verify: VerifyPassword,
        clock: Clock,
        *,
        requires_current_password: bool = True,
        formats: Formats = DEFAULT_FORMATS,
    ) -> None:
        """Without `requires_current_password`, a fresh sign-in is enough to change the own PROVEN_FIELDS.

        `formats`: those of members who choose none.
        """
        self._members = members
        self._passwords = passwords
        self._policy = policy
        self._profiles = profiles
        self._emails = emails
        self._verify = verify
        self._clock = clock
        self._requires_current_password = requires_current_password
        self._fields = member_fields(profiles, formats)

    def __call__(
        self, caller: Caller, id_: str, values: FieldValues, base_url: str = "", address: str = ""
    ) -> Member:
        """Return the member as it is now. A field that has the present value is not a change.

        `base_url` is the base of the link that confirms a new address. `address` is the IP address of the
        request.

        Raises Forbidden, NoSuchMember, BadMember with all mistakes, MemberTaken, LastAdministrator,
        TooManyMails, RecipientRefused, ConfirmationNotSent, Unavailable. Raises StaleSignIn if a change of
        PROVEN_FIELDS needs a fresh sign-in. Raises Unauthenticated or TooManyFailures if the current password
        is wrong, or was wrong too often.
        """
        require_self_or_administrator(caller, id_, ONLY_ADMINISTRATORS_CHANGE)
        values = normalized_fields(values, self._fields)
        hashed = cache(partial(self._hashed, values))
        current = values.get(CURRENT_PASSWORD)

        # Verified at most once, however often the change is retried: each wrong password counts as a failure.
        @cache
        def proven(username: str) -> Caller:
            return self._verify(username, current or "", address)

        proves = proven if current else None
        links: list[MailedLink] = []

        def link(member: Member) -> MailedLink:
            # Send only one mail, however often the change is retried.
            if not links:
                links.append(self._emails.request(member, values[EMAIL], base_url))
            return links[0]

        after = retry_conflicts(lambda: self._round(caller, id_, values, hashed, link, proves))
        if links and after.confirmation == links[0]:
            self._emails.notify_requested(after)
        return after

    def _round(  # noqa: PLR0913, PLR0917 - what all rounds share
        self,
        caller: Caller,
        id_: str,
        values: FieldValues,
        hashed: Callable[[], str],
        link: Callable[[Member], MailedLink],
        proves: Callable[[str], Caller] | None,
    ) -> Member:
        before = self._members.by_id(id_)
        if before is None:
            raise NoSuchMember
        changes = {name: value for name, value in values.items() if self._is_change(before, name, value)}
        self._check_rights(caller, changes)
        mistakes = [*self._mistakes(before, changes), *self._unproven(caller, before, changes, proves)]
        if mistakes:
            raise BadMember(mistakes)
        if not changes.keys().isdisjoint(PROVEN_FIELDS):
            self._require_proof(caller, before, proves)
        # Members must confirm an address that they set themselves. Administrators set addresses at once.
        needs_confirmation = EMAIL in changes and not caller.administrator
        immediate = {
            name: value for name, value in changes.items() if name != EMAIL or not needs_confirmation
        }
        after = set_fields(before, immediate, self._fields)
        if PASSWORD in changes:
            after = with_password(after, hashed())
        if needs_confirmation:
            after = with_pending_email(after, changes[EMAIL], link(before))
        elif before.pending_email is not None and _cancels_pending_email(values, changes):
            after = without_pending_email(after)
        if after != before:
            self._commit(before, after)
        return after

    def _unproven(
        self,
        caller: Caller,
        before: Member,
        changes: FieldValues,
        proves: Callable[[str], Caller] | None,
    ) -> Iterator[FieldMistake]:
        """Yield a mistake if a member's change of the own PROVEN_FIELDS lacks the current password."""
        if caller.id != before.id or before.password is None or not self._requires_current_password:
            return
        if changes.keys().isdisjoint(PROVEN_FIELDS):
            return
        # HTTP Basic has the current password, unless it was changed since it was verified.
        has_basic = isinstance(caller.proof, SentPassword) and caller.generation == before.generation
        if not has_basic and proves is None:
            message = _(
                'To change your own password or email address, send your current password as "{field}".',
                field=CURRENT_PASSWORD,
            )
            yield FieldMistake(CURRENT_PASSWORD, message)

    def _require_proof(self, caller: Caller, before: Member, proves: Callable[[str], Caller] | None) -> None:
        """Raise StaleSignIn or Unauthenticated unless it is the caller who changes PROVEN_FIELDS of a member.

        The current password proves it, or a fresh sign-in.
        """
        if caller.id == before.id and proves is not None:
            _check_current_password(before.username, before.id, before.generation, proves)
            return
        try:
            require_fresh_sign_in(caller, self._clock)
        except StaleSignIn:
            if proves is None:
                raise
            _check_current_password(caller.username, caller.id, caller.generation, proves)

    def _is_change(self, before: Member, name: str, value: Any) -> bool:
        if name == CURRENT_PASSWORD:
            return False
        if name == ID:
            return bool(value != before.id)
        if name == PENDING_EMAIL:
            return (value or None) != before.pending_email
        field = self._fields.get(name)
        return field is None or field.normalized(field.get(before)) != value

    def _check_rights(self, caller: Caller, changes: FieldValues) -> None:
        reserved = [
            name for name, field in self._fields.items() if field.administrators_only and name in changes
        ]
        if reserved and not caller.administrator:
            message = _(
                "Only administrators can change {fields}. This also applies to your own account.",
                fields=and_list(reserved),
            )
            raise Forbidden(message)
        require_giver_of(changes.get("profile"), caller, self._profiles)
        if not changes.keys().isdisjoint(PROVEN_FIELDS):
            require_sign_in(caller)

    def _mistakes(self, before: Member, changes: FieldValues) -> Iterator[FieldMistake]:
        yield from unknown_fields(changes, (ID, *self._fields, PENDING_EMAIL, PASSWORD))
        if ID in changes:
            message = _('"id" can\'t be changed. Use the ID of the member, or remove the field.')
            yield FieldMistake(ID, message)
        for name, field in self._fields.items():
            if field.fixed and name in changes:
                message = _('"{field}" can\'t be changed. Create another member instead.', field=name)
                yield FieldMistake(name, message)
        if before.kind is MemberKind.PROGRAM:
            yield from self._mistakes_of_program(changes)
            return
        yield from invalid_fields(changes, self._fields)
        if changes.get(PENDING_EMAIL):
            message = _('"pendingEmail" can\'t be changed. Set "email" to the new address instead.')
            yield FieldMistake(PENDING_EMAIL, message)
        if PASSWORD in changes:
            names = (changes.get("username", before.username), changes.get(EMAIL, before.email), before.email)
            messages = self._weaknesses(changes[PASSWORD], [name for name in names if isinstance(name, str)])
            yield from (FieldMistake(PASSWORD, message) for message in messages)

    def _mistakes_of_program(self, changes: FieldValues) -> Iterator[FieldMistake]:
        """Yield the mistakes in changes of a program, which has neither an email address nor a password."""
        fields = {name: field for name, field in self._fields.items() if not field.persons_only}
        yield from fields_of_persons(changes, self._fields)
        yield from invalid_fields(changes, fields)
        if PASSWORD in changes:
            yield FieldMistake(PASSWORD, _('"password": a program has none. Make an API key for it.'))

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

    def _hashed(self, values: FieldValues) -> str:
        return waiting.offload(self._passwords.hash, normalize_password(values[PASSWORD]))


def _check_current_password(
    username: str, id_: str, generation: int, proves: Callable[[str], Caller]
) -> None:
    """Raise Unauthenticated unless the current password of a member was sent."""
    try:
        caller = proves(username)
    except Unauthenticated as refusal:
        raise Unauthenticated(_("The current password is incorrect.")) from refusal
    if (caller.id, caller.generation) != (id_, generation):
        raise Unauthenticated(_("The current password is incorrect."))


def _cancels_pending_email(values: FieldValues, changes: FieldValues) -> bool:
    """Return whether a change cancels a pending e-mail address.

    It does if it sets `pendingEmail` to null, or if it has the present `email` without `pendingEmail`. With
    both fields, a client sends back what it has read.
    """
    if PENDING_EMAIL in values:
        return PENDING_EMAIL in changes
    return EMAIL in values
