"""People sign in with a certified identity provider, in a real browser, through the recipe of the docs."""

import base64
import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase.core.waiting import SystemClock
from stratabase.members.endpoints.exchange import ACCESS_TOKEN, GRANT_TYPE
from tests.scenarios.browser import PATIENCE
from tests.scenarios.identity_provider import IdentityProvider, running_provider
from tests.scenarios.provider_front_end import build_front_end, front_end_server
from tests.server.http.serving import http_server
from tests.service import PASSWORD, SAMPLE_MODEL, RunningService, basic

pytestmark = pytest.mark.built

MEMBERS = "/auth/administration/members"
JSON = {"Content-Type": "application/json"}


@dataclass
class Company:
    """A service, two providers that know its people, and a front end."""

    service: RunningService
    one: IdentityProvider
    two: IdentityProvider
    origin: str
    """The origin of the front end."""

    def admin(self, method: str, path: str, **fields: Any) -> Any:
        """Send a request of the administrator, and return the JSON of the response."""
        headers = {**JSON, "Authorization": basic("admin", PASSWORD)}
        body = json.dumps(fields) if fields else None
        reply = self.service.request(method, path, headers=headers, body=body)
        assert reply.status < 300, reply.body
        return reply.json() if reply.body[:1] in (b"{", b"[") else None

    def member(self, username: str) -> Any:
        """Return a member by username."""
        (found,) = (each for each in self.admin("GET", MEMBERS) if each["username"] == username)
        return self.admin("GET", f"{MEMBERS}/{found['id']}")


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    folder: Path = tmp_path_factory.mktemp("providers")
    front_end, document = folder / "front", folder / "providers.json"
    front_end.mkdir()
    with ExitStack() as stack:
        origin = stack.enter_context(front_end_server(front_end))
        settings = {
            "STRATABASE_IDENTITY_PROVIDERS": str(document),
            "STRATABASE_ALLOWED_ORIGINS": origin,
        }
        service = RunningService(folder / "home", settings=settings)
        base_url = f"http://127.0.0.1:{service.port}"
        one, two = (
            stack.enter_context(running_provider(name, base_url, f"{origin}/")) for name in ("one", "two")
        )
        document.write_text(json.dumps({"providers": [one.row(), two.row()]}))
        build_front_end(front_end, base_url, PASSWORD)
        service.start()
        stack.callback(service.stop)
        yield Company(service, one, two, origin)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, company: Company) -> Page:
    """Return the page of the front end, in which nobody is signed in."""
    page = context.new_page()
    page.goto(company.origin)
    return page


def enter(page: Page, subject: str, button: str = "one") -> None:
    """Go to a provider, and sign in there."""
    page.click(f"#{button}")
    page.fill("#login", subject)
    page.click("#submit")


def result(page: Page) -> Any:
    """Return what the front end shows at the end."""
    shown = page.locator("#result")
    expect(shown).not_to_be_empty(timeout=PATIENCE)
    return json.loads(shown.text_content() or "")


def signed_in(page: Page, company: Company) -> Any:
    """Return the member who is signed in, whose address says nothing of it."""
    page.wait_for_url(f"{company.origin}/")
    member = result(page)
    assert page.evaluate("sessionStorage.length") == 0
    return member


def test_a_new_person_signs_in(page: Page, company: Company, context: BrowserContext) -> None:
    company.one.person("rosa")
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    enter(page, "rosa")
    member = signed_in(page, company)
    assert (member["username"], member["email"], member["profile"]) == ("rosa", "rosa@example.org", "Manager")
    assert company.member("rosa")["profile"] == "Manager"
    assert all("eyJ" not in url for url in addresses), "no token is in an address"
    kept = [cookie for cookie in context.cookies() if cookie.get("name", "").startswith("stratabase")]
    assert kept == []


def test_the_profile_follows_the_provider(page: Page, company: Company) -> None:
    company.one.person("mira", ["staff"])
    enter(page, "mira")
    assert signed_in(page, company)["profile"] == "Manager"
    company.one.person("mira", ["admins", "staff"], preferred_username="somebody")
    page.click("#one")  # the provider knows her already
    page.wait_for_function("document.querySelector('#result').textContent.includes('Administrator')")
    member = signed_in(page, company)
    assert (member["username"], member["profile"]) == ("mira", "Administrator")


