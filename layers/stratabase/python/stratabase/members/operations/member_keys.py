"""List, make and end the API keys of members."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from ipaddress import IPv6Network, ip_network
from typing import Any, NamedTuple

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated
from stratabase.core.domain.objects.instant import Instant, format_instant, parse_instant
from stratabase.core.model.model import Profile, lies_within
from stratabase.core.operations.ports import Clock, Ids
from stratabase.members.api_keys import MAX_KEYS, TooManyKeys, find_key, with_key, without_key
from stratabase.members.credentials import ApiKey
from stratabase.members.fields import invisible_character, stray_character
from stratabase.members.key_text import key_hash, new_key_text
from stratabase.members.member import Member, MemberKind, fold_name
from stratabase.members.operations.fresh_sign_in import require_fresh_sign_in, require_sign_in
from stratabase.members.operations.rules import FieldValues, require_self_or_administrator, retry_conflicts
from stratabase.members.operations.update import CURRENT_PASSWORD, VerifyPassword
from stratabase.members.ports import AuditTrail, Members
from stratabase.members.refusals import BadMember, FieldMistake, KeyRefused, NoSuchKey, NoSuchMember
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.messages import Message, _, or_list

_NAME = "name"
MAX_KEY_NAME_LENGTH = 64
MAX_NETWORKS = 20
MAX_NETWORKS_LENGTH = 1_000
"""The maximum number of characters of the text with all networks of a key."""
MAX_DAYS = 3_650
"""The maximum number of days that a client can give for the life of a key. An instant can be later."""
ONLY_OWN_KEYS = _("Only administrators can see and end the API keys of other members.")


class NewKey(NamedTuple):
    """A key that was just made, and its text, which nobody can read again."""

    key: ApiKey
    text: str


class ListedKey(NamedTuple):
    """A key, and the start of the hour in which it was used last. None: it was never used."""

    key: ApiKey
    used: Instant | None


class ListKeys:
    """Lists the keys of a member, for the member and for administrators."""

    def __init__(self, members: Members, trail: AuditTrail) -> None:
        self._members = members
        self._trail = trail

    def __call__(self, caller: Caller, id_: str) -> tuple[ListedKey, ...]:
        """Return the keys of the member with an id, oldest first. Raises Forbidden, NoSuchMember."""
        _require_owner(caller, id_)
        member = self._members.by_id(id_)
        if member is None:
            raise NoSuchMember
        used = self._trail.uses(id_) if member.keys else {}
        return tuple(ListedKey(key, used.get(key.id)) for key in member.keys)


class CreateKey:
    """Makes keys: administrators for programs, and persons for themselves."""

    def __init__(
        self,
        members: Members,
        ids: Ids,
        profiles: Mapping[str, Profile],
        clock: Clock,
        verify: VerifyPassword,
    ) -> None:
        self._members = members
        self._ids = ids
        self._profiles = profiles
        self._clock = clock
        self._verify = verify

    def __call__(self, caller: Caller, id_: str, values: FieldValues, address: str = "") -> NewKey:
        """Return a new key of the member with an id.

        `values`: by the names of the API, `name`, and if wanted `expires` or `days`, `profile`, `networks`.
        `currentPassword` is that of the caller. It stands for a fresh sign-in. `address` is the IP address of
        the request.

        Raises Forbidden, NoSuchMember, BadMember with all mistakes, KeyRefused, Unavailable. Raises
        StaleSignIn, Unauthenticated or TooManyFailures if the caller has not signed in lately, or the current
        password is wrong, or was wrong too often.
        """
        _require_owner(caller, id_)
        self._require_fresh_sign_in(caller, values.get(CURRENT_PASSWORD), address)
        text = new_key_text(id_)
        key = retry_conflicts(lambda: self._add(caller, id_, values, text))
        return NewKey(key, text)

    def _require_fresh_sign_in(self, caller: Caller, current_password: str | None, address: str) -> None:
        if not current_password:
            require_fresh_sign_in(caller, self._clock)
            return
        try:
            verified = self._verify(caller.username, current_password, address)
        except Unauthenticated as refusal:
            raise Unauthenticated(_("The current password is incorrect.")) from refusal
        if verified.id != caller.id:
            raise Unauthenticated(_("The current password is incorrect."))

    def _add(self, caller: Caller, id_: str, values: FieldValues, text: str) -> ApiKey:
        before = self._members.by_id(id_)
        if before is None:
            raise NoSuchMember
        _require_maker(caller, before)
        now = self._clock.now()
        wanted = _WantedKey(values, before, self._profiles, now)
        mistakes = [*wanted.mistakes()]
        if mistakes:
            raise BadMember(mistakes)
        name = str(values["name"])
        if any(fold_name(each.name) == fold_name(name) for each in before.keys):
            message = _(
                'The member already has an API key with the name "{name}". Use another one.', name=name
            )
            raise KeyRefused(message)
        key = ApiKey(
            self._ids.new(),
            name,
            key_hash(text),
            now,
            wanted.until(),
            values.get("profile") or None,
            wanted.networks(),
        )
        try:
            self._members.change(before, with_key(before, key))
        except TooManyKeys:
            message = _(
                "The member has {count} API keys, which is the maximum. End one first.", count=MAX_KEYS
            )
            raise KeyRefused(message) from None
        return key


class EndKey:
    """Ends keys, for the member and for administrators."""

    def __init__(self, members: Members, clock: Clock) -> None:
        self._members = members
        self._clock = clock

    def __call__(self, caller: Caller, id_: str, key_id: str) -> ApiKey:
        """End a key of the member with an id, and return it. Requests with it are refused within 3 seconds.

        Raises Forbidden, StaleSignIn, NoSuchMember, NoSuchKey, Unavailable.
        """
        _require_owner(caller, id_)
        require_fresh_sign_in(caller, self._clock)
        return retry_conflicts(lambda: self._end(id_, key_id))

    def _end(self, id_: str, key_id: str) -> ApiKey:
        before = self._members.by_id(id_)
        if before is None:
            raise NoSuchMember
        key = find_key(before, key_id)
        if key is None:
            raise NoSuchKey
        self._members.change(before, without_key(before, key_id))
        return key


def _require_owner(caller: Caller, id_: str) -> None:
    """Raise Forbidden unless a caller has signed in, and is the member or an administrator."""
    require_sign_in(caller)
    require_self_or_administrator(caller, id_, ONLY_OWN_KEYS)


def _require_maker(caller: Caller, member: Member) -> None:
    """Raise Forbidden unless a caller can make keys for a member.

    Administrators make none for other persons: such a key would let them act in the person's name. A program
    makes none for itself, also if it has exchanged a token of a provider for one of this service.
    """
    if member.kind is MemberKind.PROGRAM and caller.id == member.id:
        message = _(
            '"{username}" is a program. Administrators make the API keys of programs.',
            username=member.username,
        )
        raise Forbidden(message)
    if member.kind is MemberKind.PERSON and caller.id != member.id:
        message = _(
            '"{username}" is a person, who makes their own API keys. Administrators make keys for programs.',
            username=member.username,
        )
        raise Forbidden(message)


class _WantedKey:
    """What a client wants a new key to be."""

    def __init__(
        self, values: FieldValues, member: Member, profiles: Mapping[str, Profile], now: Instant
    ) -> None:
        self._values = values
        self._member = member
        self._profiles = profiles
        self._now = now

    def mistakes(self) -> Iterator[FieldMistake]:
        """Yield all mistakes in the values."""
        checks: Mapping[str, Callable[[], Message | None]] = {
            "name": self._name_mistake,
            "expires": self._expires_mistake,
            "days": self._days_mistake,
            "profile": self._profile_mistake,
            "networks": self._networks_mistake,
        }
        for field, check in checks.items():
            message = check()
            if message is not None:
                yield FieldMistake(field, message)

    def until(self) -> Instant | None:
        """Return the instant from which the key is no longer valid, None if it has no end."""
        if self._values.get("days") is not None:
            return self._now + int(self._values["days"]) * 86_400_000
        written = self._values.get("expires")
        return _instant(written) if written else None

    def networks(self) -> tuple[str, ...]:
        """Return the networks of the key in CIDR notation."""
        return tuple(dict.fromkeys(str(ip_network(each)) for each in self._networks()))

    def _networks(self) -> Sequence[str]:
        return str(self._values.get("networks") or "").replace(",", " ").split()

    def _name_mistake(self) -> Message | None:
        name = str(self._values.get("name", ""))
        if not name or name != name.strip():
            return _(
                '"name" must be 1 to {limit} characters, without spaces around them.',
                limit=MAX_KEY_NAME_LENGTH,
            )
        if len(name) > MAX_KEY_NAME_LENGTH:
            return _(
                '"{field}" must have at most {limit} characters, not {length}.',
                field=_NAME,
                limit=MAX_KEY_NAME_LENGTH,
                length=len(name),
            )
        character = stray_character(name) or invisible_character(name)
        if character is None:
            return None
        return _(
            '"{field}" contains the unsupported character {character}. Remove it.',
            field=_NAME,
            character=character,
        )

    def _expires_mistake(self) -> Message | None:
        written = self._values.get("expires")
        if not written:
            return None
        if self._values.get("days") is not None:
            return _('Use either "expires" or "days".')
        until = _instant(written)
        if until is None:
            return _(
                '"expires" must be a date or an instant with a time zone in ISO 8601, such as '
                "2030-12-31T23:00:00Z, not {value}.",
                value=describe_value(written),
            )
        if until <= self._now:
            return _('"expires" must be in the future. It is {now} now.', now=format_instant(self._now))
        return None

    def _days_mistake(self) -> Message | None:
        days = self._values.get("days")
        if days is None or 1 <= days <= MAX_DAYS:
            return None
        return _('"days" must be from 1 to {limit}.', limit=MAX_DAYS)

    def _profile_mistake(self) -> Message | None:
        profile, own = self._values.get("profile"), self._member.profile
        if not profile or profile == own or lies_within(self._profiles, profile, own):
            return None
        narrower = [name for name in self._profiles if lies_within(self._profiles, name, own)]
        if not narrower:
            return _(
                'The model has no profile that lies within "{own}". Remove "profile", or write '
                '@profile(name: …, within: ["{own}"]) in the model.',
                own=own,
            )
        return _(
            '"profile" must be a profile that lies within "{own}": {profiles}; not {value}.',
            own=own,
            profiles=or_list(narrower),
            value=describe_value(profile),
        )

    def _networks_mistake(self) -> Message | None:
        networks = self._networks()
        if len(networks) > MAX_NETWORKS:
            return _(
                '"networks" must have at most {limit} networks, not {count}.',
                limit=MAX_NETWORKS,
                count=len(networks),
            )
        wrong = next((each for each in networks if not _is_network(each)), None)
        if wrong is None:
            return None
        return _(
            '"networks" must have IP networks in CIDR notation, separated by spaces, such as 203.0.113.0/24 '
            "or 2001:db8::/32, not {value}.",
            value=describe_value(wrong),
        )


def _is_network(text: str) -> bool:
    """Return whether a text is a network, without bits of a host, and not of IPv4 addresses as IPv6."""
    try:
        network = ip_network(text)
    except ValueError:
        return False
    return not (isinstance(network, IPv6Network) and network.network_address.ipv4_mapped)


def _instant(written: Any) -> Instant | None:
    """Return the instant that a text in ISO 8601 means, None if it means none. A date is its start in UTC."""
    text = str(written)
    with suppress(ValueError):
        text = f"{date.fromisoformat(text).isoformat()}T00:00:00Z"
    with suppress(ValueError, OverflowError, TypeError):  # TypeError: there is no time zone
        return parse_instant(text)
    return None
