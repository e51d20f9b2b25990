"""The sign-in page, request by request, as a browser without JavaScript sends them."""

import io
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

import pytest

from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated, Unavailable
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.handler import HttpHandler
from stratabase.core.observe import Log
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.endpoints.sign_in_page import BY_PASSWORD, SignInPage, SignInWay
from stratabase.members.endpoints.sign_in_ways import sign_in_ways_endpoint
from stratabase.members.member import Member
from stratabase.members.pages.sign_in import SignInPages
from stratabase.members.provider_sign_in.attempt import s256
from stratabase.members.provider_sign_in.codes import find_code
from stratabase.members.provider_sign_in.flow import check_end
from stratabase.members.provider_sign_in.password import PasswordSignIn
from stratabase.members.provider_sign_in.return_address import ReturnAddresses
from stratabase.members.refusals import TooManyFailures
from stratabase.values.messages import verbatim
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.core.http.reply import Reply
from tests.fakes import FrozenClock
from tests.http_fixtures import make_event
from tests.in_memory_members import InMemoryMembers
from tests.rows import each_row

PATH = "/public/signIn"
PAGE = "https://app.example.com/?a=b"
VERIFIER = "v" * 43
END = {"returnTo": PAGE, "challenge": s256(VERIFIER)}
BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
FORM = {**BROWSER, "content-type": "application/x-www-form-urlencoded"}
SECRET = "correct horse battery"
ANNA = Member("m1", "anna", "anna@example.com", "Clerk", password="hash of it")
BY_PROVIDER = SignInWay("id", verbatim("R&D"), "/public/signIn/id", "/public/signIn/id/signOut")


