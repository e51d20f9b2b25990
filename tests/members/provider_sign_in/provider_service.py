"""The endpoints of signing in with a provider, over in-memory members and fake clients of providers."""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import uuid4

from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.base.endpoint import Endpoint
from stratabase.core.http.handler import HttpHandler
from stratabase.core.observe import Log
from stratabase.members.credentials import ProviderLink, Session
from stratabase.members.endpoints.exchange import exchange_endpoint
from stratabase.members.endpoints.links import link_endpoint, links_endpoint
from stratabase.members.endpoints.sign_in_with_provider import SignInEndpoints
from stratabase.members.member import Member
from stratabase.members.pages.sign_in import SignInPages
from stratabase.members.provider_sign_in.admission import Admission
from stratabase.members.provider_sign_in.attempt import AttemptCookies, s256
from stratabase.members.provider_sign_in.codes import LinkCodes
from stratabase.members.provider_sign_in.exchange import TokenExchange
from stratabase.members.provider_sign_in.flow import ProviderSignIn
from stratabase.members.provider_sign_in.links import MemberLinks
from stratabase.members.provider_sign_in.return_address import ReturnAddresses
from stratabase.members.provider_sign_in.sealed import Seal
from stratabase.members.providers.client import ProviderClient
from stratabase.members.sessions import with_session
from stratabase.members.sign_in.bearer import BearerAuthenticator
from stratabase.members.sign_in.callers import CallerFactory, MemberCache
from stratabase.members.sign_in.sign_in_limits import FailureCount, FailureLimit
from stratabase.members.sign_in.signing_keys import SigningKeyCache
from stratabase.members.sign_in.tokens import (
    IssuedToken,
    TokenIssuer,
    TokenTerms,
    TokenVerifier,
)
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.core.http.reply import Reply
from tests.fakes import CountedIds, FrozenClock
from tests.http_fixtures import make_event
from tests.in_memory_attempts import InMemoryAttempts
from tests.in_memory_keyring import InMemoryKeyring, key
from tests.in_memory_members import InMemoryMembers
from tests.members.operations.member_operations import PROFILES
from tests.members.provider_sign_in.fake_client import ISSUER, FakeClient

BASE = "https://api.example.com/prod"
PAGE = "https://app.example.com/signed-in"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
ASKED = {"returnTo": PAGE, "challenge": s256(VERIFIER)}
BEGIN = "/public/signIn/{provider}"
CALLBACK = f"{BEGIN}/callback"
SIGN_OUT = f"{BEGIN}/signOut"
EXCHANGE = "/public/token/exchange"
LINKS = "/auth/administration/members/{id}/links"
REMOVE = f"{LINKS}/{{provider}}"
TERMS = TokenTerms("Hr")
BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
LINK = ProviderLink(ISSUER, "1", "id", 0)
ROSA = Member("r", "Rosa", "rosa@example.org", "Clerk", links=(LINK,))
BOSS = Member("b", "Bea", "bea@example.com", "Boss", password="hash of whatever")


