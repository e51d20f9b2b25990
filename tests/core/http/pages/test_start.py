"""The root address: a page for people, and JSON for programs."""

import json
from typing import Any

from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.handler import HttpHandler
from stratabase.core.http.pages.start import StartLinks, start_endpoint
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.rows import each_row

BASE = "https://api.example.com/hr"
PATHS = {
    "graphql": "/auth/api/graphql/Hr",
    "token": "/public/token/getJwtToken",
    "openapi": "/public/openapi.json",
    "reference": "/public/reference",
    "health": "/public/health",
    "graphiql": "/public/graphiql",
}
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


LINKS = StartLinks("Hr", "1.2.3", PATHS, None)


def send(links: StartLinks = LINKS, method: str = "GET", **headers: str) -> Any:
    """Return the answer to a request for the root, which must be as documented."""
    endpoints = {"/": start_endpoint(links)}
    multiple = {name.replace("_", "-"): [value] for name, value in headers.items()}
    event = {"httpMethod": method, "resource": "/", "path": "/", "multiValueHeaders": multiple}
    answer = LambdaHandler(HttpHandler(endpoints, Authentication({}), base_url=BASE))(event)
    Documented(endpoints).check(method, "/", answer)
    return answer


@each_row("accept", ["*/*", "application/json", "text/html;q=0.5, application/json", "image/png"])
def test_programs_get_json(accept: str) -> None:
    answer = send(accept=accept)
    assert json.loads(answer["body"]) == {
        "application": "Hr",
        "version": "1.2.3",
        "links": {name: BASE + path for name, path in PATHS.items()},
    }
    assert "Accept" in answer["multiValueHeaders"]["Vary"][0]


def test_browsers_get_a_page_that_leads_to_the_others() -> None:
    answer = send(accept=BROWSER)
    body = answer["body"]
    assert answer["multiValueHeaders"]["Content-Type"] == ["text/html; charset=utf-8"]
    assert f'<a href="{BASE}/public/graphiql">GraphiQL</a>' in body
    assert f'<a href="{BASE}/public/reference">API reference</a>' in body
    # The address is broken at its slashes if the page is narrow.
    assert "<code>https://<wbr>api.example.com/<wbr>hr/<wbr>auth/<wbr>api/<wbr>graphql/<wbr>Hr</code>" in body
    assert "Documentation" not in body


def test_browsers_go_to_the_console_where_there_is_one() -> None:
    """The redirect is a path, which is right behind any host name."""
    paths = {"console": "/console", **PATHS}
    links = StartLinks("Hr", "1.2.3", paths, None)
    answer = send(links, accept=BROWSER)
    assert answer["statusCode"] == 303
    headers = answer["multiValueHeaders"]
    assert (headers["Location"], headers["Cache-Control"]) == (["/hr/console/"], ["no-store"])
    assert "Accept" in headers["Vary"][0]
    assert json.loads(send(links)["body"])["links"]["console"] == f"{BASE}/console"


def test_the_page_is_in_the_language_of_the_browser() -> None:
    body = send(accept=BROWSER, accept_language="it")["body"]
    assert '<html lang="it">' in body
    assert "Benvenuti" in body


def test_the_page_leads_to_the_documentation_of_the_settings() -> None:
    url = "https://docs.example.com/?a=1&b=2"
    links = StartLinks("Hr", "1.2.3", {name: PATHS[name] for name in PATHS if name != "graphiql"}, url)
    body = send(links, accept=BROWSER)["body"]
    assert '<a href="https://docs.example.com/?a=1&amp;b=2">Documentation</a>' in body
    assert "GraphiQL" not in body
    assert json.loads(send(links)["body"])["links"]["documentation"] == url


def test_the_page_leads_to_the_documentation_of_the_service_without_that_setting() -> None:
    paths = {**PATHS, "documentation": "/public/documentation"}
    links = StartLinks("Hr", "1.2.3", paths, None)
    assert f'<a href="{BASE}/public/documentation">Documentation</a>' in send(links, accept=BROWSER)["body"]
    other = StartLinks("Hr", "1.2.3", paths, "https://docs.example.com")
    assert json.loads(send(other)["body"])["links"]["documentation"] == "https://docs.example.com"


def test_a_name_is_never_markup() -> None:
    assert "<script>" not in send(StartLinks("<script>", "1", PATHS, None), accept=BROWSER)["body"]


def test_other_methods_are_refused() -> None:
    assert send(method="POST")["statusCode"] == 405
