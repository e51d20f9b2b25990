"""A client of a provider that signs in whom a test says, and records what it was asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlencode

from stratabase.members.providers.client import ProviderClient
from stratabase.members.providers.provider import Identity, ProfileTable, Provider
from stratabase.members.providers.refusals import RefusalReason, SignInRefused

ISSUER = "https://id.example.com"
TABLE = ProfileTable(("groups",), (("admins", "Boss"), ("staff", "Clerk")))
PROVIDER = Provider("id", "Example ID", ISSUER, "hr", "secret", profiles=TABLE, creates_members=True)
CLAIMS: Mapping[str, Any] = {
    "preferred_username": "rosa",
    "email": "rosa@example.com",
    "email_verified": True,
    "groups": ["staff"],
}


@dataclass
class FakeClient:
    """Takes the code `good` once, and the access token of whoever a test adds to `tokens`."""

    provider: Provider = PROVIDER
    identity_: Identity = field(default_factory=lambda: Identity(ISSUER, "1", dict(CLAIMS)))
    tokens: dict[str, Identity] = field(default_factory=dict)
    begun: list[dict[str, Any]] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    codes: set[str] = field(default_factory=lambda: {"good"})
    refusal: Exception | None = None
    before_identity: Callable[[], object] = lambda: None
    """What happens while the provider is asked."""
    leaves: str | None = f"{ISSUER}/logout"

    def authorization_url(
        self, redirect_uri: str, state: str, nonce: str, challenge: str, *, max_age: int | None = None
    ) -> str:
        if self.refusal is not None:
            raise self.refusal
        sent = {"redirect_uri": redirect_uri, "state": state, "nonce": nonce, "challenge": challenge}
        self.begun.append({**sent, "max_age": max_age})
        return f"{self.provider.issuer}/authorize?{urlencode(sent)}"

    def identity(
        self,
        code: str,
        verifier: str,
        redirect_uri: str,
        nonce: str,
        iss: str | None,
        *,
        max_age: int | None = None,
    ) -> Identity:
        self.before_identity()
        if self.refusal is not None:
            raise self.refusal
        asked = {"code": code, "verifier": verifier, "redirect_uri": redirect_uri, "nonce": nonce, "iss": iss}
        self.asked.append({**asked, "max_age": max_age})
        if code not in self.codes:
            raise SignInRefused(RefusalReason.CODE)
        self.codes.remove(code)
        return self.identity_

    def check_answer_issuer(self, iss: str | None) -> None:
        if iss not in (None, self.provider.issuer):
            raise SignInRefused(RefusalReason.ANSWER_ISSUER)

    def access_identity(self, token: str) -> Identity:
        if self.refusal is not None:
            raise self.refusal
        if token not in self.tokens:
            raise SignInRefused(RefusalReason.SIGNATURE)
        return self.tokens[token]

    def end_session_url(self, return_to: str | None = None) -> str | None:
        return self.leaves and f"{self.leaves}?{urlencode({'post_logout_redirect_uri': return_to})}"

    def as_client(self) -> ProviderClient:
        return cast("ProviderClient", self)
