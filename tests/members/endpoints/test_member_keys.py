"""The endpoints of API keys, request by request, and the requests that have such a key."""

import base64
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest

from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.http.base.authentication import Authentication, Authenticator
from stratabase.core.http.base.endpoint import Endpoint, Operation
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.handler import HttpHandler
from stratabase.core.model.model import Profile
from stratabase.core.observe import Log
from stratabase.members.endpoints.member_keys import member_key_endpoint, member_keys_endpoint
from stratabase.members.key_text import new_key_text
from stratabase.members.member import Member, MemberKind
from stratabase.members.operations.fresh_sign_in import FRESHNESS
from stratabase.members.operations.member_keys import CreateKey, EndKey, ListKeys
from stratabase.members.sign_in.bearer import BearerAuthenticator
from stratabase.members.sign_in.callers import MEMBER_FRESHNESS, CallerFactory, MemberCache
from stratabase.members.sign_in.key_verifier import KeyVerifier
from stratabase.members.sign_in.sign_in import BasicAuthenticator
from stratabase.values.messages import verbatim
from stratabase_aws.functions.handler import LambdaHandler
from tests.core.http.documented import Documented
from tests.core.http.reply import Reply
from tests.in_memory_audit import InMemoryAuditTrail
from tests.rows import each_row
from tests.token_process import TokenProcess

KEYS = "/auth/administration/members/{id}/keys"
KEY = "/auth/administration/members/{id}/keys/{key}"
WHO = "/auth/who"
ROOT = "https://api.example.com/prod/auth/administration/members"
PROFILES = {
    "Boss": Profile("Boss", administrator=True),
    "Clerk": Profile("Clerk"),
    "Reader": Profile("Reader", within=("Clerk",)),
}
ROBOT = Member("r", "robot", "", "Clerk", kind=MemberKind.PROGRAM)
PROBLEM = "{urn:ietf:rfc:7807}detail"


@dataclass
class KeyService:
    """A service that makes keys, and tells who sends them: Anna administrates, Bert is a person."""

    process: TokenProcess = field(default_factory=TokenProcess)
    trail: InMemoryAuditTrail = field(default_factory=InMemoryAuditTrail)
    logged: io.StringIO = field(default_factory=io.StringIO)

    def __post_init__(self) -> None:
        members, clock = self.process.members, self.process.clock
        members.add(ROBOT)
        self.list_keys = ListKeys(members, self.trail)
        self.create_key = CreateKey(members, self.process.ids, PROFILES, clock, self.sign_in)
        self.end_key = EndKey(members, clock)
        callers = CallerFactory(PROFILES)
        cache = MemberCache(members, clock)
        keys = KeyVerifier(cache, callers, PROFILES, clock, self.trail.note_use, lambda _: None)
        log = Log("DEBUG", self.logged, service=f"keys{uuid4()}")
        bearer = BearerAuthenticator(self.process.tokens.caller, {}, keys.caller)
        basic = BasicAuthenticator(self.sign_in)
        schemes: dict[str, Authenticator] = {"Bearer": bearer, "Basic": basic}
        who = Endpoint({"GET": Operation(tell, "who", "Who it is."), "POST": Operation(tell, "be", "Who.")})
        handler = HttpHandler({**self.endpoints(), WHO: who}, Authentication(schemes), log=log)
        self.handler = LambdaHandler(handler)

    def sign_in(self, username: str, password: str, _address: str) -> Caller:
        member = self.process.members.by_username(username)
        if member is None or password != "right":
            raise Unauthenticated(verbatim("The username or password is incorrect."))
        return CallerFactory(PROFILES)(member, SentPassword())

    def endpoints(self) -> dict[str, Endpoint]:
        return {KEYS: member_keys_endpoint(self), KEY: member_key_endpoint(self)}


def tell(_: Request, caller: Caller | None) -> Response:
    assert caller is not None
    return Response(200, (("Content-Type", "text/plain"),), f"{caller.username} {caller.profile}".encode())


