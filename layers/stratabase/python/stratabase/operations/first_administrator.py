"""The first member, an administrator, made when there is nobody yet who could make others."""

import secrets
from dataclasses import dataclass, field

from stratabase.domain.change import Conflict
from stratabase.domain.member import Member, NamesTaken
from stratabase.domain.member_refusals import BadMember, FieldMistake
from stratabase.domain.password import Policy, canonical
from stratabase.model.model import Model
from stratabase.operations.ports import Ids, Members, Passwords

USERNAME = "admin"
EMAIL = "admin@localhost"
"""A member must have an address; the administrator gives the real one later."""


@dataclass(frozen=True, slots=True)
class NewAdministrator:
    """Who was made. `made_up`: nobody knows the password yet, so it must be shown, once."""

    username: str
    password: str = field(repr=False)
    made_up: bool


class FirstAdministrator:
    """Makes the member `admin` of the model's first administrator profile."""

    def __init__(
        self,
        members: Members,
        passwords: Passwords,
        ids: Ids,
        model: Model,
        policy: Policy | None = None,
    ) -> None:
        self._members = members
        self._passwords = passwords
        self._policy = policy or Policy(passwords.is_common)
        self._ids = ids
        self._profile = model.administrator_profile()

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
        return NewAdministrator(USERNAME, chosen, made_up=not password)

    def _checked(self, password: str) -> str:
        weaknesses = self._policy.weaknesses(password, (USERNAME, EMAIL))
        if weaknesses:
            texts = map(self._policy.advice, weaknesses)
            raise BadMember(FieldMistake(f"password of {USERNAME}", text) for text in texts)
        return canonical(password)

    def _member(self, password: str) -> Member:
        hashed = self._passwords.hash(password)
        return Member(self._ids.new(), USERNAME, EMAIL, self._profile, password=hashed)