def test_without_a_profile_nobody_is_admitted(page: Page, company: Company) -> None:
    company.one.person("tom", ["others"])
    enter(page, "tom")
    expect(page.get_by_role("heading", name="Sign-in failed")).to_be_visible()
    page.get_by_role("link", name="Back to the application").click()
    page.wait_for_url(f"{company.origin}/")
    assert result(page) == {"error": "not_admitted"}


def test_a_taken_name_is_refused(page: Page, company: Company) -> None:
    company.one.person("intruder", preferred_username="admin")
    enter(page, "intruder")
    expect(page.get_by_text("taken")).to_be_visible()
    page.get_by_role("link", name="Back to the application").click()
    assert result(page) == {"error": "name_taken"}


def test_who_cancels_comes_back(page: Page, company: Company) -> None:
    page.click("#one")
    page.click("#cancel")
    page.wait_for_url(f"{company.origin}/")
    assert result(page) == {"error": "access_denied"}


def test_a_member_links_an_account(page: Page, company: Company) -> None:
    company.service.join("anna")
    company.one.person("a-7", preferred_username="a. nother", groups=["staff", "admins"])
    enter(page, "a-7", "link")
    page.wait_for_url(f"{company.origin}/?linking=1")
    link = result(page)
    assert (link["provider"], link["subject"], link["issuer"]) == ("one", "a-7", company.one.issuer)
    page.goto(company.origin)
    page.click("#one")
    page.wait_for_function("document.querySelector('#result').textContent.includes('username')")
    assert signed_in(page, company)["username"] == "anna"


def test_signing_out_ends_both_sessions(page: Page, company: Company) -> None:
    company.one.person("lena")
    enter(page, "lena")
    member = signed_in(page, company)
    page.click("#out")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(f"{company.origin}/")
    assert result(page) is None
    page.click("#one")
    expect(page.locator("#login")).to_be_visible()
    assert member["username"] == "lena"


def test_two_providers_are_told_apart(page: Page, company: Company) -> None:
    """The same subject at another provider is another person, whose name may be taken."""
    company.one.person("dora")
    company.two.person("dora", email="other@example.org")
    enter(page, "dora")
    first = signed_in(page, company)
    enter(page, "dora", "two")
    expect(page.get_by_text("taken")).to_be_visible()
    company.two.person("dora", preferred_username="dora2", email="dora2@example.org")
    page.goto(company.origin)
    page.click("#two")
    page.wait_for_function("document.querySelector('#result').textContent.includes('dora2')")
    assert signed_in(page, company)["id"] != first["id"]


def test_two_tabs_do_not_meet(context: BrowserContext, page: Page, company: Company) -> None:
    company.one.person("nora")
    company.two.person("olga")
    other = context.new_page()
    other.goto(company.origin)
    page.click("#one")
    other.click("#two")
    for tab, subject in ((other, "olga"), (page, "nora")):
        tab.fill("#login", subject)
        tab.click("#submit")
        assert signed_in(tab, company)["username"] == subject


class Ahead:
    """A clock that runs ahead of the machine's."""

    milliseconds = 0

    def now(self) -> int:
        return SystemClock().now() + self.milliseconds


@pytest.mark.local
def test_new_keys_of_the_provider_are_read(page: Page, tmp_path: Path) -> None:
    """In a service of this process, whose clock can move on: unknown keys are read once a minute at most."""
    document, clock = tmp_path / "providers.json", Ahead()
    settings = {
        "STRATABASE_HOME": str(tmp_path / "home"),
        "STRATABASE_MODEL": str(SAMPLE_MODEL),
        "STRATABASE_IDENTITY_PROVIDERS": str(document),
    }
    with closing(App(Settings.from_environment(settings))) as app:
        app.clock = clock  # type: ignore[assignment]
        handler = app.http_handler(app.all_endpoints())
        with http_server(handler) as client:
            handler.base_url = f"http://127.0.0.1:{client.port}"
            end = f"{handler.base_url}/public/health/live"
            begin = {"returnTo": end, "challenge": "v" * 43}
            with running_provider("one", handler.base_url) as provider:
                document.write_text(json.dumps({"providers": [provider.row()]}))
                provider.person("vera")

                def sign_in() -> None:
                    page.context.clear_cookies()
                    page.goto(f"{handler.base_url}/public/signIn/one?{urlencode(begin)}")
                    page.fill("#login", "vera")
                    page.click("#submit")

                sign_in()
                page.wait_for_url(f"{end}?code=*")
                provider.control(rotate=True)
                sign_in()
                expect(page.get_by_text("(key)")).to_be_visible()
                clock.milliseconds = 60_000
                sign_in()
                page.wait_for_url(f"{end}?code=*")