Send = Callable[..., Reply]


@pytest.fixture
def service() -> KeyService:
    return KeyService()


@pytest.fixture
def send(service: KeyService, event: Callable[..., dict[str, Any]]) -> Send:
    """Send a request, whose answer must be as the OpenAPI document says."""
    documented = Documented(service.endpoints())

    def sent(method: str, resource: str, who: str | None = "Anna", key: str = "", **rest: Any) -> Reply:
        headers = dict(rest.pop("headers", {}))
        if key:
            headers["Authorization"] = f"Bearer {key}"
        elif who:
            headers["Authorization"] = "Basic " + base64.b64encode(f"{who}:right".encode()).decode()
        answer = service.handler(event(method, resource, headers=headers, **rest))
        if resource != WHO and answer["statusCode"] != 405:
            documented.check(method, resource, answer)
        return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

    return sent


def made(send: Send, id_: str = "r", who: str = "Anna", **values: Any) -> dict[str, Any]:
    reply = send("POST", KEYS, who, parameters={"id": id_}, body=json.dumps({"name": "nightly", **values}))
    assert reply.status == 201, reply.body
    content: dict[str, Any] = reply.json()
    return content


def test_a_key_is_made_shown_once_used_and_ended(send: Send, service: KeyService) -> None:
    reply = send(
        "POST",
        KEYS,
        parameters={"id": "r"},
        body=json.dumps({"name": "nightly", "days": 30, "profile": "Reader", "networks": "192.0.2.0/24"}),
    )
    assert reply.status == 201
    assert reply.headers["Cache-Control"] == ["no-store"]
    content = reply.json()
    text, id_ = content.pop("key"), content["id"]
    assert reply.headers["Location"] == [f"{ROOT}/r/keys/{id_}"]
    assert content == {
        "id": id_,
        "name": "nightly",
        "created": "2020-01-01T12:00:00.000Z",
        "expires": "2020-01-31T12:00:00.000Z",
        "profile": "Reader",
        "networks": "192.0.2.0/24",
    }
    assert send("GET", WHO, key=text).body == "robot Reader"
    listed = send("GET", KEYS, parameters={"id": "r"})
    assert listed.json() == [
        {**content, "lastUsed": "2020-01-01T12:00:00.000Z", "url": f"{ROOT}/r/keys/{id_}"}
    ]
    assert text not in listed.body
    assert text not in service.logged.getvalue()
    assert send("DELETE", KEY, parameters={"id": "r", "key": id_}).status == 204
    service.process.wait(MEMBER_FRESHNESS / 1000)
    assert send("GET", WHO, key=text).status == 401
    assert send("GET", KEYS, parameters={"id": "r"}).json() == []


def test_xml_has_the_same_fields(send: Send) -> None:
    body = "<key><name>nightly</name><days>30</days><profile/><networks>192.0.2.7</networks></key>"
    reply = send("POST", KEYS, parameters={"id": "r"}, query={"format": ["xml"]}, body=body)
    assert reply.status == 201
    key = ET.fromstring(reply.body)
    assert [each.tag for each in key] == ["id", "key", "name", "created", "expires", "profile", "networks"]
    assert (key.findtext("profile"), key.findtext("networks")) == ("", "192.0.2.7/32")
    assert send("GET", WHO, key=key.findtext("key") or "").body == "robot Clerk"
    listed = ET.fromstring(send("GET", KEYS, parameters={"id": "r"}, query={"format": ["xml"]}).body)
    assert listed.tag == "keys"
    assert [each.findtext("name") for each in listed.iterfind("key")] == ["nightly"]
    assert listed.findtext("key/lastUsed") == "2020-01-01T12:00:00.000Z"


