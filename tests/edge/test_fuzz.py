"""Whatever comes in over the gateway, an answer goes out, and it is never 500."""

import base64
import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stratabase.edge.front_door import FrontDoor

RESOURCES = [
    "/public/health",
    "/auth/api/graphql/{application}",
    "/auth/api/schema/{application}",
    "/{proxy+}",
]
KNOWN = ["Accept", "Authorization", "Content-Type", "Origin", "accept", "format", "query", "variables"]
GOOD = "Basic " + base64.b64encode(b"anna:right").decode()

text = st.text(alphabet=st.characters(), max_size=30)
credentials = st.binary(max_size=20).map(lambda raw: "Basic " + base64.b64encode(raw).decode())
values = st.lists(st.one_of(text, credentials, st.just(GOOD), st.just("application/json")), max_size=3)
named = st.one_of(st.none(), st.dictionaries(st.one_of(st.sampled_from(KNOWN), text), values, max_size=5))
json_texts = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), text),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KNOWN), inner)),
    max_leaves=5,
).map(json.dumps)
bodies = st.one_of(st.none(), text, json_texts)
events = st.fixed_dictionaries(
    {
        "httpMethod": st.sampled_from(["GET", "POST", "HEAD", "PUT", "OPTIONS", "TRACE"]),
        "path": text,
        "resource": st.sampled_from(RESOURCES),
        "pathParameters": st.one_of(
            st.none(),
            st.fixed_dictionaries({"application": st.one_of(text, st.just("Hr"))}),
            st.fixed_dictionaries({"proxy": text}),
        ),
        "multiValueHeaders": named,
        "multiValueQueryStringParameters": named,
        "requestContext": st.one_of(st.none(), st.just({}), st.just({"requestId": "t", "identity": None})),
        "body": bodies,
        "isBase64Encoded": st.booleans(),
    }
)


@given(event=events)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_event_gets_a_sensible_answer(event: dict[str, Any], make_door: Callable[..., FrontDoor]) -> None:
    answer = make_door()(event)
    assert answer["statusCode"] < 500
    assert isinstance(answer["body"], str)


@given(event=events, body=json_texts)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_from_a_member_gets_a_sensible_answer(
    event: dict[str, Any], body: str, make_door: Callable[..., FrontDoor]
) -> None:
    headers = {"Authorization": [GOOD], "Content-Type": ["application/json"]}
    graphql = {
        "httpMethod": "POST",
        "resource": "/auth/api/graphql/{application}",
        "pathParameters": {"application": "Hr"},
        "multiValueHeaders": headers,
        "body": body,
        "isBase64Encoded": False,
    }
    assert make_door()(event | graphql)["statusCode"] in (200, 400)
