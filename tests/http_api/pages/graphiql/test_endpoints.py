"""The GraphiQL page, its files and its content security policy."""

import gzip
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

import pytest

from stratabase.http_api.auth.authentication import Authentication
from stratabase.http_api.handler import HttpHandler
from stratabase.http_api.http.cors import Cors
from stratabase.http_api.pages.graphiql.endpoints import (
    BUILT,
    LICENSES,
    asset_name,
    assets,
    graphiql_file_endpoint,
    graphiql_page_endpoint,
)
from tests.http_api.documented import Documented
from tests.service import ROOT

SOURCES = ROOT / "tools/graphiql"
PAGE, FILE = "/public/graphiql", "/public/graphiql/{file}"
ENDPOINTS = {PAGE: graphiql_page_endpoint("Hr"), FILE: graphiql_file_endpoint()}


def send(
    resource: str, path: str | None = None, method: str = "GET", cors: Cors | None = None, **more: Any
) -> Any:
    """Return the answer to a request, which must be as documented."""
    event = {"httpMethod": method, "resource": resource, "path": path or resource, **more}
    answer = HttpHandler(ENDPOINTS, Authentication({}), cors=cors)(event)
    Documented(ENDPOINTS).check(method, resource, answer)
    return answer


def get_file(name: str, headers: Mapping[str, str] | None = None, **more: Any) -> Any:
    multiple = {name: [value] for name, value in (headers or {}).items()}
    return send(FILE, f"{PAGE}/{name}", pathParameters={"file": name}, multiValueHeaders=multiple, **more)


def policy(answer: Any) -> dict[str, str]:
    (text,) = answer["multiValueHeaders"]["Content-Security-Policy"]
    return dict(part.split(" ", 1) for part in text.split("; "))


def test_the_page_names_its_files_and_the_addresses_of_the_service() -> None:
    body = send(PAGE)["body"]
    assert f'src="graphiql/{asset_name(".js")}"' in body
    assert f'href="graphiql/{asset_name(".css")}"' in body
    assert 'data-api="../auth/api/graphql/Hr"' in body
    assert 'data-token="token/getJwtToken"' in body
    assert 'data-refresh="../auth/token/refreshJwtToken"' in body
    assert "http" not in body.replace("http-equiv", "")


def test_an_address_with_a_trailing_slash_serves_the_same_files() -> None:
    body = send(PAGE, f"{PAGE}/")["body"]
    assert f'src="../graphiql/{asset_name(".js")}"' in body
    assert 'data-api="../../auth/api/graphql/Hr"' in body


def test_the_policy_allows_only_the_page_script_and_its_own_service() -> None:
    answer = send(PAGE)
    (nonce,) = set(re.findall('nonce="([^"]+)"', answer["body"]))
    assert policy(answer) == {
        "default-src": "'none'",
        "script-src": f"'nonce-{nonce}'",
        "style-src": f"'nonce-{nonce}'",
        "img-src": "data:",
        "connect-src": "'self'",
        "form-action": "'none'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }
    headers = answer["multiValueHeaders"]
    assert (headers["Referrer-Policy"], headers["Cache-Control"]) == (["no-referrer"], ["no-store"])


def test_each_page_has_its_own_nonce() -> None:
    nonces = {policy(send(PAGE))["script-src"] for _ in range(20)}
    assert len(nonces) == 20
    assert all(len(b64decode(nonce.split("nonce-")[1][:-1] + "==", altchars=b"-_")) == 16 for nonce in nonces)


def test_a_name_in_the_page_is_never_markup() -> None:
    endpoint = graphiql_page_endpoint('"><script>')
    event = {"httpMethod": "GET", "resource": PAGE, "path": PAGE}
    assert "<script>" not in HttpHandler({PAGE: endpoint}, Authentication({}))(event)["body"]


@pytest.mark.parametrize(("suffix", "media"), [(".js", "text/javascript"), (".css", "text/css")])
def test_a_file_is_served_completely_and_is_immutable(suffix: str, media: str) -> None:
    name = asset_name(suffix)
    answer = get_file(name)
    headers = answer["multiValueHeaders"]
    assert answer["body"].encode() == (BUILT / name).read_bytes()
    assert headers["Content-Type"] == [f"{media}; charset=utf-8"]
    assert headers["Cache-Control"] == ["public, max-age=31536000, immutable"]
    assert headers["X-Content-Type-Options"] == ["nosniff"]


def test_a_file_is_compressed_for_clients_that_accept_it() -> None:
    name = asset_name(".js")
    answer = get_file(name, {"Accept-Encoding": "gzip"}, cors=Cors(("https://a.test",)))
    content = b64decode(answer["body"])
    assert gzip.decompress(content) == (BUILT / name).read_bytes()
    assert len(content) < 500_000
    assert answer["multiValueHeaders"]["Vary"] == ["Accept-Encoding, Origin"]


@pytest.mark.parametrize("coding", ["gzip", "identity"])
def test_a_client_with_the_current_file_gets_304(coding: str) -> None:
    (tag,) = get_file(asset_name(".css"), {"Accept-Encoding": coding})["multiValueHeaders"]["ETag"]
    again = get_file(asset_name(".css"), {"Accept-Encoding": coding, "If-None-Match": tag})
    assert (again["statusCode"], again["body"]) == (304, "")


def test_a_file_with_a_fixed_name_is_revalidated() -> None:
    answer = get_file(LICENSES)
    assert answer["multiValueHeaders"]["Cache-Control"] == ["no-cache"]
    assert "react-dom" in answer["body"]


@pytest.mark.parametrize(
    "name", ["nothing.js", "", "../page.html", "..%2Fpage.html", "sources.sha256", "page.py", "built", "."]
)
def test_no_other_file_is_served(name: str) -> None:
    answer = get_file(name)
    assert answer["statusCode"] == 404


def in_order() -> Iterator[str]:
    names = ["build.mjs", "package-lock.json", "package.json"]
    names += [f"src/{path.name}" for path in (SOURCES / "src").iterdir()]
    yield from sorted(names)


def test_the_served_files_match_their_sources() -> None:
    """`make graphiql` makes it again."""
    digest = sha256()
    for name in in_order():
        digest.update(f"{name}\0".encode() + (SOURCES / name).read_bytes())
    assert (BUILT / "sources.sha256").read_text() == f"{digest.hexdigest()}\n"


def test_the_files_are_small_enough_for_a_repository() -> None:
    assert sum(len(file.gzipped) for file in assets().values()) < 1_000_000


@pytest.mark.parametrize("folder", ["tools/graphiql", "tests/clients"])
def test_lock_files_name_no_registry(folder: str) -> None:
    assert '"resolved"' not in (ROOT / folder / "package-lock.json").read_text()
