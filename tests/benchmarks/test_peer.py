"""The requests that are compared with PostGraphile are those of the cases, and the page has the figures."""

import json
from itertools import islice

from graphql import parse, print_ast

from benchmarks.http_rows import NEW_CREATE_CASE, NEW_GET_CASE, NEW_PAGE_CASE
from benchmarks.peer import requests
from benchmarks.peer.comparison import LIMITS
from benchmarks.peer.figures import MEASURED, PAGE, SECTION, render

IDS = [f"id{number}" for number in range(300)]
NEW = {NEW_CREATE_CASE, NEW_GET_CASE, NEW_PAGE_CASE}


def test_only_new_texts_are_new_and_all_requests_differ() -> None:
    for name, bodies in {**requests.bodies(IDS), **requests.counts()}.items():
        sent = list(islice(bodies, 90))
        assert len({print_ast(parse(text)) for text, _ in sent}) == (90 if name in NEW else 1), name
        assert len({repr(body) for body in sent}) == 90, name


def test_each_compared_case_has_limits() -> None:
    named = {*requests.bodies(IDS), *requests.counts()}
    assert all(any(f"{limited},".startswith(f"{name},") for limited in LIMITS) for name in named)
    assert all(goal <= limit for limit, goal in LIMITS.values())


def test_the_page_has_the_kept_figures() -> None:
    page = PAGE.read_text()
    assert SECTION in page
    assert render(page, json.loads(MEASURED.read_text())) == page
