"""The running service responds as its OpenAPI document describes."""

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from schemathesis import Case
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.engine import Status, events, from_schema
from schemathesis.engine.recorder import ScenarioRecorder
from schemathesis.hooks import HookContext
from schemathesis.openapi.checks import IgnoredAuth

from tests.documented import Documented
from tests.scenarios.graph_client import over_dynamodb
from tests.service import PASSWORD, Reply, RunningService, basic, running
from tests.soak import FULL, count, seed

FORMS = {"application/json": "json", "application/xml": "xml"}
HEADERS = {"www-authenticate": "WWW-Authenticate", "etag": "ETag"}
"""Those whose usual spelling is not just capitals."""
NOT_IN_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
XML_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
KEPT = ("username", "profile", "password", "disabled")
"""What the one who asks must keep of itself, to go on being let in."""
UNASKED = {
    "GET /public/openapi.json",
    "GET /auth/file/{class}/{name}/pending",
    "POST /public/administration/setPassword",
    "POST /public/administration/confirmEmail",
    "GET /auth/administration/service",
    "DELETE /auth/administration/erasure/{class}/{id}",
    "POST /auth/administration/members/{id}/keys",
    "DELETE /auth/administration/members/{id}/keys/{key}",
    "POST /public/signIn",
    "GET /public/signIn/{provider}",
    "GET /public/signIn/{provider}/callback",
    "GET /public/signIn/{provider}/signOut",
    "POST /public/token/exchange",
    "POST /auth/administration/members/{id}/links",
    "DELETE /auth/administration/members/{id}/links/{provider}",
}
"""What was requested before, or elsewhere, what needs a mailed link, a key, a form or an identity provider,
and attributes with a rare name."""
ALL = "/auth/administration/members"
ONE = "/auth/administration/members/{id}"
NEW = {
    "json": '{"username": "ada", "email": "ada@example.com", "profile": "Member"}',
    "xml": "<user><username>ada</username><email>ada@example.com</email><profile>Member</profile></user>",
}
HAND_OVER = "/auth/administration/members/{id}/handOver"
SESSIONS = "/auth/administration/members/{id}/sessions"
TO = {"json": '{"to": "%s"}', "xml": "<handOver><to>%s</to></handOver>"}
NOTES = {"json": '{"notes": "new"}', "xml": "<user><notes>new</notes></user>"}
CREDENTIALS = {
    "json": json.dumps({"username": "admin", "password": PASSWORD}),
    "xml": f"<credentials><username>admin</username><password>{PASSWORD}</password></credentials>",
}
SEED = seed() if FULL else 4


STORES = {"sqlite": dict, "dynamodb": over_dynamodb("openapi")} if FULL else {"sqlite": dict}


@pytest.fixture(scope="module", params=STORES)
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    home: Path = tmp_path_factory.mktemp("openapi") / "home"
    with running(home, settings=STORES[request.param]()) as started:
        yield started


