"""A hostile provider, through the endpoints: whatever it answers, nobody gets in who should not."""

import hashlib
import hmac
import html
import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from stratabase.members.provider_sign_in.attempt import s256
from stratabase.members.providers.client import ProviderClient
from stratabase.members.providers.provider import ProfileTable
from tests.core.http.reply import Reply
from tests.fakes import FrozenClock
from tests.members.provider_sign_in.provider_service import (
    ASKED,
    BASE,
    BEGIN,
    PAGE,
    FakeBrowser,
    ProviderService,
    location,
    parameters,
)
from tests.members.providers.hostile_provider import (
    METADATA,
    NOW,
    TOKEN,
    HostileProvider,
    claims,
    part,
    private_key,
    public_jwk,
    running_provider,
    sign,
)
from tests.rows import each_row

CORP = "corp"
CALLBACK_URL = f"{BASE}/public/signIn/{CORP}/callback"


@pytest.fixture(scope="module")
def hostile() -> Iterator[HostileProvider]:
    with running_provider() as provider:
        yield provider


class Visitor:
    """A browser, and a service whose provider `corp` is hostile."""

    def __init__(self, hostile: HostileProvider) -> None:
        self.hostile = hostile
        hostile.__post_init__()
        hostile.sent.clear()
        hostile.statuses.clear()
        clock = FrozenClock()
        table = ProfileTable(("groups",), (("staff", "Clerk"),))
        row = hostile.provider(profiles=table, creates_members=True)
        self.service = ProviderService(clock=clock, real={CORP: ProviderClient(row, clock)})
        self.browser = FakeBrowser(self.service)
        self.nonce = ""

    def begin(self) -> str:
        """Begin a sign-in, and return its state."""
        reply = self.browser.get(BEGIN, CORP, **ASKED)
        assert reply.status == 302, reply.body
        self.nonce = parameters(reply)["nonce"]
        return parameters(reply)["state"]

    def good(self, **changes: object) -> dict[str, Any]:
        """Return the claims of a good token for the attempt that was begun last, with changes."""
        usual = {"nonce": self.nonce, "groups": ["staff"], "email": "ada@example.com", "email_verified": True}
        return claims(self.hostile.issuer, **{**usual, **changes})

    def come_back(self, state: str, token: object = None, **answer: str) -> Reply:
        """Come back with a code, for which the provider answers with an ID token: a good one for None."""
        self.hostile.answer_with(sign(self.good()) if token is None else token)
        return self.browser.come_back(state, CORP, **{"code": "a code", **answer})

    @property
    def names(self) -> list[str]:
        """The usernames of all members."""
        return [member.username for member in self.service.members.roster().members]


@pytest.fixture
def visitor(hostile: HostileProvider) -> Visitor:
    return Visitor(hostile)


def test_a_good_answer_is_taken(visitor: Visitor) -> None:
    reply = visitor.come_back(visitor.begin())
    assert location(reply).startswith(f"{PAGE}?code=")
    assert visitor.names == ["ada", "Bea", "Rosa"]
    (redeemed,) = (each for each in visitor.hostile.sent if each.path == TOKEN)
    assert (redeemed.form["code"], redeemed.form["redirect_uri"]) == ("a code", CALLBACK_URL)
    assert redeemed.form["grant_type"] == "authorization_code"


def test_the_code_is_bound_to_the_attempt(visitor: Visitor) -> None:
    reply = visitor.browser.get(BEGIN, CORP, **ASKED)
    query = parse_qs(urlsplit(location(reply)).query)
    visitor.nonce = query["nonce"][0]
    assert query["code_challenge_method"] == ["S256"]
    assert query["redirect_uri"] == [CALLBACK_URL]
    assert query["response_type"] == ["code"]
    assert "response_mode" not in query, "the answer is in the query"
    visitor.come_back(query["state"][0])
    (redeemed,) = (each for each in visitor.hostile.sent if each.path == TOKEN)
    assert s256(redeemed.form["code_verifier"]) == query["code_challenge"][0]


def _hmac_with_public_key(visitor: Visitor) -> str:
    """Return a token that is signed with HS256, and whose secret is the public key."""
    head, body = part({"alg": "HS256", "kid": "1"}), part(visitor.good())
    secret = json.dumps(public_jwk(private_key(), kid="1")).encode()
    return f"{head}.{body}.{part(hmac.new(secret, f'{head}.{body}'.encode(), hashlib.sha256).digest())}"


Spoil = Callable[[Visitor], object]
SPOILED: list[tuple[Spoil, str]] = [
    (lambda v: sign(v.good(nonce="another")), "nonce"),
    (lambda v: sign(v.good(nonce=...)), "nonce"),
    (lambda v: sign(v.good(iss="https://evil.example")), "issuer"),
    (lambda v: sign(v.good(aud="another")), "audience"),
    (lambda v: sign(v.good(aud=["hr", "another"])), "authorized-party"),
    (lambda v: sign(v.good(azp="another")), "authorized-party"),
    (lambda v: sign(v.good(exp=NOW - 3600)), "expired"),
    (lambda v: sign(v.good(iat=NOW + 3600)), "not-yet"),
    (lambda v: sign(v.good(sub=...)), "subject"),
    (lambda v: sign(v.good(sub="")), "subject"),
    (lambda v: sign(v.good(sub=7)), "subject"),
    (lambda v: sign(v.good(), key=private_key("RS256", 7)), "signature"),
    (lambda v: sign(v.good(), kid="unknown"), "key"),
    (lambda v: sign(v.good(), typ="at+jwt"), "token-type"),
    (lambda v: f"{part({'alg': 'none'})}.{part(v.good())}.", "malformed"),
    (lambda v: f"{part({'alg': 'none', 'kid': '1'})}.{part(v.good())}.{part(b'x')}", "algorithm"),
    (_hmac_with_public_key, "algorithm"),
    (lambda v: "no token", "malformed"),
    (lambda v: None, "malformed"),
    (lambda v: {"a": 1}, "malformed"),
]