def test_a_new_sign_in_can_be_required(page: Page, company: Company) -> None:
    company.one.person("ute")
    enter(page, "ute", "fresh")
    member = signed_in(page, company)
    (session,) = company.admin("GET", f"{MEMBERS}/{member['id']}/sessions")
    assert session["way"] == "one"


def test_a_program_exchanges_its_token(company: Company) -> None:
    path = "/public/token/exchange"
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    token = company.one.program_token()
    body = urlencode({"grant_type": GRANT_TYPE, "subject_token": token, "subject_token_type": ACCESS_TOKEN})
    assert company.service.request("POST", path, headers=form, body=body).status == 401
    robot = company.admin("POST", MEMBERS, username="robot", kind="program", profile="Manager")["id"]
    company.admin("POST", f"{MEMBERS}/{robot}/links", provider="one", subject="hr")
    reply = company.service.request("POST", path, headers=form, body=body)
    assert reply.status == 200, reply.body
    bearer = {"Authorization": f"Bearer {reply.json()['access_token']}"}
    assert company.service.request("GET", "/auth/administration/member", headers=bearer).json()["id"] == robot
    direct = {"Authorization": f"Bearer {token}"}
    refused = company.service.request("GET", "/auth/administration/member", headers=direct)
    assert refused.status == 401, "it is not taken instead of a token of the service"


def test_the_page_of_ways_leads_to_the_providers(page: Page, company: Company) -> None:
    company.one.person("ida")
    challenge = base64.urlsafe_b64encode(b"c" * 32).rstrip(b"=").decode()
    query = urlencode({"returnTo": f"{company.origin}/", "challenge": challenge})
    page.goto(f"http://127.0.0.1:{company.service.port}/public/signIn?{query}")
    page.get_by_role("link", name="Sign in with The one").click()
    page.fill("#login", "ida")
    page.click("#submit")
    page.wait_for_url(f"{company.origin}/")
    assert result(page) == {"error": "another_tab"}, "this front end has not begun the sign-in"


def test_a_password_on_the_sign_in_page_leads_to_a_front_end_elsewhere(page: Page, company: Company) -> None:
    """Browsers refuse redirects of forms that the page's policy does not name."""
    company.service.join("tilda")
    challenge = base64.urlsafe_b64encode(b"c" * 32).rstrip(b"=").decode()
    query = urlencode({"returnTo": f"{company.origin}/", "challenge": challenge})
    page.goto(f"http://127.0.0.1:{company.service.port}/public/signIn?{query}")
    page.fill("#username", "tilda")
    page.fill("#password", PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{company.origin}/")
    assert result(page) == {"error": "another_tab"}, "this front end has not begun the sign-in"


def test_an_account_is_linked_and_unlinked_on_the_account_page(page: Page, company: Company) -> None:
    company.service.join("ulla")
    company.one.person("u-1")
    page.goto(f"http://127.0.0.1:{company.service.port}/public/account")
    page.fill("#username", "ulla")
    page.fill("#password", PASSWORD)
    page.click("#set")
    ways = page.get_by_role("region", name="Other ways to sign in")
    with page.expect_popup() as opened:
        ways.get_by_role("button", name="Link The one").click()
    opened.value.fill("#login", "u-1")
    with opened.value.expect_event("close"):
        opened.value.click("#submit")
    expect(ways.get_by_role("status")).to_have_text("The account is linked.", timeout=PATIENCE)
    expect(ways.get_by_role("listitem").first).to_contain_text("Linked since")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Sign in with The one").click()
    expect(page.locator("#account #username")).to_have_text("ulla", timeout=PATIENCE)
    expect(page.get_by_role("region", name="Sessions")).to_contain_text("The one")
    ways.get_by_role("button", name="Unlink The one").click()
    expect(ways.get_by_role("status")).to_have_text("The account is no longer linked.", timeout=PATIENCE)


def test_graphiql_offers_the_providers(page: Page, company: Company) -> None:
    company.one.person("gaia")
    page.goto(f"http://127.0.0.1:{company.service.port}/public/graphiql")
    page.get_by_role("button", name="Sign in with The one").click()
    page.fill("#login", "gaia")
    page.click("#submit")
    expect(page.locator("#member")).to_have_text("gaia", timeout=PATIENCE)
    assert page.url.endswith("/public/graphiql")
    path = f"{MEMBERS}/{company.member('gaia')['id']}/sessions"
    assert len(company.admin("GET", path)) == 1
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Username")).to_be_visible()
    assert company.admin("GET", path) == []
