"""Create the first member, an administrator, in a store without members."""

import secrets
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum, auto

from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.model.model import Model, Profile
from stratabase.core.operations.ports import Ids
from stratabase.members.member import Member, NamesTaken, administrates
from stratabase.members.password import PasswordPolicy, normalize_password
from stratabase.members.ports import Members, Passwords
from stratabase.members.refusals import BadMember, FieldMistake
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import _, sentences
from stratabase.values.wording import pluralize

ADMIN_USERNAME = "admin"
ADMIN_EMAIL = "admin@localhost"
"""A placeholder, because every member has an address. The administrator replaces it later."""


@frozen
class NewAdministrator:
    """The administrator that was created.

    A generated password must be shown now: it is not stored in clear.
    """

    username: str
    password: str = field(repr=False)
    is_generated: bool


class PasswordMismatch(Enum):
    """Why the password in the settings does not sign in as `admin`."""

    OTHER_PASSWORD = auto()
    NO_PASSWORD = auto()
    """The member was mailed a link to set a password, and has not used it yet."""
    DISABLED = auto()
    NO_MEMBER = auto()
    """`admin` was renamed or deleted."""


@frozen
class AdministratorState:
    """Which administrator can sign in, and whether the password in the settings is the one of `admin`."""

    username: str
    """`admin`, or another administrator if `admin` cannot sign in."""
    mismatch: PasswordMismatch | None
    """None if the settings have no password, or the password of `admin`."""


class NoAdministrator(Exception):
    """The model makes no enabled member an administrator. The text says why, and what to do."""

    def __init__(self, members: Sequence[Member], profiles: Mapping[str, Profile]) -> None:
        enabled = Counter(each.profile for each in members if not each.disabled)
        found = ", ".join(
            f"{name} ({pluralize(number, 'member')}{'' if name in profiles else ', not in the model'})"
            for name, number in sorted(enabled.items())
        )
        administrating = " or ".join(each.name for each in profiles.values() if each.administrator)
        super().__init__(
            "With this model, no enabled member is an administrator.\n"
            f"Profiles of the enabled members: {found or 'none, because all members are disabled'}.\n"
            f"Administrator profiles of the model: {administrating}.\n"
            "If you renamed a profile, add its former name to the model: "
            f'@profile(name: "{next(iter(administrating.split(" or ")))}", from: "FORMER NAME", '
            "administrator: true).\n"
            "Otherwise, give a member one of these profiles: "
            "stratabase members set-profile USERNAME PROFILE. Then save the model again, or restart."
        )


class FirstAdministrator:
    """Creates the member `admin`, with the first administrator profile of the model."""

    def __init__(  # noqa: PLR0913 - its dependencies
        self,
        members: Members,
        passwords: Passwords,
        ids: Ids,
        model: Model,
        policy: PasswordPolicy | None = None,
        *,
        formats: Formats = DEFAULT_FORMATS,
    ) -> None:
        self._members = members
        self._passwords = passwords
        self._policy = policy or PasswordPolicy(passwords.is_common)
        self._ids = ids
        self._formats = formats
        self._profile = model.administrator_profile()
        self._profiles = model.profiles
        self._administrating = {profile.name for profile in model.profiles.values() if profile.administrator}

    def __call__(self, password: str | None = None) -> NewAdministrator | None:
        """Create the member with this password or a random one. Return None if any member exists.

        If several processes start at once, one creates the member, and the others get None. Raises BadMember
        for a weak password, Unavailable.
        """
        if self._members.any():
            return None
        new_password = self._validated_password(password) if password else _random_password()
        try:
            self._members.add(self._member(new_password))
        except (Conflict, NamesTaken):  # another process was faster
            return None
        return NewAdministrator(ADMIN_USERNAME, new_password, is_generated=not password)

    def check(self) -> None:
        """Raise NoAdministrator if there are members, but no enabled one of them is an administrator.

        The service could not be administrated then, not even to repair that. Raises Unavailable.
        """
        members = self._members.roster().members
        if members and not any(administrates(each, self._profiles) for each in members):
            raise NoAdministrator(members, self._profiles)

    def state(self, password: str | None = None) -> AdministratorState:
        """Return which administrator can sign in, and whether `password` is the password of `admin`.

        Raises Unavailable.
        """
        admin = self._members.by_username(ADMIN_USERNAME)
        username = ADMIN_USERNAME if admin and _can_sign_in(admin) else self._another_username()
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

    def _another_username(self) -> str:
        """Return the username of an administrator who can sign in, or `admin` if there is none."""
        members = self._members.roster().members
        able = (each for each in members if _can_sign_in(each) and each.profile in self._administrating)
        return next((each.username for each in able), ADMIN_USERNAME)

    def _validated_password(self, password: str) -> str:
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
        return Member(
            self._ids.new(),
            ADMIN_USERNAME,
            ADMIN_EMAIL,
            self._profile,
            formats=self._formats,
            password=hashed,
        )


def _can_sign_in(member: Member) -> bool:
    return member.password is not None and not member.disabled


def _random_password() -> str:
    """Return 24 characters, the first one a letter. Commands take `-` for the start of an option."""
    return secrets.choice(string.ascii_letters) + secrets.token_urlsafe(18)[1:]