class Form(HTMLParser):
    """The fields of the form of a page, its alert, and its links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "input":
            self.fields[str(values["name"])] = values.get("value") or ""
        if tag == "a":
            self.links.append(str(values["href"]))


class SignInService:
    """The sign-in page over in-memory members. One password is right."""

    def __init__(self) -> None:
        self.members = InMemoryMembers(ANNA)
        self.clock = FrozenClock()
        self.refusal: Exception | None = None
        self.ways: Callable[[], Sequence[SignInWay]] = lambda: [BY_PASSWORD, BY_PROVIDER]
        self.asked: list[tuple[str, str, str]] = []
        self.logged = io.StringIO()
        addresses = ReturnAddresses(["https://app.example.com"])
        page = SignInPage(
            self._ways,
            lambda *end: check_end(addresses, *end),
            PasswordSignIn(self.verify, self.members, self.clock),
            SignInPages("Hr"),
            Log("DEBUG", self.logged, service=f"sign-in{uuid4()}"),
        )
        endpoints = {PATH: sign_in_ways_endpoint(self._ways, page)}
        self._documented = Documented(endpoints)
        self._handler = LambdaHandler(HttpHandler(endpoints, Authentication({})))

    def _ways(self) -> Sequence[SignInWay]:
        return self.ways()

    def verify(self, username: str, password: str, address: str) -> Caller:
        self.asked.append((username, password, address))
        if self.refusal:
            raise self.refusal
        if (username, password) != ("anna", SECRET):
            raise Unauthenticated(verbatim("The username or password is incorrect."))
        return Caller("m1", "anna", "Clerk", proof=SentPassword())

    def send(self, method: str, **rest: Any) -> Reply:
        answer = self._handler(make_event(method, PATH, **rest))
        self._documented.check(method, PATH, answer)
        return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

    def show(self, query: Mapping[str, str], language: str = "en") -> Reply:
        multiple = {name: [value] for name, value in query.items()}
        return self.send("GET", headers={**BROWSER, "accept-language": language}, query=multiple)

    def submit(self, **fields: str) -> Reply:
        return self.send("POST", headers=FORM, body=urlencode({**END, **fields}))

    def anna(self) -> Member:
        member = self.members.by_id("m1")
        assert member is not None
        return member


@pytest.fixture
def service() -> SignInService:
    return SignInService()


def test_the_page_has_a_form_and_links_to_the_providers(service: SignInService) -> None:
    reply = service.show(END)
    form = Form(reply.body)
    assert form.fields == {**END, "maxAge": "", "username": "", "password": ""}
    forgot, provider = form.links
    base = "https://api.example.com/prod/public"
    assert forgot == f"{base}/administration/forgotPassword"
    assert urlsplit(provider)._replace(query="").geturl() == f"{base}/signIn/id"
    assert parse_qs(urlsplit(provider).query) == {name: [value] for name, value in END.items()}
    assert "Sign in with R&amp;D" in reply.body
    assert "You continue to app.example.com." in reply.body
    assert reply.headers["Cache-Control"] == ["no-store"]
    assert "Accept" in reply.headers["Vary"][0].split(", ")


def test_a_fresh_sign_in_is_asked_of_the_providers(service: SignInService) -> None:
    form = Form(service.show({**END, "maxAge": "600"}).body)
    assert form.fields["maxAge"] == "600"
    assert "maxAge=600" in form.links[-1]
    again = service.submit(username="anna", password="wrong", maxAge="600")
    assert Form(again.body).fields["maxAge"] == "600"


def test_the_page_is_in_the_language_of_the_browser(service: SignInService) -> None:
    reply = service.show(END, "it")
    assert "Nome utente" in reply.body


def test_a_page_of_the_service_is_not_named(service: SignInService) -> None:
    end = {**END, "returnTo": "https://api.example.com/prod/public/account"}
    assert "You continue" not in service.show(end).body


def test_without_an_end_a_browser_is_led_to_the_account_page(service: SignInService) -> None:
    reply = service.show({})
    assert (reply.status, reply.headers["Location"]) == (302, ["https://api.example.com/prod/public/account"])


@each_row(
    "change, words",
    [
        ({"returnTo": "https://evil.example/"}, "not one of this service"),
        ({"returnTo": "javascript:alert(1)"}, "must be an absolute URL"),
        ({"returnTo": "https://app.example.com/?code=1"}, "must not contain the parameters"),
        ({"returnTo": ""}, "must be an absolute URL"),
        ({"challenge": "short"}, "must be the base64url form"),
        ({"challenge": ""}, "must be the base64url form"),
        ({"maxAge": "soon"}, "must be a whole number"),
    ],
)
def test_the_page_leads_nowhere_else(change: dict[str, str], words: str) -> None:
    service = SignInService()
    for reply in (
        service.show({**END, **change}),
        service.submit(username="anna", password=SECRET, **change),
    ):
        assert reply.status == 400
        assert words in reply.body
        assert "<form" not in reply.body
    assert service.asked == []


def test_a_repeated_parameter_is_refused(service: SignInService) -> None:
    query = {"returnTo": [PAGE, "https://evil.example/"], "challenge": [END["challenge"]]}
    assert service.send("GET", headers=BROWSER, query=query).status == 400
    body = f"{urlencode(END)}&returnTo=https%3A%2F%2Fevil.example"
    reply = service.send("POST", headers=FORM, body=body)
    assert (reply.status, "<form" in reply.body) == (400, False)


def test_the_right_password_leads_back_with_a_code(service: SignInService) -> None:
    reply = service.submit(username="anna", password=SECRET)
    assert reply.status == 303
    (location,) = reply.headers["Location"]
    address, _, code = location.partition("&code=")
    assert address == PAGE
    assert find_code(service.anna(), code, VERIFIER, service.clock.now()) is not None
    assert find_code(service.anna(), code, "x" * 43, service.clock.now()) is None
    assert code not in repr(service.anna())
    assert (reply.headers["Cache-Control"], reply.headers["Referrer-Policy"]) == (
        ["no-store"],
        ["no-referrer"],
    )
    (kept,) = service.anna().codes
    assert (kept.way, kept.since) == ("password", service.clock.now())


@each_row("username", ["anna", "nobody"])
def test_a_wrong_password_shows_the_page_again(username: str) -> None:
    service = SignInService()
    reply = service.submit(username=username, password="not-the-secret")
    assert reply.status == 401
    assert "The username or password is incorrect." in reply.body
    assert '<div id="error" role="alert" tabindex="-1" autofocus>' in reply.body
    assert "<title>Error: Sign in" in reply.body
    form = Form(reply.body)
    assert form.fields == {**END, "maxAge": "", "username": username, "password": ""}
    assert "not-the-secret" not in reply.body + service.logged.getvalue()
    assert reply.headers["WWW-Authenticate"] == ['Bearer realm="Stratabase"']
    assert service.anna().codes == ()


@each_row("fields", [{}, {"username": "anna"}, {"password": SECRET}, {"username": "", "password": ""}])
def test_an_incomplete_form_is_no_attempt(fields: dict[str, str]) -> None:
    service = SignInService()
    reply = service.submit(**fields)
    assert (reply.status, "Enter your username and your password." in reply.body) == (400, True)
    assert service.asked == []


@each_row(
    "refusal, status, retry_after",
    [
        (TooManyFailures(60), 429, ["60"]),
        (Forbidden(verbatim("The model has no such profile.")), 403, None),
        (Unavailable(verbatim("The table is busy."), 7), 503, ["7"]),
    ],
)
def test_other_refusals_are_shown_on_the_page(
    refusal: Exception, status: int, retry_after: list[str] | None
) -> None:
    service = SignInService()
    service.refusal = refusal
    reply = service.submit(username="anna", password=SECRET)
    assert (reply.status, reply.headers.get("Retry-After")) == (status, retry_after)
    assert Form(reply.body).fields["username"] == "anna"


def test_what_was_typed_is_escaped(service: SignInService) -> None:
    reply = service.submit(username='"><script>alert(1)</script>', password="x")
    assert "<script>" not in reply.body
    assert Form(reply.body).fields["username"] == '"><script>alert(1)</script>'


def test_programs_are_told_where_to_go(service: SignInService) -> None:
    reply = service.send("POST", body="{}", headers={"content-type": "application/json"})
    assert reply.status == 415
    assert "/public/token/getJwtToken" in reply.json()["detail"]


@each_row("error", [Unavailable(verbatim("busy"), 1), UnusableStore("bad document")])
def test_passwords_work_without_the_document_of_the_providers(error: Exception) -> None:
    service = SignInService()

    def fail() -> Sequence[SignInWay]:
        raise error

    service.ways = fail
    reply = service.show(END)
    assert reply.status == 200
    assert len(Form(reply.body).links) == 1
    assert "Identity providers not readable" in service.logged.getvalue()
    assert service.submit(username="anna", password=SECRET).status == 303


@each_row(
    "return_to, source",
    [
        (PAGE, "https://app.example.com"),
        ("https://api.example.com/prod/public/account", "https://api.example.com"),
    ],
)
def test_the_form_may_lead_to_its_end_and_nowhere_else(return_to: str, source: str) -> None:
    """Browsers apply the directive also to the redirect with which the service responds."""
    reply = SignInService().show({**END, "returnTo": return_to})
    (policy,) = reply.headers["Content-Security-Policy"]
    directives = dict(part.partition(" ")[::2] for part in policy.split("; "))
    assert directives["form-action"] == f"'self' {source}"
    assert directives["script-src"] == "'none'"