@schemathesis.serializer("application/offset+octet-stream")
def _serialize_bytes(_context: object, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@dataclass
class RequestLog:
    """The outcomes of many requests."""

    documented: Documented
    faults: list[str] = field(default_factory=list)
    seen: set[tuple[str, int]] = field(default_factory=set)
    """Operations with the statuses that they answered."""

    def take(self, event: object) -> None:
        if isinstance(event, events.ScenarioFinished):
            self._take(event.recorder)
        elif isinstance(event, events.NonFatalError):
            self.faults.append(f"{event.label}: {event.value}")
        elif isinstance(event, events.FatalError):
            raise event.exception

    def _take(self, recorder: ScenarioRecorder) -> None:
        for checks in recorder.checks.values():
            for check in checks:
                if check.status is Status.FAILURE and check.failure_info is not None:
                    failure = check.failure_info
                    self.faults.append(f"{check.name}: {failure.failure.message}\n{failure.code_sample}")
        for id_, interaction in recorder.interactions.items():
            if interaction.response is not None:
                response = interaction.response
                path = recorder.cases[id_].value.operation.path
                headers = {name: values[0] for name, values in response.headers.items()}
                reply = Reply(response.status_code, headers, response.content)
                self.compare(interaction.request.method, path, reply)

    def compare(self, method: str, path: str, reply: Reply) -> None:
        """Compare a response with the document, which includes reading XML."""
        self.seen.add((f"{method} {path}", reply.status))
        headers = {HEADERS.get(name.lower(), name.title()): [value] for name, value in reply.headers.items()}
        answer = {"statusCode": reply.status, "multiValueHeaders": headers, "body": reply.body.decode()}
        try:
            self.documented.check(method, path, answer)
        except Exception as fault:  # noqa: BLE001 - all of them are shown at the end
            self.faults.append(f"{method} {path}: {fault}")


def token(service: RunningService) -> str:
    body = json.dumps({"username": "admin", "password": PASSWORD})
    return str(service.request("POST", "/public/token/getJwtToken", body=body).json()["access_token"])


def configuration(service: RunningService) -> schemathesis.Config:
    return schemathesis.Config.from_dict(
        {
            "seed": SEED,
            "base-url": f"http://127.0.0.1:{service.port}",
            "headers": {"Authorization": f"Bearer {token(service)}"},
            "generation": {"deterministic": not FULL, "max-examples": count(2, 60)},
            # Systematic cases and sequences of requests are quick; random ones take their time.
            "phases": {"fuzzing": {"enabled": FULL}},
            "cache": {"enabled": False},
            # A schema does not say which time zones there are, or what makes a good password.
            "checks": {"positive_data_acceptance": {"enabled": False}},
            # The one 5xx that the specification of the service requires.
            "operations": [
                {
                    "include-operation-id": "deleteMember",
                    "checks": {"not_a_server_error": {"expected-statuses": ["2xx", "4xx", "500"]}},
                },
                # Without the header Tus-Resumable, tus demands 412, whatever else is wrong.
                *(
                    {
                        "include-operation-id": id_,
                        "checks": {"negative_data_rejection": {"expected-statuses": ["4xx"]}},
                    }
                    for id_ in ("continueUpload", "continueUploadByPost", "terminateUpload")
                ),
            ],
        }
    )


def teach(schema: Any, administrator: str) -> None:
    """Add hooks that match the response format to the body, and that spare the administrator's own record."""

    @schema.hook  # type: ignore[untyped-decorator]
    def filter_failure(_: HookContext, failure: Failure, case: Case[Any], __: Any) -> bool:
        # After many wrong passwords, the service answers 429 instead of 401.
        if isinstance(failure, IgnoredAuth) and "429 Too Many Requests" in failure.message:
            return False
        # Schemathesis leaves out what XML can't contain, so a text that is too long, or a body with a field
        # too many, may have become valid.
        return not (
            isinstance(failure, AcceptedNegativeData)
            and case.media_type == "application/xml"
            and isinstance(case.body, dict)
            and any(
                NOT_IN_XML.search(str(value)) or not XML_NAME.fullmatch(name)
                for name, value in case.body.items()
            )
        )

    @schema.hook  # type: ignore[untyped-decorator]
    def map_case(_: HookContext, case: Case[Any]) -> Case[Any]:
        form = FORMS.get(case.media_type or "")
        query = case.query or {}
        if form and query.get("format", "json") in ("json", "xml"):
            case.query = {**query, "format": form}
        if (case.path_parameters or {}).get("id") == administrator and case.method in ("PUT", "DELETE"):
            _spare(case)
        return case


def _spare(case: Case[Any]) -> None:
    # These requests could lock out the caller: a body that was made invalid on purpose may still be valid.
    if case.method == "DELETE" or not isinstance(case.body, dict) or not case.body.keys().isdisjoint(KEPT):
        case.path_parameters = {**(case.path_parameters or {}), "id": "nobody"}


@pytest.fixture(scope="module")
def request_log(service: RunningService) -> RequestLog:
    """Send all requests that schemathesis generates."""
    address = f"http://127.0.0.1:{service.port}/public/openapi.json"
    schema = schemathesis.openapi.from_url(address, config=configuration(service))
    me = service.request(
        "GET", "/auth/administration/member", headers={"Authorization": basic("admin", PASSWORD)}
    )
    teach(schema, me.json()["id"])
    found = RequestLog(Documented(schema.raw_schema))
    for form in ("json", "xml"):
        for method, path, reply in walk(service, form):
            found.compare(method, path, reply)
    for method, path, reply in walk_files(service):
        found.compare(method, path, reply)
    for event in from_schema(schema).execute():
        found.take(event)
    return found


def walk_files(service: RunningService) -> Iterator[tuple[str, str, Reply]]:
    """Upload a file, bind it, download it, and yield each response with its request."""
    admin = {"Authorization": basic("admin", PASSWORD)}
    body = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="cv.pdf"\r\n'
        b"Content-Type: application/pdf\r\n\r\n%PDF-1.7\r\n--b--\r\n"
    )
    uploaded = service.request(
        "POST",
        "/auth/file/employee/resume",
        headers={**admin, "Content-Type": "multipart/form-data; boundary=b"},
        body=body,
    )
    yield "POST", "/auth/file/{class}/{name}", uploaded
    pending = service.request("GET", _path(uploaded.headers["location"]), headers=admin)
    yield "GET", "/auth/file/{class}/{name}/pending/{pendingFileId}", pending
    data = {"first_name": "Cv", "last_name": "File", "email": "cv@example.com", "resume": uploaded.json()}
    query = "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { resume { link } } }"
    created = service.graphql(query, {"data": data})["data"]["Employee___create"]
    downloaded = service.request("GET", _path(created["resume"]["link"]), headers=admin)
    yield "GET", "/auth/file/{class}/{name}/{attribute}", downloaded
    yield from walk_resumable_upload(service)


