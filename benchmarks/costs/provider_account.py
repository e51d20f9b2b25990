"""Members' accounts at an identity provider, and the requests with which the members sign in."""

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from benchmarks.costs.service import ORIGIN, Request, Service
from stratabase.members.provider_sign_in.attempt import s256
from tests.lambda_stack.provider_workload import API, BEGIN, EXCHANGE, VERIFIER, access_token
from tests.members.providers.hostile_provider import TOKEN, HostileProvider, claims, sign


class ProviderAccounts:
    """Each method returns a request of another member, after the requests that must come before it."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._provider = service.provider
        self._codes: dict[str, Mapping[str, Any]] = {}
        """The claims of people by the codes of the provider."""
        self._people = 0
        self._provider.answers[TOKEN] = self._answer

    def leave(self, _number: int = 0) -> Request:
        """Return the request that leads a browser to the provider."""
        asked = {"returnTo": f"{ORIGIN}/app", "challenge": s256(VERIFIER)}
        return Request("GET", f"{BEGIN}?{urlencode(asked)}")

    def come_back(self, _number: int) -> Request:
        """Return the request with which the browser of a member comes back from the provider."""
        person = self._new_member()[0]
        return self._come_back(person)

    def exchange_code(self, _number: int) -> Request:
        """Return the request that exchanges the code of a sign-in for a token."""
        code = self._new_member()[1]
        return Request("POST", EXCHANGE, {"code": code, "verifier": VERIFIER})

    def exchange_access_token(self, _number: int) -> Request:
        """Return the request that exchanges an access token of the provider for a token."""
        person = self._new_member()[0]
        return Request("POST", EXCHANGE, access_token(sign(self._claims(person, aud=API), typ="at+jwt")))

    def _new_member(self) -> tuple[str, str]:
        """Return the subject of a new member, and the code with which the first sign-in has ended."""
        self._people += 1
        person = f"person-{self._people}"
        back = self._service.send(self._come_back(person), None).headers["Location"][0]
        return person, parse_qs(urlsplit(back).query)["code"][0]

    def _come_back(self, person: str) -> Request:
        begun = self._service.send(self.leave(), None).headers
        sent = {name: values[0] for name, values in parse_qs(urlsplit(begun["Location"][0]).query).items()}
        code = f"code {len(self._codes)}"
        self._codes[code] = self._claims(person, nonce=sent["nonce"])
        query = urlencode({"state": sent["state"], "code": code, "iss": self._provider.issuer})
        cookie = begun["Set-Cookie"][-1].partition(";")[0]
        return Request("GET", f"{BEGIN}/callback?{query}", cookie=cookie)

    def _answer(self, handler: Any) -> None:
        """Answer the request for the tokens of a code."""
        provider: HostileProvider = handler.provider
        provider.answer_with(sign(self._codes[provider.sent[-1].form["code"]]))
        answer, provider.answers[TOKEN] = provider.answers[TOKEN], self._answer
        handler.send_content(TOKEN, answer)

    def _claims(self, person: str, **more: object) -> Mapping[str, Any]:
        now = int(time.time())
        names = {"preferred_username": person, "email": f"{person}@example.com", "email_verified": True}
        lifetime = {"iat": now, "exp": now + 600}
        given = {"sub": person, "groups": ["staff"], "nonce": ..., **names, **lifetime, **more}
        return claims(self._provider.issuer, **given)
