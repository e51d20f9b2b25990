"""The functions over an emulator that fails in every way lose nothing, and write nothing twice."""

import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import pytest

from tests.service import PASSWORD, RunningService, basic, running
from tests.soak import count, seed

MODEL = """
extend schema @application(name: "Shop")
type Order @class(versioned: true) @unique(attributes: ["code"]) @index(attributes: ["note"]) {
  code: String!  note: String  number: Serial  lines: [Line!] @composition(whole: "order")
}
type Line { text: String }
"""
CREATE = "mutation($d: OrderCreate!) { Order___create(data: $d) { _id number } }"
COUNT = """query($c: String) {
  Order___getPage(options: {filter: {code___eq: $c}}) { totalCount items { _id } } }"""
LATEST = 27.0
"""Seconds after which no buffered answer may come."""
WRITERS = count(2, 4)
UNKNOWN = "might not have been saved"
"""What every answer says that does not tell whether a write was done."""

pytestmark = [
    pytest.mark.built,
    pytest.mark.soak,
    pytest.mark.skipif(sys.version_info[:2] != (3, 13), reason="the layers are for the Python of AWS"),
]


class Attempt(NamedTuple):
    """One request to create an order with a code of its own, and its answer."""

    code: str
    status: int
    retry_after: str | None
    text: str
    id: str | None
    number: int | None
    seconds: float


def create(service: RunningService, code: str) -> Attempt:
    """Create an order with a line."""
    body = {"query": CREATE, "variables": {"d": {"code": code, "note": "x", "lines": [{"text": code}]}}}
    began = monotonic()
    reply = service.request(
        "POST",
        "/auth/api/graphql/Shop",
        headers={"Content-Type": "application/json", "Authorization": basic("admin", PASSWORD)},
        body=json.dumps(body),
    )
    seconds, text = monotonic() - began, reply.body.decode()
    found: Any = reply.json().get("data") if reply.status == 200 else None
    order = (found or {}).get("Order___create") or {}
    retry_after = reply.headers.get("retry-after")
    return Attempt(code, reply.status, retry_after, text, order.get("_id"), order.get("number"), seconds)


@pytest.mark.parametrize("number", range(count(1, 6)))
def test_every_answer_tells_the_truth(tmp_path: Path, number: int) -> None:
    """An order that was answered is there, one that was refused is not, and none is there twice."""
    model = tmp_path / "shop.graphql"
    model.write_text(MODEL)
    settings = {"STACK_FAULTS": f"{seed() + number}:{count(8, 12)}%"}
    options: dict[str, Any] = {"model": model, "application": "Shop", "on_lambda": True}
    with running(tmp_path / "home", settings=settings, **options) as service:

        def write(writer: int) -> list[Attempt]:
            return [create(service, f"{number}-{writer}-{each}") for each in range(count(6, 60))]

        with ThreadPoolExecutor(WRITERS) as writers:
            attempts = list(chain.from_iterable(writers.map(write, range(WRITERS))))
    with running(tmp_path / "home", **options) as service:
        found = {each.code: service.graphql(COUNT, {"c": each.code})["data"] for each in attempts}
        everything = service.graphql("{ Order___getPage { totalCount } }")["data"]

    done = [each for each in attempts if each.id is not None]
    assert len(done) > len(attempts) / 2
    assert max(each.seconds for each in attempts) < LATEST
    for each in attempts:
        page = found[each.code]["Order___getPage"]
        if each.id is not None:
            assert page == {"totalCount": 1, "items": [{"_id": each.id}]}, each
        elif each.status == 503 and UNKNOWN in each.text:
            assert page["totalCount"] <= 1, each
        else:
            assert page["totalCount"] == 0, each
            assert each.status == 503
            assert each.retry_after is not None
    numbers = Counter(each.number for each in done)
    assert set(numbers.values()) == {1}
    there = sum(page["Order___getPage"]["totalCount"] for page in found.values())
    assert everything["Order___getPage"]["totalCount"] == there
