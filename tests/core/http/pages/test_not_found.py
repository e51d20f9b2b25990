"""An unknown address: a page for browsers, and problem details for programs."""

import json
from typing import Any

from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.handler import CATCH_ALL, HttpHandler
from stratabase_aws.functions.handler import LambdaHandler
from tests.rows import each_row

BASE = "https://api.example.com/hr"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
HANDLER = LambdaHandler(HttpHandler({}, Authentication({}), base_url=BASE, find_application=lambda: "Hr"))


def ask(
    path: str = "nothing", method: str = "GET", handler: LambdaHandler = HANDLER, **headers: str
) -> tuple[Any, Any]:
    """Return the headers and the body of a 404."""
    multiple = {name.replace("_", "-"): [value] for name, value in headers.items()}
    event = {
        "httpMethod": method,
        "resource": CATCH_ALL,
        "path": f"/{path}",
        "pathParameters": {"proxy": path},
        "multiValueHeaders": multiple,
    }
    answer = handler(event)
    assert answer["statusCode"] == 404
    return answer["multiValueHeaders"], answer["body"]


@each_row(
    ("language", "heading", "link"),
    [
        ("en", "Page not found", "Go to the start page"),
        ("it", "Pagina non trovata", "Vai alla pagina iniziale"),
    ],
)
def test_a_browser_gets_a_page_that_leads_to_the_start(language: str, heading: str, link: str) -> None:
    headers, body = ask(accept=BROWSER, accept_language=language)
    assert headers["Content-Type"] == ["text/html; charset=utf-8"]
    assert headers["Content-Language"] == [language]
    assert "Accept" in ", ".join(headers["Vary"])
    assert f"</span> {heading}</h1>" in body
    assert f'<a href="{BASE}/">{link}</a>' in body


@each_row(
    ("method", "accept"),
    [
        ("GET", "*/*"),
        ("GET", "application/json"),
        ("GET", "text/html;q=0.5, application/problem+json"),
        ("POST", BROWSER),
    ],
)
def test_programs_get_problem_details(method: str, accept: str) -> None:
    headers, body = ask(method=method, accept=accept)
    assert headers["Content-Type"] == ["application/problem+json"]
    assert json.loads(body)["detail"] == "The address /nothing does not exist."


def test_a_head_request_of_a_browser_gets_the_headers_of_the_page() -> None:
    headers, body = ask(method="HEAD", accept=BROWSER)
    assert (headers["Content-Type"], body) == (["text/html; charset=utf-8"], "")


@each_row(("path", "shown"), [('<script>"', "/&lt;script&gt;&quot;"), ("\ud800", "/?")])
def test_the_address_is_shown_as_text(path: str, shown: str) -> None:
    _, body = ask(path, accept=BROWSER)
    assert f"<p>The address {shown} does not exist.</p>" in body


def test_a_function_without_an_application_has_no_page() -> None:
    headers, _ = ask(
        handler=LambdaHandler(HttpHandler({}, Authentication({}), base_url=BASE)), accept=BROWSER
    )
    assert headers["Content-Type"] == ["application/problem+json"]
