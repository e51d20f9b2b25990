"""What people and programs do at the function `signin`, with an identity provider on this machine."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from stratabase.core.waiting import SystemClock
from stratabase.members.provider_sign_in.attempt import s256
from tests.lambda_stack.local_functions import Stack
from tests.members.providers.hostile_provider import (
    CLIENT_ID,
    CLIENT_SECRET,
    HostileProvider,
    claims,
    sign,
)
from tests.service import PASSWORD, basic

NAME = "corp"
API = "urn:example:hr"
"""The audience of access tokens that are meant for the service."""
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
RETURN_TO = "https://api.example.com/app"
BEGIN = f"/public/signIn/{NAME}"
EXCHANGE = "/public/token/exchange"
MEMBERS = "/auth/administration/members"


PROFILES = {"admins": "Administrator", "staff": "Manager"}
"""Profiles of the sample model, by the values of the claim `groups`."""


def provider_document(provider: HostileProvider, profiles: Mapping[str, str] = PROFILES) -> str:
    """Return the document of the service with a provider."""
    row = {
        "name": NAME,
        "label": "Example Inc.",
        "issuer": provider.issuer,
        "clientId": CLIENT_ID,
        "clientSecret": CLIENT_SECRET,
        "mayBePrivate": True,
        "createsMembers": True,
        "profiles": {"claim": "groups", "values": profiles},
        "accessTokens": {"audience": API, "mark": "at+jwt"},
    }
    return json.dumps({"providers": [row]})


def sign_in_with_a_provider(stack: Stack, provider: HostileProvider) -> None:
    """Become a member, sign in with other profiles, link an account, and exchange access tokens."""
    people = Person(stack, provider)
    stack.request("GET", "/public/signIn", authorization=None)
    stack.request("GET", f"{BEGIN}/signOut?{urlencode({'returnTo': RETURN_TO})}", authorization=None)
    id_ = people.sign_in("vera", groups=["staff"])
    assert people.sign_in("vera", groups=["admins"]) == id_
    assert people.sign_in("vera", groups=["staff"]) == id_
    people.is_refused("vera", groups=["guests"])
    token = sign(people.claims_of("vera", aud=API, groups=["staff"]), typ="at+jwt")
    stack.request("POST", EXCHANGE, access_token(token), authorization=None)
    for _ in range(6):
        wrong = {"code": f"{id_}.{'x' * 43}", "verifier": VERIFIER}
        stack.request("POST", EXCHANGE, wrong, authorization=None, expected=401)
    new = {"username": "kate", "email": "kate@example.com", "profile": "Manager"}
    kate = stack.request("POST", MEMBERS, new).json()["id"]
    links = f"{MEMBERS}/{kate}/links"
    stack.request("PUT", f"{MEMBERS}/{kate}", {"password": PASSWORD})
    own = basic("kate", PASSWORD)
    for _ in range(2):
        code = people.code("kate at corp", purpose="link", groups=["staff"])
        stack.request("POST", links, {"code": code, "verifier": VERIFIER}, authorization=own)
        stack.request("GET", links, authorization=own)
        stack.request("DELETE", f"{links}/{NAME}", authorization=own)
    stack.request("GET", links, authorization=basic("kate", "wrong"), expected=401)
    for each in (id_, kate):
        stack.request("DELETE", f"{MEMBERS}/{each}")


def access_token(token: str) -> dict[str, str]:
    """Return the body that exchanges an access token (RFC 8693)."""
    return {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
        "subject_token": token,
        "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
    }


class Person:
    """People with a browser, who have accounts at the provider."""

    def __init__(self, stack: Stack, provider: HostileProvider) -> None:
        self._stack = stack
        self._provider = provider

    def claims_of(self, subject: str, **more: Any) -> dict[str, Any]:
        """Return what the provider says about an account now."""
        now = SystemClock().now() // 1000
        email = f"{subject.replace(' ', '.')}@bücher.example"
        usual = {"preferred_username": subject, "email": email, "email_verified": True}
        lifetime = {"iat": now, "exp": now + 300}
        return claims(self._provider.issuer, sub=subject, **{**usual, **lifetime, "nonce": ..., **more})

    def come_back(self, subject: str, purpose: str | None, expected: int | None, **more: Any) -> Any:
        """Sign in at the provider, and return the reply of the service when the browser comes back."""
        asked = {"returnTo": RETURN_TO, "challenge": s256(VERIFIER)}
        asked |= {"purpose": purpose} if purpose else {}
        begun = self._stack.request("GET", f"{BEGIN}?{urlencode(asked)}", authorization=None, expected=302)
        sent = {name: each[0] for name, each in parse_qs(urlsplit(begun.headers["location"]).query).items()}
        self._provider.answer_with(sign(self.claims_of(subject, nonce=sent["nonce"], **more)))
        answer = urlencode({"state": sent["state"], "code": "a code", "iss": self._provider.issuer})
        cookie = {"Cookie": begun.headers["set-cookie"].partition(";")[0]}
        return self._stack.request(
            "GET", f"{BEGIN}/callback?{answer}", authorization=None, headers=cookie, expected=expected
        )

    def code(self, subject: str, purpose: str | None = None, **more: Any) -> str:
        """Return the code with which a sign-in, or a linking, ends."""
        reply = self.come_back(subject, purpose, 302, **more)
        return str(parse_qs(urlsplit(reply.headers["location"]).query)["code"][0])

    def sign_in(self, subject: str, **more: Any) -> str:
        """Sign in, and return the ID of the member."""
        body = {"code": self.code(subject, **more), "verifier": VERIFIER}
        token = self._stack.request("POST", EXCHANGE, body, authorization=None).json()["access_token"]
        own = self._stack.request("GET", "/auth/administration/member", authorization=f"Bearer {token}")
        return str(own.json()["id"])

    def is_refused(self, subject: str, **more: Any) -> None:
        """Sign in with claims that have no profile."""
        self.come_back(subject, None, 403, **more)
