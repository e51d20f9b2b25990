"""The addresses of the service over HTTP: methods, credentials, and unknown paths."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from stratabase import __version__
from stratabase.terminal.settings import EMULATOR_CREDENTIALS
from stratabase_aws.commands.emulator import emulator
from tests.repository import ROOT
from tests.rows import each_row
from tests.service import PASSWORD, Reply, RunningService, basic, eventually, running

GRAPHQL, SCHEMA, HEALTH = "/auth/api/graphql/Hr", "/auth/api/schema/Hr", "/public/health"
ADMINISTRATOR = {"Authorization": basic("admin", PASSWORD)}
MODEL = "/auth/api/model/Hr"
JSON = {"Content-Type": "application/json"}
PROBLEM = "application/problem+json"
COUNT = "{ Employee___getPage { totalCount } }"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    home: Path = tmp_path_factory.mktemp("addresses") / "home"
    with running(home, settings={"STRATABASE_LOG_LEVEL": "DEBUG"}) as started:
        yield started


def get(service: RunningService, path: str = GRAPHQL, /, **query: Any) -> Reply:
    """Send a GET as the administrator."""
    parameters = {name: text if isinstance(text, str) else json.dumps(text) for name, text in query.items()}
    return service.request("GET", f"{path}?{urlencode(parameters)}", headers=ADMINISTRATOR)


def is_problem(reply: Reply, status: int) -> bool:
    """Return whether a response is a problem with a status and the request's id."""
    result = reply.json()
    assert reply.headers["content-type"] == PROBLEM, reply
    assert result["traceId"] == reply.headers["x-amzn-requestid"]
    return (reply.status, result["status"], result["type"]) == (status, status, "about:blank") and bool(
        result["detail"]
    )


def test_a_query_can_be_sent_by_get(service: RunningService) -> None:
    filter_ = {"first_name___eq": "Ada & Grace? +1%"}
    query = """query Other { __typename }
      query Find($filter: EmployeeFilter) { Employee___getPage(options: {filter: $filter}) { totalCount } }"""

    reply = get(service, query=query, variables={"filter": filter_}, operationName="Find")

    assert (reply.status, reply.json()) == (200, {"data": {"Employee___getPage": {"totalCount": 0}}})
    assert reply.headers["content-type"] == "application/json; charset=utf-8"
    assert reply.headers["cache-control"] == "no-store"


@each_row(
    ("method", "path"),
    [
        ("POST", "/auth/api/graphql/Nowhere"),
        ("GET", "/auth/api/graphql/Nowhere?query=%7B__typename%7D"),
        ("GET", "/auth/api/schema/Nowhere"),
        ("GET", "/auth/api/graphql"),
        ("GET", "/auth/nothing"),
        ("GET", "/public/nothing"),
        ("DELETE", "/nothing/at/all"),
        ("GET", "/public"),
        ("GET", "/auth/file/Employee/1/resume"),
    ],
)
def test_other_addresses_are_404(service: RunningService, method: str, path: str) -> None:
    body = json.dumps({"query": "{ __typename }"}) if method == "POST" else None

    reply = service.request(method, path, headers=ADMINISTRATOR | JSON, body=body)

    assert is_problem(reply, 404)