@each_row(
    ("json_body", "xml_body", "status", "detail"),
    [
        ({}, "<key><days>1</days></key>", 400, '"name" is required.'),
        ({"name": 7}, None, 400, '"name" must be a string, not a number.'),
        ({"name": None}, None, 400, '"name" must be a string'),
        ({"name": ""}, "<key><name/></key>", 400, '"name" must be 1 to 64 characters'),
        (
            {"name": "x", "days": "soon"},
            "<key><name>x</name><days>soon</days></key>",
            400,
            '"days" must be a whole number',
        ),
        (
            {"name": "x", "days": True},
            "<key><name>x</name><days>1.5</days></key>",
            400,
            '"days" must be a wh',
        ),
        ({"name": "x", "days": 0}, "<key><name>x</name><days>0</days></key>", 400, '"days" must be from 1'),
        (
            {"name": "x", "expires": "2019-01-01"},
            "<key><name>x</name><expires>2019-01-01</expires></key>",
            400,
            '"expires" must be in the future',
        ),
        (
            {"name": "x", "profile": "Boss"},
            "<key><name>x</name><profile>Boss</profile></key>",
            400,
            'lies within "Clerk"',
        ),
        (
            {"name": "x", "networks": "nowhere"},
            "<key><name>x</name><networks>nowhere</networks></key>",
            400,
            '"networks" must have IP networks',
        ),
        ({"name": "x", "networks": ["192.0.2.0/24"]}, None, 400, '"networks" must be a string, not an array'),
        ({"name": "x", "key": "y"}, "<key><name>x</name><key>y</key></key>", 400, 'field "key" is not supp'),
        ({"name": "x" * 65}, f"<key><name>{'x' * 65}</name></key>", 400, "at most 64 characters, not 65"),
        (
            {"name": "x", "currentPassword": "wrong"},
            "<key><name>x</name><currentPassword>wrong</currentPassword></key>",
            401,
            "The current password is incorrect.",
        ),
        (None, "<user><name>x</name></user>", 400, "must be <key>, not <user>"),
    ],
)
def test_a_wrong_key_is_refused_in_json_and_xml(
    json_body: Any, xml_body: str | None, status: int, detail: str, event: Callable[..., dict[str, Any]]
) -> None:
    service = KeyService()
    documented = Documented(service.endpoints())
    sent = {"json": None if json_body is None else json.dumps(json_body), "xml": xml_body}
    for form, body in sent.items():
        if body is None:
            continue
        answer = service.handler(
            event(
                "POST",
                KEYS,
                headers={"Authorization": "Basic " + base64.b64encode(b"Anna:right").decode()},
                parameters={"id": "r"},
                query={"format": [form]},
                body=body,
            )
        )
        documented.check("POST", KEYS, answer)
        assert answer["statusCode"] == status, answer["body"]
        said = (
            json.loads(answer["body"])["detail"]
            if form == "json"
            else "".join(ET.fromstring(answer["body"]).itertext())
        )
        assert detail in said
    robot = service.process.members.by_id("r")
    assert robot is not None
    assert robot.keys == ()


def test_the_same_name_is_a_conflict(send: Send) -> None:
    made(send)
    reply = send("POST", KEYS, parameters={"id": "r"}, body=json.dumps({"name": "Nightly"}))
    assert (reply.status, "already has an API key with the name" in reply.body) == (409, True)


@pytest.mark.parametrize(
    ("who", "id_", "status"),
    [("Anna", "2", 403), ("Bert", "r", 403), ("Bert", "2", 201), ("Bert", "77", 403), ("Anna", "77", 404)],
)
def test_administrators_make_keys_for_programs_and_persons_for_themselves(
    who: str, id_: str, status: int, send: Send
) -> None:
    reply = send("POST", KEYS, who, parameters={"id": id_}, body=json.dumps({"name": "x"}))
    assert reply.status == status


def test_permission_is_checked_before_the_body(send: Send) -> None:
    assert send("POST", KEYS, "Bert", parameters={"id": "r"}, body="n" * 70_000).status == 403


