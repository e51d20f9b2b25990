"""What the logs and the metrics of a service say about its requests, and what they never say."""

import http.client
import json
import os
import re
import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service import PASSWORD, RunningService, basic, eventually

MARKER = "Xyzzy4711"
GRAPHQL = "/auth/api/graphql/{application}"
HEADERS = {"Content-Type": "application/json", "Authorization": basic("admin", PASSWORD)}
CLIENT = "203.0.113.77"
SETTINGS = {
    "STRATABASE_ACCESS_LOG": "json",
    "STRATABASE_SLOW_REQUEST_MILLISECONDS": "1",
    "STRATABASE_TRUSTED_PROXIES": "127.0.0.1",
}
pytestmark = pytest.mark.local


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    arguments = ["--workers=2", "--metrics=127.0.0.1:0"]
    home = tmp_path_factory.mktemp("watched") / "home"
    service = RunningService(home, arguments=arguments, settings=SETTINGS).start()
    yield service
    service.stop()


def graphql(service: RunningService, query: str, **variables: Any) -> Any:
    headers = {**HEADERS, "X-Forwarded-For": f"198.51.100.1, {CLIENT}", "X-Extra": MARKER}
    body = json.dumps({"query": query, "variables": variables})
    return service.request("POST", f"/auth/api/graphql/Hr?key={MARKER}", headers=headers, body=body)


def lines(service: RunningService, message: str) -> list[dict[str, Any]]:
    """Return the JSON lines of the log with a message."""
    found = [json.loads(line) for line in service.log().splitlines() if line.startswith("{")]
    return [line for line in found if line["message"] == message]


def metrics(service: RunningService) -> dict[str, float]:
    """Return the values of the metrics by their names with labels."""
    url = re.search(r"^Metrics: (\S+)$", service.log(), re.MULTILINE)
    assert url is not None
    with urllib.request.urlopen(url[1]) as response:
        text = response.read().decode()
    pairs = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in pairs}


def workers(service: RunningService) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text().split()]


def test_logs_and_metrics_name_routes_and_services_and_nothing_of_clients(service: RunningService) -> None:
    create = "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id } }"
    page = (
        "query Q%s($name: String) { x%s: Employee___getPage(options: "
        "{filter: {last_name___eq: $name, first_name___contains: $name}}) { items { _id } } }"
    )
    data = {"first_name": MARKER, "last_name": MARKER, "email": f"{MARKER}@example.com"}
    # 1. Let each worker answer some requests.
    for number, stopped in enumerate(workers(service)):
        os.kill(stopped, signal.SIGSTOP)
        reply = graphql(
            service, create, data=data | {"last_name": f"{MARKER}{number}", "email": f"{number}@x.org"}
        )
        assert "errors" not in reply.json(), reply.json()
        assert "errors" not in graphql(service, page % (MARKER, MARKER), name=MARKER).json()
        os.kill(stopped, signal.SIGCONT)
    # 2. Let requests fail in many ways.
    assert "errors" in graphql(service, create, data=data | {"first_name": 1}).json()
    assert "errors" in graphql(service, create, data=data | {"email": "0@x.org"}).json()
    assert "errors" in graphql(service, f"{{ {MARKER} }}").json()
    wrong = {"Authorization": basic(MARKER, MARKER)}
    assert service.request("GET", "/auth/administration/member", headers=wrong).status == 401
    assert service.request("GET", f"/public/{MARKER}?{MARKER}={MARKER}").status == 404
    assert service.request("GET", f"/public/graphiql/{MARKER}").status == 404
    assert service.request("POST", "/public/health", body=MARKER).status == 405
    assert service.request("GET", f"/public/health?{MARKER}", headers={"X": MARKER * 2000}).status == 431
    body = json.dumps({"username": MARKER, "password": MARKER})
    tokens = service.request("POST", "/public/token/getJwtToken", headers=HEADERS, body=body)
    assert tokens.status == 401

    # 3. The access log has one line for each request, with the client that the proxy names.
    eventually(
        lambda: any(line["status"] == 401 and "Jwt" in line["route"] for line in lines(service, "Request"))
    )
    logged = lines(service, "Request")
    created = [line for line in logged if line["operations"] == ["Employee___create"]]
    assert [line["status"] for line in created] == [200] * 4
    assert {line["route"] for line in created} == {GRAPHQL}
    assert {line["client"] for line in created} == {CLIENT}
    assert any("refusals" in line for line in created)
    assert any(line.get("graphqlCore") == "refused" for line in created)
    assert {"/public/health", "/public/graphiql/{file}", "-"} <= {line["route"] for line in logged}
    assert 431 in {line["status"] for line in logged}

    # 4. Slow requests have their query plans.
    slow = lines(service, "Slow request")
    assert any(plan.startswith("Employee: ") for line in slow for plan in line["plans"])

    # 5. The metrics sum what both workers have counted.
    found = metrics(service)
    assert found['stratabase_service_calls_total{service="Employee___getPage"}'] == 2
    assert found['stratabase_service_calls_total{service="Employee___create"}'] == len(created)
    assert found[f'stratabase_requests_total{{route="{GRAPHQL}",status="200"}}'] == len(
        [line for line in logged if line["route"] == GRAPHQL and line["status"] == 200]
    )
    assert found[f'stratabase_request_seconds_count{{route="{GRAPHQL}"}}'] >= 7
    assert found["stratabase_workers"] == 2
    assert any(name.startswith('stratabase_refusals_total{refusal="') for name in found)
    assert found['stratabase_graphql_core_total{reason="refused"}'] >= 1

    # 6. Nothing that a client has sent is in them.
    assert MARKER not in service.log()
    assert not any(MARKER in name or CLIENT in name or "x.org" in name for name in found)