@each_row(("spoil", "reason"), SPOILED)
def test_a_spoiled_token_is_refused(spoil: Spoil, reason: str, hostile: HostileProvider) -> None:
    visitor = Visitor(hostile)
    state = visitor.begin()
    token = spoil(visitor)
    visitor.hostile.answer_with(token)
    reply = visitor.browser.come_back(state, CORP, code="a code")
    assert reply.status == 401
    assert f"({reason})" in html.unescape(reply.body)
    assert f'href="{PAGE}?error=invalid_answer"' in reply.body
    assert visitor.names == ["Bea", "Rosa"]


def test_a_token_of_an_earlier_attempt_is_refused(visitor: Visitor) -> None:
    """A stolen answer, replayed into an attempt of the thief's own browser."""
    visitor.come_back(visitor.begin())
    stolen = sign(visitor.good())
    assert visitor.come_back(visitor.begin(), stolen).status == 401


@each_row(("iss", "status"), [("https://evil.example", 401), ("", 401)])
def test_an_answer_of_another_issuer_is_refused(iss: str, status: int, hostile: HostileProvider) -> None:
    visitor = Visitor(hostile)
    reply = visitor.come_back(visitor.begin(), iss=iss)
    assert (reply.status, "(answer-issuer)" in reply.body) == (status, True)
    assert all(each.path != TOKEN for each in hostile.sent), "the code does not get there"


def test_an_issuer_that_is_announced_must_come(visitor: Visitor) -> None:
    visitor.hostile.metadata["authorization_response_iss_parameter_supported"] = True
    assert visitor.come_back(visitor.begin()).status == 401
    assert visitor.come_back(visitor.begin(), iss=visitor.hostile.issuer).status == 302


def test_an_error_of_another_issuer_is_refused(visitor: Visitor) -> None:
    reply = visitor.browser.come_back(
        visitor.begin(), CORP, error="access_denied", iss="https://evil.example"
    )
    assert (reply.status, "(answer-issuer)" in reply.body) == (401, True)


def test_a_code_that_the_provider_refuses_is_refused(visitor: Visitor) -> None:
    state = visitor.begin()
    visitor.hostile.statuses[TOKEN] = 400
    visitor.hostile.answers[TOKEN] = {"error": "invalid_grant"}
    reply = visitor.browser.come_back(state, CORP, code="used before")
    assert (reply.status, "(code)" in reply.body) == (401, True)


@each_row(
    "answer",
    [b"", b"{", b"[]", b"\xff", b"x" * 2_000_000, {"access_token": 1}, {"id_token": "a.b.c"}, 7],
)
def test_whatever_it_answers_is_no_error_of_the_service(answer: object, hostile: HostileProvider) -> None:
    visitor = Visitor(hostile)
    state = visitor.begin()
    visitor.hostile.answers[TOKEN] = answer
    reply = visitor.browser.come_back(state, CORP, code="a code")
    assert reply.status in {401, 503}
    assert visitor.names == ["Bea", "Rosa"]


@each_row(
    "metadata",
    [
        {"authorization_endpoint": "https://evil.example\r\nSet-Cookie: a=b"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "http://evil.example/authorize"},
        {"authorization_endpoint": ""},
        {"token_endpoint": "http://169.254.169.254/latest/meta-data"},
        {"issuer": "https://evil.example"},
        {"jwks_uri": "file:///etc/passwd"},
    ],
)
def test_metadata_that_lead_elsewhere_are_refused(
    metadata: dict[str, object], hostile: HostileProvider
) -> None:
    visitor = Visitor(hostile)
    visitor.hostile.answers[METADATA] = {**visitor.hostile.metadata, **metadata}
    reply = visitor.browser.get(BEGIN, CORP, **ASKED)
    assert (reply.status, "Location" in reply.headers) == (503, False)


def test_claims_of_any_form_are_no_error(visitor: Visitor) -> None:
    spoiled: list[dict[str, object]] = [
        {"groups": {"a": ["staff"]}},
        {"groups": [None, 1, [], {}]},
        {"preferred_username": {"a": 1}},
        {"preferred_username": "\ud800"},
        {"email": "a@b\ud800"},
        {"email": 7},
        {"email_verified": [True]},
        {"groups": "x" * 100_000},
        {"auth_time": 1e308},
        {"auth_time": -1},
    ]
    for changes in spoiled:
        state = visitor.begin()
        reply = visitor.come_back(state, sign(visitor.good(sub=str(changes)[:200], **changes)))
        assert reply.status in {302, 401, 403, 503}, changes
        visitor.service.attempts.noted.clear()
