"""The page of the console: its base, its files, its policy, and what it says about the service."""

import html
import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.app.routes import CONSOLE_PATH, console_service
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.base.endpoint import Endpoint
from stratabase.core.http.handler import CATCH_ALL, HttpHandler
from stratabase.core.http.pages.built_files import BuiltFiles, built_file_endpoint
from stratabase.core.http.pages.console_page import (
    CONSOLE_PAGE,
    ConsolePage,
    ConsoleService,
    console_endpoint,
)
from stratabase.server.http.routes import Routes
from stratabase_aws.functions.handler import LambdaHandler
from tests import golden
from tests.core.http.documented import Documented
from tests.page_sources import console_sources, fingerprint
from tests.repository import ROOT
from tests.rows import each_row

BASE = "https://api.example.com/dev"
BELOW, FILE = f"{CONSOLE_PATH}/{{proxy+}}", f"{CONSOLE_PATH}/assets/{{file}}"
SERVICE = ConsoleService(CONSOLE_PATH, "Hr", "1.2.3", {"graphql": "/auth/api/graphql/Hr", "graphiql": None})
MANIFEST = {
    "src/main.tsx": {
        "file": "console-1.js",
        "isEntry": True,
        "imports": ["_a.js", "_b.js"],
        "dynamicImports": ["src/later.tsx"],
        "css": ["console-1.css"],
    },
    "_a.js": {"file": "a-1.js", "imports": ["_b.js"], "css": ["a-1.css"]},
    "_b.js": {"file": "b-1.js", "imports": ["_a.js"]},
    "src/later.tsx": {"file": "later-1.js", "isDynamicEntry": True},
}


@pytest.fixture
def console(tmp_path: Path) -> ConsolePage:
    """Return a console with built files of its own."""
    (tmp_path / "manifest.json").write_text(json.dumps(MANIFEST))
    (tmp_path / "sources.sha256").write_text("0")
    (tmp_path / "licenses.txt").write_text("MIT")
    for name in ("console-1.js", "console-1.css", "a-1.js", "a-1.css", "b-1.js", "later-1.js"):
        (tmp_path / name).write_text(f"/* {name} */")
    return ConsolePage(BuiltFiles(tmp_path))


def endpoints(console: ConsolePage, service: ConsoleService = SERVICE) -> Mapping[str, Endpoint]:
    return {
        CONSOLE_PATH: console_endpoint(lambda: service, console),
        BELOW: console_endpoint(lambda: service, console, is_below=True),
        FILE: built_file_endpoint(console.files, "console", "Console"),
    }


def send(
    console: ConsolePage,
    path: str = CONSOLE_PATH,
    *,
    method: str = "GET",
    base_url: str = BASE,
    service: ConsoleService = SERVICE,
    **headers: str,
) -> Any:
    """Return the answer to a request, which must be as documented."""
    served = endpoints(console, service)
    match = Routes(served).match(method, path)
    event = {
        "httpMethod": method,
        "resource": match.resource,
        "path": path,
        "pathParameters": match.parameters,
        "multiValueHeaders": {name.replace("_", "-"): [value] for name, value in headers.items()},
    }
    handler = HttpHandler(served, Authentication({}), base_url=base_url, cors=Cors(("https://a.test",)))
    answer = LambdaHandler(handler)(event)
    Documented(served).check(method, match.resource, answer)
    return answer


def description(answer: Any) -> Any:
    """Return what the page tells the console about the service."""
    (text,) = re.findall('data-service="([^"]+)"', answer["body"])
    return json.loads(html.unescape(text))


def policy(answer: Any) -> dict[str, str]:
    (text,) = answer["multiValueHeaders"]["Content-Security-Policy"]
    return dict(part.split(" ", 1) for part in text.split("; "))


@each_row(
    ("base_url", "base"),
    [
        ("https://x.execute-api.eu-south-1.amazonaws.com/dev", "/dev/console/"),
        ("https://hr.example.com", "/console/"),
        ("https://example.com/apps/hr", "/apps/hr/console/"),
        ("http://127.0.0.1:8000", "/console/"),
    ],
)
def test_the_base_is_a_path_below_that_of_the_service(base_url: str, base: str, console: ConsolePage) -> None:
    """So the page works behind a stage, a domain of one's own, and a tunnel with another host name."""
    body = send(console, base_url=base_url, host="evil.example.com")["body"]
    assert f'<base href="{base}">' in body
    assert "evil" not in body


@each_row(
    "path",
    ["/console/", "/console/Employee/1", "/console/a.js", "/console/%C3%A9%2F..%2Fx", "/console/a%20b/"],
)
def test_every_address_below_shows_the_page(path: str, console: ConsolePage) -> None:
    answer = send(console, path)
    assert (answer["statusCode"], "<title>Hr</title>" in answer["body"]) == (200, True)


@each_row(
    "path", ["/console/assets", "/console/assets/no.js", "/console/assets/a/b.js", "/console/assets%2Fa"]
)
def test_a_missing_file_is_not_the_page(path: str, console: ConsolePage) -> None:
    answer = send(console, path)
    assert answer["statusCode"] == 404
    assert answer["multiValueHeaders"]["Content-Type"] == ["application/problem+json"]
    assert path.removeprefix("/console/").rpartition("/")[2].partition("%")[0] in answer["body"]