@dataclass
class ProviderService:
    """A service with the provider `id`, and with any others that a test adds."""

    members: InMemoryMembers = field(default_factory=lambda: InMemoryMembers(BOSS, ROSA))
    provider: FakeClient = field(default_factory=FakeClient)
    others: dict[str, FakeClient] = field(default_factory=dict)
    real: dict[str, ProviderClient] = field(default_factory=dict)
    """Clients that talk to a provider."""
    clock: FrozenClock = field(default_factory=FrozenClock)
    attempts: InMemoryAttempts = field(default_factory=InMemoryAttempts)
    keyring: InMemoryKeyring = field(default_factory=lambda: InMemoryKeyring(key("one")))
    logged: io.StringIO = field(default_factory=io.StringIO)
    ids: CountedIds = field(default_factory=CountedIds)
    refused: list[str] = field(default_factory=list)
    """The IDs of members who were refused, and "" for nobody known."""

    @cached_property
    def keys(self) -> SigningKeyCache:
        return SigningKeyCache(self.keyring, self.clock, self.ids, 1_800_000)

    @cached_property
    def limit(self) -> FailureLimit:
        return FailureLimit(self.attempts, self.clock, None)

    @cached_property
    def admission(self) -> Admission:
        return Admission(self.members, PROFILES, self.clock, self.ids)

    @cached_property
    def link_codes(self) -> LinkCodes:
        return LinkCodes(Seal(self.keys, "link code"))

    @cached_property
    def log(self) -> Log:
        return Log("DEBUG", self.logged, service=f"signin{uuid4()}")

    @cached_property
    def flow(self) -> ProviderSignIn:
        return ProviderSignIn(
            self.clients,
            self.admission,
            self.link_codes,
            ReturnAddresses(["https://app.example.com"]),
            FailureCount(self.attempts, self.clock),
            self.clock,
            log=self.log,
            note_refusal=self.refused.append,
        )

    @cached_property
    def clients(self) -> Mapping[str, ProviderClient]:
        clients = {"id": self.provider, **self.others}
        return {**{name: each.as_client() for name, each in clients.items()}, **self.real}

    @cached_property
    def exchange(self) -> TokenExchange:
        by_issuer = {each.provider.issuer: each for each in self.clients.values()}
        return TokenExchange(
            self.members,
            self.admission,
            by_issuer.get,
            self.issue,
            TERMS.sessions,
            self.limit,
            self.clock,
            self.ids,
            self.refused.append,
        )

    @cached_property
    def links(self) -> MemberLinks:
        return MemberLinks(self.members, self.link_codes, self.clients, self.clock)

    def issue(self, member: Member, session: Session) -> IssuedToken:
        return TokenIssuer(self.keys, self.ids, TERMS).issue(member, session)

    @cached_property
    def tokens(self) -> TokenVerifier:
        """What verifies tokens, in another process."""
        keys = SigningKeyCache(self.keyring, self.clock, self.ids, TERMS.validity)
        cache = MemberCache(self.members, self.clock)
        return TokenVerifier(keys, cache, CallerFactory(PROFILES), self.clock, TERMS.audience)

    @cached_property
    def endpoints(self) -> Mapping[str, Endpoint]:
        cookies = AttemptCookies(Seal(self.keys, "attempt"))
        made = SignInEndpoints(lambda: self.flow, lambda: cookies, SignInPages("Hr"), self.clock, self.log)
        return {
            BEGIN: made.begin(),
            CALLBACK: made.callback(),
            SIGN_OUT: made.sign_out(),
            EXCHANGE: exchange_endpoint(lambda: self.exchange),
            LINKS: links_endpoint(lambda: self.links),
            REMOVE: link_endpoint(lambda: self.links),
        }

    @cached_property
    def handler(self) -> LambdaHandler:
        cors = Cors(("https://app.example.com",))
        authentication = Authentication({"Bearer": BearerAuthenticator(self.tokens.caller)})
        return LambdaHandler(HttpHandler(self.endpoints, authentication, cors=cors, log=self.log))

    @cached_property
    def documented(self) -> Documented:
        return Documented(self.endpoints)

    def send(self, method: str, resource: str, *, token: str = "", **rest: Any) -> Reply:
        """Send a request, whose answer must be as the OpenAPI document says."""
        headers = {**rest.pop("headers", {}), **({"authorization": f"Bearer {token}"} if token else {})}
        answer = self.handler(make_event(method, resource, headers=headers, **rest))
        if answer["statusCode"] != 405:
            self.documented.check(method, resource, answer)
        assert answer["statusCode"] != 500, answer["body"]
        return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

    def exchanged(self, fields: Mapping[str, str], **rest: Any) -> Reply:
        """Exchange something for a token."""
        return self.send("POST", EXCHANGE, body=json.dumps(fields), **rest)

    def token_of(self, id_: str, *, age: int = 0, way: str = "password") -> str:
        """Begin a session of a member some milliseconds ago, and return a token."""
        now = self.clock.instant
        session = Session(self.ids.new(), now - age, now, way)
        before = self.stored(id_)
        after = with_session(before, session, now, TERMS.sessions)
        self.members.change(before, after)
        return self.issue(after, session).access_token

    def stored(self, id_: str = "r") -> Member:
        member = self.members.by_id(id_)
        assert member is not None
        return member


@dataclass
class FakeBrowser:
    """A browser that follows redirects by hand, and keeps cookies."""

    service: ProviderService
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, resource: str, provider: str = "id", **query: str) -> Reply:
        """Open an address."""
        sent = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        reply = self.service.send(
            "GET",
            resource,
            parameters={"provider": provider},
            query={name: [value] for name, value in query.items()},
            headers={**BROWSER, **({"cookie": sent} if sent else {})},
        )
        for cookie in reply.headers.get("Set-Cookie", ()):
            name, _equals, value = cookie.partition(";")[0].partition("=")
            self.cookies.pop(name, None)
            if value:
                self.cookies[name] = value
        return reply

    def begin(self, provider: str = "id", **query: str) -> str:
        """Begin a sign-in, and return its state."""
        reply = self.get(BEGIN, provider, **{**ASKED, **query})
        assert reply.status == 302, reply.body
        return parameters(reply)["state"]

    def come_back(self, state: str, provider: str = "id", **answer: str) -> Reply:
        """Come back from the provider, with the code `good` if nothing else is said."""
        return self.get(CALLBACK, provider, state=state, **(answer or {"code": "good"}))

    def sign_in(self, **query: str) -> str:
        """Sign in, and return the code."""
        reply = self.come_back(self.begin(**query))
        assert reply.status == 302, reply.body
        assert location(reply).startswith(f"{PAGE}?code=")
        return parameters(reply)["code"]


def location(reply: Reply) -> str:
    (url,) = reply.headers["Location"]
    return str(url)


def parameters(reply: Reply) -> dict[str, str]:
    """Return the query of the address to which a redirect leads."""
    return dict(parse_qsl(urlsplit(location(reply)).query))


def error_url(error: str) -> str:
    return f"{PAGE}?{urlencode({'error': error})}"
