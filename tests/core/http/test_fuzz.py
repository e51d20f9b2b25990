"""Any event gets a response, which is 500 only where the contract demands it."""

import base64
import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stratabase_aws.functions.handler import LambdaHandler

RESOURCES = [
    "/public/health",
    "/auth/api/graphql/{application}",
    "/auth/api/schema/{application}",
    "/auth/administration/member",
    "/auth/administration/members",
    "/auth/administration/members/{id}",
    "/public/openapi.json",
    "/auth/file/{class}/{name}/pending/{pendingFileId}",
    "/auth/file/{class}/{name}/{attribute}",
    "/{proxy+}",
]
MEMBER = "/auth/administration/members/{id}"
FIELDS = ["username", "email", "profile", "notes", "timeFormat", "timeZone", "language", "disabled", "id"]
KNOWN = ["Accept", "Authorization", "Content-Type", "Origin", "accept", "format", "query", "variables"]
KNOWN += ["Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "version"]
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
members = st.dictionaries(st.sampled_from(FIELDS), st.one_of(text, st.none(), st.booleans()), max_size=4)
json_members = members.map(json.dumps)
xml_members = members.map(
    lambda fields: "".join(f"<{name}>{value}</{name}>" for name, value in fields.items())
).map("<user>{}</user>".format)
bodies = st.one_of(st.none(), text, json_texts)
events = st.fixed_dictionaries(
    {
        "httpMethod": st.sampled_from(["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]),
        "path": text,
        "resource": st.sampled_from(RESOURCES),
        "pathParameters": st.one_of(
            st.none(),
            st.fixed_dictionaries({"application": st.one_of(text, st.just("Hr"))}),
            st.fixed_dictionaries({"proxy": text}),
            st.fixed_dictionaries({"id": st.one_of(text, st.sampled_from(["1", "2"]))}),
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
def test_any_event_gets_a_valid_response(
    event: dict[str, Any], make_handler: Callable[..., LambdaHandler]
) -> None:
    answer = make_handler()(event)
    demanded = event["httpMethod"] == "DELETE" and event["resource"] == MEMBER
    assert answer["statusCode"] < 500 or demanded
    assert isinstance(answer["body"], str)


@given(event=events, body=json_texts)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_from_a_member_gets_a_valid_response(
    event: dict[str, Any], body: str, make_handler: Callable[..., LambdaHandler]
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
    assert make_handler()(event | graphql)["statusCode"] in (200, 400)


@given(
    body=st.one_of(
        st.tuples(st.just("json"), st.one_of(json_members, json_texts, text)),
        st.tuples(st.just("xml"), st.one_of(xml_members, text)),
    ),
    method=st.sampled_from(["POST", "PUT"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_member_is_accepted_or_refused(
    body: tuple[str, str], method: str, make_handler: Callable[..., LambdaHandler]
) -> None:
    form, content = body
    sent = {
        "httpMethod": method,
        "path": "/",
        "resource": MEMBER if method == "PUT" else "/auth/administration/members",
        "pathParameters": {"id": "2"},
        "multiValueHeaders": {"Authorization": [GOOD]},
        "multiValueQueryStringParameters": {"format": [form]},
        "body": content,
        "isBase64Encoded": False,
    }
    assert make_handler()(sent)["statusCode"] in (200, 201, 400, 409)
