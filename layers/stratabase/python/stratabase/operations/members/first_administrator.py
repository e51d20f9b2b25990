"""Creates the first member, an administrator, when the store has no members yet."""

import secrets
from dataclasses import dataclass, field
from enum import Enum, auto

from stratabase.domain.members.member import Member, NamesTaken
from stratabase.domain.members.password import PasswordPolicy, normalize_password
from stratabase.domain.members.refusals import BadMember, FieldMistake
from stratabase.domain.objects.commit_refusals import Conflict
from stratabase.messages import _, sentences
from stratabase.model.model import Model
from stratabase.operations.ports import Ids, Members, Passwords

ADMIN_USERNAME = "admin"
ADMIN_EMAIL = "admin@localhost"
"""A member must have an address; the administrator gives the real one later."""


@dataclass(frozen=True, slots=True)
class NewAdministrator:
    """Who was made. `made_up`: nobody knows the password yet, so it must be shown, once."""

    username: str
    password: str = field(repr=False)
    is_generated: bool


class PasswordMismatch(Enum):
    """Why nobody signs in as `admin` with the password that the settings have for the first start."""

    OTHER_PASSWORD = auto()
    NO_PASSWORD = auto()
    """A link to set one was mailed, and has not been used yet."""
    DISABLED = auto()
    NO_MEMBER = auto()
    """`admin` was renamed or deleted."""


@dataclass(frozen=True, slots=True)
class AdministratorState:
    """What a later start says of those who can sign in."""

    username: str
    """`admin`, or an administrator in place of a member `admin` who cannot sign in."""
    mismatch: PasswordMismatch | None
    """None: the settings have the password of `admin`, or none."""


class FirstAdministrator:
    """Makes the member `admin` of the model's first administrator profile."""

    def __init__(
        self,
        members: Members,
        passwords: Passwords,
        ids: Ids,
        model: Model,
        policy: PasswordPolicy | None = None,
    ) -> None:
        self._members = members
        self._passwords = passwords
        self._policy = policy or PasswordPolicy(passwords.is_common)
        self._ids = ids
        self._profile = model.administrator_profile()
        self._administrating = {profile.name for profile in model.profiles.values() if profile.administrator}

    def __call__(self, password: str | None = None) -> NewAdministrator | None:
        """Make the member, with this password or a random one; None when there is a member already.

        Of several processes that start at once, one makes it and the others get None. Raises BadMember for a
        password that may not be chosen, Unavailable.
        """
        if self._members.any():
            return None
        chosen = self._checked(password) if password else secrets.token_urlsafe(18)
        try:
            self._members.add(self._member(chosen))
        except (Conflict, NamesTaken):
            return None
        return NewAdministrator(ADMIN_USERNAME, chosen, is_generated=not password)

    def present(self, password: str | None = None) -> AdministratorState:
        """Return who can sign in, where there are members, and whether `password` is that of `admin`.

        Raises Unavailable.
        """
        admin = self._members.by_username(ADMIN_USERNAME)
        username = ADMIN_USERNAME if admin and _can_sign_in(admin) else self._another()
        return AdministratorState(username, self._mismatch(admin, password) if password else None)

    def _mismatch(self, admin: Member | None, password: str) -> PasswordMismatch | None:
        if admin is None:
            return PasswordMismatch.NO_MEMBER
        if admin.disabled:
            return PasswordMismatch.DISABLED
        if admin.password is None:
            return PasswordMismatch.NO_PASSWORD
        is_right = self._passwords.verify(admin.password, normalize_password(password))
        return None if is_right else PasswordMismatch.OTHER_PASSWORD

    def _another(self) -> str:
        """Return the username of an administrator who can sign in; `admin` where there is none."""
        members = self._members.roster().members
        able = (each for each in members if _can_sign_in(each) and each.profile in self._administrating)
        return next((each.username for each in able), ADMIN_USERNAME)

    def _checked(self, password: str) -> str:
        weaknesses = self._policy.weaknesses(password, (ADMIN_USERNAME, ADMIN_EMAIL))
        if weaknesses:
            message = _(
                'The member "{username}" can\'t use this password. {reason}',
                username=ADMIN_USERNAME,
                reason=sentences(map(self._policy.advice, weaknesses)),
            )
            raise BadMember([FieldMistake("password", message)])
        return normalize_password(password)

    def _member(self, password: str) -> Member:
        hashed = self._passwords.hash(password)
        return Member(self._ids.new(), ADMIN_USERNAME, ADMIN_EMAIL, self._profile, password=hashed)


def _can_sign_in(member: Member) -> bool:
    return member.password is not None and not member.disabled