def walk_resumable_upload(service: RunningService) -> Iterator[tuple[str, str, Reply]]:
    """Upload a file in two parts by tus, give another upload up, and yield each response with its request."""
    pending = "/auth/file/{class}/{name}/pending/{pendingFileId}"

    def send(method: str, address: str, body: bytes | None = None, **headers: str) -> Reply:
        own = {"Authorization": basic("admin", PASSWORD), "Tus-Resumable": "1.0.0"}
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        return service.request(method, address, headers=own, body=body)

    name = f"filename {base64.b64encode(b'cv.pdf').decode()}"
    begun = send("POST", "/auth/file/employee/resume", Upload_Length="8", Upload_Metadata=name)
    # The document describes this method for uploads in one request, which are answered with a body.
    assert begun.status == HTTPStatus.CREATED
    address, type_ = _path(begun.headers["location"]), "application/offset+octet-stream"
    yield "PATCH", pending, send("PATCH", address, b"%PDF", Upload_Offset="0", Content_Type=type_)
    yield "HEAD", pending, send("HEAD", address)
    override = {"X_HTTP_Method_Override": "PATCH", "Upload_Offset": "4", "Content_Type": type_}
    yield "POST", pending, send("POST", address, b"-1.7", **override)
    yield "DELETE", pending, send("DELETE", address)


def _path(address: str) -> str:
    return "/" + address.split("/", 3)[3]


def walk(service: RunningService, form: str) -> Iterator[tuple[str, str, Reply]]:
    """Use all endpoints in the life of a member, and yield each response with its request."""

    def ask(method: str, path: str, body: str | None = None, id_: str = "") -> tuple[str, str, Reply]:
        reply = service.request(
            method,
            f"{path.replace('{id}', id_)}?format={form}",
            headers={"Authorization": basic("admin", PASSWORD)},
            body=body and body.encode(),
        )
        return method, path, reply

    yield ask("POST", "/public/token/getJwtToken", CREDENTIALS[form])
    created = ask("POST", ALL, NEW[form])
    yield created
    id_ = created[2].headers["location"].rpartition("/")[2]
    for method, path, body in (("GET", ALL, None), ("GET", ONE, None), ("PUT", ONE, NOTES[form])):
        yield ask(method, path, body, id_)
    admin = service.request(
        "GET", "/auth/administration/member", headers={"Authorization": basic("admin", PASSWORD)}
    )
    admin_id = admin.json()["id"]
    yield ask("POST", HAND_OVER, TO[form] % admin_id, id_)
    yield ask("GET", SESSIONS, id_=admin_id)
    listed = service.request(
        "GET", SESSIONS.replace("{id}", admin_id), headers={"Authorization": basic("admin", PASSWORD)}
    )
    _, _, reply = ask("DELETE", f"{SESSIONS}/{listed.json()[0]['id']}", id_=admin_id)
    yield "DELETE", f"{SESSIONS}/{{session}}", reply
    yield ask("DELETE", SESSIONS, id_=id_)
    yield ask("DELETE", ONE, id_=id_)
    yield ask("DELETE", ONE, id_=id_)


@pytest.mark.parametrize("form", ["json", "xml"])
def test_a_member_can_be_created_changed_and_deleted(form: str, service: RunningService) -> None:
    replies = [reply for _, _, reply in walk(service, form)]
    assert [reply.status for reply in replies] == [200, 201, 200, 200, 200, 200, 200, 204, 204, 200, 500]
    assert [replies[4].body, *(reply.body for reply in replies[9:])] == [
        b"Update Complete",
        b"Delete completed",
        b"A member with this ID does not exist.",
    ]


@pytest.mark.soak
def test_every_answer_is_as_documented(request_log: RequestLog) -> None:
    assert not request_log.faults, "\n\n".join(request_log.faults)


def test_only_a_deletion_returns_500(request_log: RequestLog) -> None:
    assert {name for name, status in request_log.seen if status >= HTTPStatus.INTERNAL_SERVER_ERROR} <= {
        "DELETE /auth/administration/members/{id}"
    }


def test_nearly_every_operation_was_called_successfully(request_log: RequestLog) -> None:
    """Otherwise all of this would show only that refusals are documented."""
    paths = request_log.documented.document["paths"]
    operations = {
        f"{method.upper()} {path}"
        for path, methods in paths.items()
        for method in methods
        if method != "parameters"
    }
    successful = {name for name, status in request_log.seen if status < HTTPStatus.BAD_REQUEST}
    assert operations - successful == UNASKED
