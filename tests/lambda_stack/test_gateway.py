"""A request is the same whether the local server receives it, or a function gets it in an event."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.server.http.bodies import BodyMemory, RequestBody
from stratabase.server.http.errors import MAX_BODY
from stratabase.server.http.request import Addresses, Head, HttpRequest, parse_target
from stratabase.server.http.routes import Routes
from stratabase_aws.functions.handler import decode_event_body, request_from_event
from tests.lambda_stack.gateway import proxy_event
from tests.server.http.serving import ADDRESSES
from tests.soak import EXAMPLES

CONNECTION = Addresses("192.0.2.7", "127.0.0.1:8080")
NAMES = (b"Accept", b"accept", b"ACCEPT", b"Authorization", b"authorization", b"X-A", b"x-a", b"Connection",
         b"TE", b"Host", b"X-Forwarded-For", b"x-forwarded-proto", b"X-Amzn-Trace-Id", b"Expect")  # fmt: skip
routes = Routes(ADDRESSES)

values = st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=12).map(
    lambda text: text.encode("latin-1")
)
headers = st.lists(st.tuples(st.sampled_from(NAMES), values), max_size=8)
words = st.text("abAB%20é+&=/?;.~".replace("é", "").replace("?", ""), max_size=12)
paths = st.one_of(
    st.sampled_from(["/", "//", "/public/health/", "/auth/api/graphql/H%C3%A9r", "/files/a%2Fb%20c"]),
    words.map("/auth/api/graphql/{}".format),
    words.map("/{}".format),
)
queries = st.one_of(st.just(""), words.map("?{}".format), words.map("?a=1&a={}&b=%C3%A9+x".format))


@settings(max_examples=EXAMPLES * 8)
@given(
    method=st.sampled_from(["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"]),
    path=paths,
    query=queries,
    sent=headers,
    body=st.lists(st.binary(max_size=40), max_size=3),
    base_url=st.sampled_from([None, "https://hr.example.com"]),
)
def test_a_request_equals_the_one_that_is_made_of_its_event(  # noqa: PLR0917 - the parts of a request
    method: str,
    path: str,
    query: str,
    sent: list[tuple[bytes, bytes]],
    body: list[bytes],
    base_url: str | None,
) -> None:
    target = parse_target(f"{path}{query}".encode())
    received = RequestBody(BodyMemory(MAX_BODY))
    request = HttpRequest(
        method, target, "1.1", Head(sent), 0, None, CONNECTION, received, keeps_connection=True
    )
    for piece in body:
        request.add_body(piece)
    request.match = routes.match(method, target.path)
    made = request.for_endpoint("id-1", base_url)

    event: Any = json.loads(json.dumps(proxy_event(made)))

    assert request_from_event(event, base_url).with_body(decode_event_body(event)) == made
    assert made.body == b"".join(body)
