"""GraphiQL and the API reference: their pages, files and content security policies."""

import gzip
import re
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

import pytest

from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.handler import HttpHandler
from stratabase.core.http.pages.built_files import LICENSES, built_file_endpoint
from stratabase.core.http.pages.built_page import (
    API_REFERENCE,
    GRAPHIQL,
    BuiltPage,
    built_page_endpoint,
)
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.page_sources import fingerprint, page_sources
from tests.repository import ROOT
from tests.rows import each_row

PAGE, FILE = "/public/graphiql", "/public/graphiql/{file}"
REFERENCE, REFERENCE_FILE = "/public/reference", "/public/reference/{file}"
ENDPOINTS = {
    PAGE: built_page_endpoint(GRAPHIQL, "Hr"),
    FILE: built_file_endpoint(GRAPHIQL.files, GRAPHIQL.title, GRAPHIQL.operation),
    REFERENCE: built_page_endpoint(API_REFERENCE, "Hr"),
    REFERENCE_FILE: built_file_endpoint(API_REFERENCE.files, API_REFERENCE.title, API_REFERENCE.operation),
}
PAGES = pytest.mark.parametrize("page", [GRAPHIQL, API_REFERENCE], ids=lambda page: page.name)


def send(
    resource: str, path: str | None = None, method: str = "GET", cors: Cors | None = None, **more: Any
) -> Any:
    """Return the answer to a request, which must be as documented."""
    event = {"httpMethod": method, "resource": resource, "path": path or resource, **more}
    answer = LambdaHandler(HttpHandler(ENDPOINTS, Authentication({}), cors=cors))(event)
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
    assert f'src="graphiql/{GRAPHIQL.asset_name(".js")}"' in body
    assert f'href="graphiql/{GRAPHIQL.asset_name(".css")}"' in body
    assert 'data-api="../auth/api/graphql/Hr"' in body
    assert 'data-token="token/getJwtToken"' in body
    assert 'data-refresh="../auth/token/refreshJwtToken"' in body
    assert "http" not in body.replace("http-equiv", "")


def test_the_reference_names_its_files_and_its_document() -> None:
    body = send(REFERENCE)["body"]
    assert "<title>API reference · Hr</title>" in body
    assert f'src="reference/{API_REFERENCE.asset_name(".js")}"' in body
    assert 'data-document="openapi.json"' in body
    again = send(REFERENCE, f"{REFERENCE}/")["body"]
    assert f'href="../reference/{API_REFERENCE.asset_name(".css")}"' in again
    assert 'data-document="../openapi.json"' in again


def test_an_address_with_a_trailing_slash_serves_the_same_files() -> None:
    body = send(PAGE, f"{PAGE}/")["body"]
    assert f'src="../graphiql/{GRAPHIQL.asset_name(".js")}"' in body
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
    endpoint = built_page_endpoint(GRAPHIQL, '"><script>')
    event = {"httpMethod": "GET", "resource": PAGE, "path": PAGE}
    assert "<script>" not in LambdaHandler(HttpHandler({PAGE: endpoint}, Authentication({})))(event)["body"]


@each_row(("suffix", "media"), [(".js", "text/javascript"), (".css", "text/css")])
def test_a_file_is_served_completely_and_is_immutable(suffix: str, media: str) -> None:
    name = GRAPHIQL.asset_name(suffix)
    answer = get_file(name)
    headers = answer["multiValueHeaders"]
    assert answer["body"].encode() == (GRAPHIQL.files.folder / name).read_bytes()
    assert headers["Content-Type"] == [f"{media}; charset=utf-8"]
    assert headers["Cache-Control"] == ["public, max-age=31536000, immutable"]
    assert headers["X-Content-Type-Options"] == ["nosniff"]


def test_a_file_is_compressed_for_clients_that_accept_it() -> None:
    name = GRAPHIQL.asset_name(".js")
    answer = get_file(name, {"Accept-Encoding": "gzip"}, cors=Cors(("https://a.test",)))
    content = b64decode(answer["body"])
    assert gzip.decompress(content) == (GRAPHIQL.files.folder / name).read_bytes()
    assert len(content) < 500_000
    assert answer["multiValueHeaders"]["Vary"] == ["Accept-Encoding, Origin"]


@each_row("coding", ["gzip", "identity"])
def test_a_client_with_the_current_file_gets_304(coding: str) -> None:
    (tag,) = get_file(GRAPHIQL.asset_name(".css"), {"Accept-Encoding": coding})["multiValueHeaders"]["ETag"]
    again = get_file(GRAPHIQL.asset_name(".css"), {"Accept-Encoding": coding, "If-None-Match": tag})
    assert (again["statusCode"], again["body"]) == (304, "")


def test_a_file_with_a_fixed_name_is_revalidated() -> None:
    answer = get_file(LICENSES)
    assert answer["multiValueHeaders"]["Cache-Control"] == ["no-cache"]
    assert "react-dom" in answer["body"]


@each_row(
    "name", ["nothing.js", "", "../page.html", "..%2Fpage.html", "sources.sha256", "page.py", "built", "."]
)
def test_no_other_file_is_served(name: str) -> None:
    answer = get_file(name)
    assert answer["statusCode"] == 404


@PAGES
def test_the_served_files_match_their_sources(page: BuiltPage) -> None:
    """`make graphiql` and `make reference` make them again."""
    recorded = (page.files.folder / "sources.sha256").read_text()
    assert recorded == fingerprint(page_sources(page.name))


@PAGES
def test_a_page_loads_less_than_half_a_megabyte(page: BuiltPage) -> None:
    files = [page.files.by_name[page.asset_name(suffix)] for suffix in (".js", ".css")]
    assert sum(len(file.gzipped) for file in files) < 500_000


@each_row("folder", ["tools/console", "tools/graphiql", "tools/reference", "tests/clients"])
def test_lock_files_name_no_registry(folder: str) -> None:
    assert '"resolved"' not in (ROOT / folder / "package-lock.json").read_text()