@each_row(
    ("method", "path", "allowed"),
    [
        ("DELETE", GRAPHQL, {"GET", "HEAD", "POST", "OPTIONS"}),
        ("PUT", GRAPHQL, {"GET", "HEAD", "POST", "OPTIONS"}),
        ("POST", SCHEMA, {"GET", "HEAD", "OPTIONS"}),
        ("PUT", MODEL, {"GET", "HEAD", "OPTIONS"}),
        ("POST", HEALTH, {"GET", "HEAD", "OPTIONS"}),
        ("PATCH", "/public/openapi.json", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_a_wrong_method_gets_405_and_the_allowed_methods(
    service: RunningService, method: str, path: str, allowed: set[str]
) -> None:
    reply = service.request(method, path, headers=ADMINISTRATOR)

    assert is_problem(reply, 405)
    assert set(reply.headers["allow"].split(", ")) == allowed
    options = service.request("OPTIONS", path)
    assert (options.status, set(options.headers["allow"].split(", "))) == (204, allowed)


@each_row(
    "path",
    [
        GRAPHQL,
        SCHEMA,
        "/auth/administration/members",
        "/auth/administration/member",
        "/auth/nothing",
        "/auth/api/graphql/Nowhere",
    ],
)
@each_row(
    "authorization", [None, basic("admin", "wrong"), basic("nobody", PASSWORD), "Bearer x.y.z", "Digest x"]
)
def test_requests_without_credentials_are_refused(
    service: RunningService, path: str, authorization: str | None
) -> None:
    """The response does not show whether the address exists. It names the available schemes."""
    headers = {"Authorization": authorization} if authorization else {}

    reply = service.request("GET", path, headers=headers)

    assert is_problem(reply, 401)
    (offered,) = [value for name, value in reply.headers.items() if name.endswith("www-authenticate")]
    assert {"Basic", "Bearer"} & set(offered.replace(",", " ").split())


def test_health_returns_the_version_and_the_state_of_the_store(service: RunningService) -> None:
    result = {"version": __version__, "store": "reachable"}

    plain, xml = service.request("GET", HEALTH), service.request("GET", f"{HEALTH}?format=xml")

    assert (plain.status, plain.json()) == (200, result)
    assert (xml.status, b"<store>reachable</store>" in xml.body) == (200, True)


def test_administrators_read_about_the_service(service: RunningService) -> None:
    reply = service.request("GET", "/auth/administration/service", headers=ADMINISTRATOR)
    report = reply.json()
    assert (reply.status, report["application"], report["version"]) == (200, "Hr", __version__)
    states = {(each["class"], each["name"]): each["state"] for each in report["indexes"]}
    assert states["Employee", "@unique(email)"] == "READY"
    assert PASSWORD not in reply.body.decode()


def test_the_schema_is_that_of_the_golden_file(service: RunningService) -> None:
    reply = service.request("GET", SCHEMA, headers=ADMINISTRATOR)

    golden = (ROOT / "tests/core/schema/golden/hr.graphql").read_text()
    assert (reply.status, reply.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert reply.body.decode() == golden


def test_links_ignore_the_host_header(service: RunningService) -> None:
    member = {"username": "links", "email": "links@example.com", "profile": "Member"}
    forged = {
        "Host": "evil.example.com",
        "X-Forwarded-Host": "evil.example.com",
        "X-Forwarded-Proto": "https",
    }
    headers = ADMINISTRATOR | JSON | forged

    created = service.request(
        "POST", "/auth/administration/members", headers=headers, body=json.dumps(member)
    )
    described = service.request("GET", "/public/openapi.json", headers=forged)

    root = f"http://127.0.0.1:{service.port}"
    assert created.headers["location"].startswith(f"{root}/auth/administration/members/")
    assert described.json()["servers"] == [{"url": root}]
    assert "evil" not in created.body.decode() + described.body.decode()


def test_links_use_the_configured_base_url(tmp_path: Path) -> None:
    settings = {"STRATABASE_BASE_URL": "https://data.example.com/hr"}
    with running(tmp_path / "home", settings=settings) as service:
        described = service.request("GET", "/public/openapi.json").json()

    assert described["servers"] == [{"url": "https://data.example.com/hr"}]


def test_the_trace_id_is_in_the_response_and_in_the_log(service: RunningService) -> None:
    reply = get(service, "/auth/looked/for/in/the/log")

    trace_id = reply.json()["traceId"]
    eventually(lambda: trace_id in service.log())
    lines = [line for line in service.log().splitlines() if trace_id in line]
    assert all(reply.headers["x-amzn-requestid"] in line for line in lines)


@pytest.mark.local
def test_an_unreachable_store_is_reported_without_details(tmp_path: Path) -> None:
    """Health says so, and a request is to come again later."""
    with emulator() as address:
        settings = {
            "STRATABASE_STORE": "dynamodb",
            "STRATABASE_ENDPOINT": address,
            "STRATABASE_CREATE_TABLES": "on",
            "STRATABASE_TABLE": "gone",
            "STRATABASE_MEMBERS_TABLE": "gone-members",
            **EMULATOR_CREDENTIALS,
        }
        service = RunningService(tmp_path / "home", settings=settings).start()
    try:
        with ThreadPoolExecutor() as threads:
            health = threads.submit(service.request, "GET", HEALTH)
            asked = threads.submit(get, service, query=COUNT)
    finally:
        service.stop()

    reply = health.result()
    assert (reply.status, reply.json()) == (503, {"version": __version__, "store": "unreachable"})
    reply = asked.result()
    assert is_problem(reply, 503)
    assert int(reply.headers["retry-after"]) > 0
    assert re.search("127.0.0.1|DynamoDB|gone|Traceback|Error", reply.body.decode()) is None
