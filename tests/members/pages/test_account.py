"""The account page, as the service sends it: without data, and with all texts that its script needs."""

import re

from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.handler import HttpHandler
from stratabase.core.http.pages.page import TEMPLATES, hash_source
from stratabase.members.pages.account import ACCOUNT_PATH, account_endpoint
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.core.http.reply import Reply
from tests.http_fixtures import make_event
from tests.rows import each_row

_SCRIPTS = [TEMPLATES / "sign_in.js", *sorted((TEMPLATES / "account").glob("*.js"))]


def read(query: dict[str, list[str]] | None = None, **headers: str) -> Reply:
    endpoints = {ACCOUNT_PATH: account_endpoint("Hr")}
    multiple = {name.replace("_", "-"): value for name, value in headers.items()}
    event = make_event("GET", ACCOUNT_PATH, headers=multiple, query=query)
    answer = LambdaHandler(HttpHandler(endpoints, Authentication({})))(event)
    Documented(endpoints).check("GET", ACCOUNT_PATH, answer)
    return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])


@each_row(
    "query, accepted, language",
    [
        ({}, "it", "it"),
        ({}, "de", "en"),
        ({"language": ["it-CH"]}, "en", "it"),
        ({"language": ["en"]}, "it", "en"),
        ({"language": ["<script>"]}, "it", "it"),
    ],
)
def test_the_page_is_in_the_requested_language_or_that_of_the_browser(
    query: dict[str, list[str]], accepted: str, language: str
) -> None:
    reply = read(query, accept_language=accepted)
    assert reply.headers["Content-Language"] == [language]
    assert f'<html lang="{language}">' in reply.body
    assert ("Il tuo account" in reply.body) is (language == "it")


def test_only_the_script_of_the_page_runs_and_it_talks_to_the_service_alone() -> None:
    reply = read()
    (script,) = re.findall(r'<script type="module">(.*?)</script>', reply.body, re.DOTALL)
    (policy,) = reply.headers["Content-Security-Policy"]
    directives = dict(part.partition(" ")[::2] for part in policy.split("; "))
    assert directives["script-src"] == hash_source(script)
    assert directives["connect-src"] == directives["form-action"] == "'self'"
    assert directives["default-src"] == "'none'"
    assert reply.headers["Cache-Control"] == ["no-store"]


def test_the_script_is_made_of_all_its_files() -> None:
    body = read().body
    assert all(path.read_text(encoding="utf-8") in body for path in _SCRIPTS)


def test_each_text_that_the_script_names_is_on_the_page_and_no_other() -> None:
    script = "".join(path.read_text(encoding="utf-8") for path in _SCRIPTS)
    named = {*re.findall(r'\b(?:text|say)\("(\w+)"', script)}
    assert {*re.findall(r'data-text="(\w+)"', read().body)} == named


def test_each_element_that_the_script_names_is_on_the_page() -> None:
    script = "".join(path.read_text(encoding="utf-8") for path in _SCRIPTS)
    body = read().body
    for name in set(re.findall(r'byId\("([\w-]+)"\)', script)):
        assert body.count(f'id="{name}"') == 1, name


def test_each_field_has_a_label() -> None:
    body = read().body
    html = body[: body.index("<script")]
    fields = re.findall(r"<(?:input|select|textarea)\b[^>]*>", html)
    labels = set(re.findall(r'<label for="([\w-]+)"', html))
    for field in fields:
        if "hidden" not in field and "checkbox" not in field:
            (name,) = re.findall(r'\bid="([\w-]+)"', field)
            assert name in labels


def test_no_placeholder_remains() -> None:
    assert not re.search(r"\$\w+", read().body.partition("<script")[0])