def test_the_page_loads_the_first_chunk_and_all_that_it_imports(console: ConsolePage) -> None:
    answer = send(console)
    nonce = policy(answer)["script-src"].removeprefix("'nonce-").removesuffix("'")
    elements = re.findall(
        r'<(?:link rel="(\w+)"|script type="(module)") (?:href|src)="(assets/[^"]+)" nonce="([^"]+)">',
        answer["body"],
    )
    assert [(first or second, file) for first, second, file, _ in elements] == [
        ("stylesheet", "assets/a-1.css"),
        ("stylesheet", "assets/console-1.css"),
        ("modulepreload", "assets/b-1.js"),
        ("modulepreload", "assets/a-1.js"),
        ("module", "assets/console-1.js"),
    ]
    assert {given for *_, given in elements} == {nonce}
    assert f'<meta property="csp-nonce" nonce="{nonce}">' in answer["body"]
    assert nonce not in send(console)["body"]


def test_the_policy_allows_only_the_files_and_requests_of_the_service(console: ConsolePage) -> None:
    answer = send(console)
    (nonce,) = set(re.findall('nonce="([^"]+)"', answer["body"]))
    assert policy(answer) == {
        "default-src": "'none'",
        "script-src": f"'nonce-{nonce}'",
        "style-src": f"'nonce-{nonce}'",
        "img-src": "'self' blob: data:",
        "connect-src": "'self'",
        "base-uri": "'self'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    headers = {name: values[0] for name, values in answer["multiValueHeaders"].items()}
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_page_describes_the_service(console: ConsolePage) -> None:
    assert description(send(console)) == {
        "application": "Hr",
        "version": "1.2.3",
        "language": "en",
        "languages": ["en", "it"],
        "addresses": {"graphql": "../auth/api/graphql/Hr", "graphiql": None},
    }


def test_the_page_is_in_the_language_of_the_browser(console: ConsolePage) -> None:
    answer = send(console, accept_language="it-CH, de;q=0.5")
    assert '<html lang="it">' in answer["body"]
    assert description(answer)["language"] == "it"
    assert answer["multiValueHeaders"]["Content-Language"] == ["it"]
    assert "Questa pagina richiede JavaScript." in answer["body"]
    assert "This page requires JavaScript." in send(console)["body"]


def test_a_name_is_never_markup(console: ConsolePage) -> None:
    name = '"><script>alert(1)</script>'
    answer = send(console, service=ConsoleService(CONSOLE_PATH, name, "1", {}))
    assert "<script>" not in answer["body"]
    assert description(answer)["application"] == name


def test_other_methods_are_refused_and_head_has_no_body(console: ConsolePage) -> None:
    for path in ("/console", "/console/a/b", "/console/assets/a-1.js"):
        assert send(console, path, method="POST")["statusCode"] == 405
        head = send(console, path, method="HEAD")
        assert (head["statusCode"], head["body"]) == (200, "")
        options = send(console, path, method="OPTIONS", origin="https://a.test")
        assert options["statusCode"] == 204
        assert options["multiValueHeaders"]["Allow"] == ["GET, HEAD, OPTIONS"]


def test_a_file_is_immutable_and_has_a_tag(console: ConsolePage) -> None:
    answer = send(console, "/console/assets/later-1.js")
    assert answer["body"] == "/* later-1.js */"
    assert answer["multiValueHeaders"]["Cache-Control"] == ["public, max-age=31536000, immutable"]
    (tag,) = answer["multiValueHeaders"]["ETag"]
    assert send(console, "/console/assets/later-1.js", if_none_match=tag)["statusCode"] == 304


@each_row("name", ["manifest.json", "sources.sha256", "..%2Fpage.html", "."])
def test_what_belongs_to_the_build_is_not_served(name: str, console: ConsolePage) -> None:
    assert send(console, f"/console/assets/{name}")["statusCode"] == 404


def test_without_a_build_the_page_says_how_to_make_one(tmp_path: Path) -> None:
    answer = send(ConsolePage(BuiltFiles(tmp_path)))
    assert answer["statusCode"] == 404
    assert "run `make console`" in answer["body"]


def test_each_address_that_the_console_gets_has_an_endpoint() -> None:
    """`file` is what the addresses of files begin with. Only `serve` has documentation."""
    with golden.sample() as app:
        routes = Routes(app.all_endpoints())
        addresses = dict(console_service(app).addresses)
        assert addresses.pop("documentation") is None
        assert addresses.pop("file") == "/auth/file"
        assert len(addresses) > 15
        for name, address in addresses.items():
            assert address is not None, name
            found = routes.match("GET", address.partition("?")[0]).resource
            assert found != CATCH_ALL, name


def test_the_served_files_match_their_sources() -> None:
    """`make console` makes them again. If none are committed, tests that open the console build it."""
    recorded = CONSOLE_PAGE.files.folder / "sources.sha256"
    listed = subprocess.run(["git", "ls-files", recorded], cwd=ROOT, capture_output=True, check=False)
    if not listed.stdout:
        pytest.skip("the built files of the console are not in the repository")
    assert recorded.read_text() == fingerprint(console_sources())
    assert "react" in CONSOLE_PAGE.files.by_name["licenses.txt"].content.decode()