def test_each_worker_sees_at_once_what_another_has_written(service: RunningService) -> None:
    """Counts and objects that a worker keeps are read anew after a commit of another process."""
    create = "mutation($name: String!) { Team___create(data: {name: $name}) { _id } }"
    look = "query($id: ID!) { Team___getPage { totalCount } Team___get(_id: $id) { name } }"
    rename = "mutation($id: ID!, $name: String!) { Team___update(data: {_id: $id, name: $name}) { name } }"
    first = graphql(service, create, name="first").json()["data"]["Team___create"]["_id"]
    for number, stopped in enumerate(workers(service) * 3):
        os.kill(stopped, signal.SIGSTOP)
        before = graphql(service, look, id=first).json()["data"]
        assert before["Team___getPage"]["totalCount"] == number + 1
        assert before["Team___get"]["name"] == ("first" if number == 0 else f"name {number - 1}")
        graphql(service, create, name=f"team {number}")
        graphql(service, rename, id=first, name=f"name {number}")
        os.kill(stopped, signal.SIGCONT)


def test_the_metrics_of_a_worker_survive_its_replacement(service: RunningService) -> None:
    name = 'stratabase_requests_total{route="/public/health/live",status="200"}'
    for _ in range(5):
        assert service.request("GET", "/public/health/live").status == 200
    eventually(lambda: metrics(service).get(name) == 5)

    before = workers(service)
    os.kill(service.pid, signal.SIGHUP)
    eventually(lambda: "Serving the new version" in service.log())
    eventually(lambda: len(workers(service)) == 2 and not set(workers(service)) & set(before))

    assert service.request("GET", "/public/health/live").status == 200
    eventually(lambda: metrics(service)[name] == 6)


def test_a_forwarded_address_counts_for_limits_and_never_for_links(tmp_path: Path) -> None:
    settings = {"STRATABASE_TRUSTED_PROXIES": "127.0.0.1", "STRATABASE_ACCESS_LOG": "text"}
    service = RunningService(tmp_path / "home", settings=settings).start()
    hostile = {"X-Forwarded-For": CLIENT, "X-Forwarded-Host": "evil.test", "X-Forwarded-Proto": "https"}

    reply = service.request("GET", "/public/openapi.json", headers=hostile)

    service.stop()
    assert reply.status == 200
    assert b"evil.test" not in reply.body
    line = next(line for line in service.log().splitlines() if "/public/openapi.json" in line)
    assert re.fullmatch(
        rf"\S+Z {re.escape(CLIENT)} GET /public/openapi\.json 200 \d+\.\dms [0-9a-f-]{{36}} -", line
    )


def test_metrics_need_a_valid_and_free_address(tmp_path: Path, service: RunningService) -> None:
    for address, problem in (
        ("9464", '"9464" is not valid'),
        (f"127.0.0.1:{service.port}", "cannot be used"),
    ):
        other = RunningService(tmp_path / "other", arguments=[f"--metrics={address}"])
        with pytest.raises(AssertionError, match=problem):
            other.start()
    with pytest.raises((OSError, http.client.HTTPException)):
        other.request("GET", "/public/health")
