"""The documentation over HTTP."""

import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from typing import Any

from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.handler import HttpHandler
from stratabase.server.documentation.endpoints import DOCUMENTATION_PATH, documentation_endpoints
from stratabase.server.documentation.pages import documentation
from stratabase.server.http.routes import Routes
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.rows import each_row

ENDPOINTS = documentation_endpoints(documentation())
ROUTES = Routes(ENDPOINTS)


def send(path: str, method: str = "GET", **headers: str) -> Any:
    """Return the answer to a request, which must be as documented."""
    match = ROUTES.match(method, path)
    event = {
        "httpMethod": method,
        "resource": match.resource,
        "path": path,
        "pathParameters": match.parameters,
        "multiValueHeaders": {name.replace("_", "-"): [value] for name, value in headers.items()},
    }
    answer = LambdaHandler(HttpHandler(ENDPOINTS, Authentication({})))(event)
    if match.resource in ENDPOINTS:
        Documented(ENDPOINTS).check(method, match.resource, answer)
    return answer


@each_row("path", [DOCUMENTATION_PATH, f"{DOCUMENTATION_PATH}/csv"])
def test_a_page_allows_only_its_own_style(path: str) -> None:
    answer = send(path)

    headers = answer["multiValueHeaders"]
    assert answer["statusCode"] == 200
    assert headers["Content-Type"] == ["text/html; charset=utf-8"]
    assert headers["X-Content-Type-Options"] == ["nosniff"]
    (style,) = re.findall(r"<style>(.*?)</style>", answer["body"], re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'; " in headers["Content-Security-Policy"][0]
    assert "script" not in headers["Content-Security-Policy"][0]


def test_a_client_that_has_the_page_gets_no_body() -> None:
    (tag,) = send(f"{DOCUMENTATION_PATH}/csv")["multiValueHeaders"]["ETag"]

    answer = send(f"{DOCUMENTATION_PATH}/csv", if_none_match=tag)

    assert answer["statusCode"] == 304
    assert not answer["body"]
    assert send(f"{DOCUMENTATION_PATH}/model", if_none_match=tag)["statusCode"] == 200


def test_head_has_the_headers_of_get() -> None:
    head, get = (send(f"{DOCUMENTATION_PATH}/csv", method) for method in ("HEAD", "GET"))
    assert head["statusCode"] == 200
    assert not head["body"]
    assert head["multiValueHeaders"] == get["multiValueHeaders"]


@each_row(
    ("path", "location"),
    [(f"{DOCUMENTATION_PATH}/", "../documentation"), (f"{DOCUMENTATION_PATH}/csv/", "../csv")],
)
def test_an_address_with_a_slash_leads_to_the_one_without(path: str, location: str) -> None:
    answer = send(path)
    assert (answer["statusCode"], answer["multiValueHeaders"]["Location"]) == (308, [location])


@each_row(
    "page",
    [
        "nothing",
        "README.md",
        "csv.md",
        "decisions",
        "decisions/2026-11-21-locks",
        "..%2fREADME",
        "..%2f..%2ftemplate.yaml",
        "%2e%2e",
        "/etc/passwd",
        "csv%00",
        "//example.com/",
    ],
)
def test_other_addresses_do_not_exist(page: str) -> None:
    answer = send(f"{DOCUMENTATION_PATH}/{page}")
    assert answer["statusCode"] == 404
    assert "does not exist" in answer["body"]


def test_the_start_of_serve_does_not_wait_for_the_parser() -> None:
    """A process of its own, because the tests import the parser."""
    code = "import sys, stratabase.server.process.service; print('markdown_it' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed == "False\n"


def test_other_methods_are_refused() -> None:
    assert send(f"{DOCUMENTATION_PATH}/csv", "POST")["statusCode"] == 405
