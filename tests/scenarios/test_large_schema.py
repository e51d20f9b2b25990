"""A model whose introspection fits through API Gateway only if it is compressed."""

import gzip
import json
from collections.abc import Iterator

import pytest
from graphql import get_introspection_query

from stratabase.core.schema.introspection import MAX_INTROSPECTION_BYTES
from tests.service import PASSWORD, Reply, RunningService, basic, running

CLASSES, ATTRIBUTES = 70, 24
TYPES = ("String", "Int", "Real", "Date", "Datetime", "Text")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("large")
    attributes = " ".join(f"attribute_{number}: {TYPES[number % 6]}" for number in range(ATTRIBUTES))
    classes = (f"type Class{number} {{ {attributes} }}" for number in range(CLASSES))
    model = folder / "large.graphql"
    model.write_text("\n".join(('extend schema @application(name: "Large")', *classes)))
    with running(folder / "home", model=model, application="Large") as started:
        yield started


def introspect(service: RunningService, accept_encoding: str) -> Reply:
    headers = {
        "Content-Type": "application/json",
        "Authorization": basic("admin", PASSWORD),
        "Accept-Encoding": accept_encoding,
    }
    body = json.dumps({"query": get_introspection_query()})
    return service.request("POST", "/auth/api/graphql/Large", headers=headers, body=body)


def test_a_client_that_accepts_gzip_gets_the_whole_schema(service: RunningService) -> None:
    reply = introspect(service, "gzip, deflate")

    assert (reply.status, reply.headers["content-encoding"]) == (200, "gzip")
    assert int(reply.headers["content-length"]) == len(reply.body)
    body = gzip.decompress(reply.body)
    assert len(body) <= MAX_INTROSPECTION_BYTES, "the service would execute each request anew"
    types = json.loads(body)["data"]["__schema"]["types"]
    assert {f"Class{number}" for number in range(CLASSES)} <= {each["name"] for each in types}


def test_a_client_that_does_not_accept_gzip_is_advised_to(service: RunningService) -> None:
    reply = introspect(service, "identity")

    assert (reply.status, "accept gzip" in reply.json()["detail"]) == (413, True)