def test_keys_are_listed_and_ended_by_their_owner_and_administrators(send: Send) -> None:
    key = made(send, "2", "Bert")
    for who, status in (("Anna", 200), ("Bert", 200)):
        assert send("GET", KEYS, who, parameters={"id": "2"}).status == status
    made(send, "r")
    assert send("GET", KEYS, "Bert", parameters={"id": "r"}).status == 403
    assert send("DELETE", KEY, "Bert", parameters={"id": "r", "key": "x"}).status == 403
    assert send("DELETE", KEY, parameters={"id": "r", "key": key["id"]}).status == 404
    assert send("DELETE", KEY, parameters={"id": "2", "key": key["id"]}).status == 204
    assert send("DELETE", KEY, "Bert", parameters={"id": "2", "key": key["id"]}).status == 404


@pytest.mark.parametrize("form", ["json", "xml"])
def test_a_key_reaches_no_keys(form: str, send: Send) -> None:
    key = made(send, "2", "Bert")
    body = '{"name": "x"}' if form == "json" else "<key><name>x</name></key>"
    query = {"format": [form]}
    for method, resource, parameters, sent in (
        ("GET", KEYS, {"id": "2"}, None),
        ("POST", KEYS, {"id": "2"}, body),
        ("DELETE", KEY, {"id": "2", "key": key["id"]}, None),
    ):
        reply = send(method, resource, key=key["key"], parameters=parameters, query=query, body=sent)
        assert reply.status == 403
        assert "API keys and tokens of other services" in reply.body
    assert send("GET", WHO, key=key["key"]).body == "Bert Clerk"


def test_a_sign_in_must_be_fresh(send: Send, service: KeyService) -> None:
    token = service.process.token()
    service.process.wait(FRESHNESS / 1000 + 1)
    for method, resource, body in (("POST", KEYS, '{"name": "x"}'), ("DELETE", KEY, None)):
        reply = send(method, resource, key=token, parameters={"id": "r", "key": "k"}, body=body)
        assert reply.status == 401
        (challenge,) = reply.headers["WWW-Authenticate"]
        assert 'error="insufficient_user_authentication", max_age="600"' in challenge
    body = '{"name": "x", "currentPassword": "right"}'
    assert send("POST", KEYS, key=token, parameters={"id": "r"}, body=body).status == 201


def test_wrong_keys_get_one_response(send: Send, service: KeyService) -> None:
    """It is the same for a member that exists and for one that does not, and for what can't be a key."""
    right = made(send)["key"]
    replies = [
        send("GET", WHO, key=text)
        for text in (new_key_text("r"), new_key_text("nobody"), new_key_text("2"), right[:-1], "stratabase_")
    ]
    assert {(reply.status, reply.body) for reply in replies} == {(401, replies[0].body)}
    (challenge,) = {each for reply in replies for each in reply.headers["WWW-Authenticate"] if "Bear" in each}
    assert challenge == 'Bearer realm="Stratabase", error="invalid_token"'
    assert right not in service.logged.getvalue()


def test_a_key_can_be_sent_from_its_networks_only(send: Send) -> None:
    key = made(send, networks="198.51.100.0/24")["key"]
    reply = send("GET", WHO, key=key)
    assert reply.status == 403
    assert "can't be sent from the address 192.0.2" in reply.json()["detail"]


def test_a_key_is_no_credential_that_browsers_send_by_themselves(send: Send) -> None:
    key = made(send)["key"]
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert send("POST", WHO, key=key, headers=foreign, body="x").status == 200
    assert send("POST", WHO, headers=foreign, body="x").status == 403


@pytest.mark.parametrize(
    ("resource", "allowed"), [(KEYS, "GET, POST, HEAD, OPTIONS"), (KEY, "DELETE, OPTIONS")]
)
def test_options_lists_the_methods(resource: str, allowed: str, send: Send) -> None:
    reply = send("OPTIONS", resource, None, parameters={"id": "r", "key": "k"})
    assert (reply.status, reply.headers["Allow"]) == (204, [allowed])
