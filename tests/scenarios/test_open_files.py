"""A service that can open no more files answers with 503, and goes on when it can."""

import json
import resource
from pathlib import Path

import pytest

from tests.core.http.files.forms import CONTENT_TYPE, form, part
from tests.service import PASSWORD, RunningService, basic, running
from tests.soak import mostly


def limit_files(service: RunningService, soft: int) -> None:
    _soft, hard = resource.prlimit(service.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(service.pid, resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.local
def test_without_a_free_file_a_new_service_refuses_and_reports_its_health(tmp_path: Path) -> None:
    """The first line of the log, the first refusals and the keys need no file that is not open yet."""
    wrong = basic("admin", "wrong")
    query = json.dumps({"query": "{ __typename }"})
    with running(tmp_path / "home", forked=False) as service:
        connection = service.connection()
        connection.connect()
        soft, _hard = resource.prlimit(service.pid, resource.RLIMIT_NOFILE)
        assert service.request("GET", "/public/health", connection=connection).status == 200
        limit_files(service, 0)
        statuses = dict[str, int]()
        for name, path, authorization, body in (
            ("health", "/public/health", "", ""),
            ("unknown address", "/none", "", ""),
            ("wrong password", "/auth/api/graphql/Hr", wrong, query),
            ("wrong token", "/auth/api/graphql/Hr", "Bearer a.b.c", query),
            ("right password", "/auth/api/graphql/Hr", basic("admin", PASSWORD), query),
        ):
            headers = {"Authorization": authorization} if authorization else {}
            headers |= {"Content-Type": "application/json"} if body else {}
            method = "POST" if body else "GET"
            reply = service.request(method, path, headers=headers, body=body, connection=connection)
            statuses[name] = reply.status
        limit_files(service, soft)
        connection.close()

    assert statuses.pop("health") == 200
    assert statuses.pop("unknown address") == 404
    assert statuses.pop("right password") in {200, 503}
    assert set(statuses.values()) <= {401, 503}, statuses


@pytest.mark.local
@pytest.mark.parametrize("language", mostly(["en", "it"], "it"))
def test_without_a_free_file_requests_are_503_with_retry_after(tmp_path: Path, language: str) -> None:
    """None of these requests was sent before, so each may need a file, a connection, or an import."""
    headers = {"Authorization": basic("admin", PASSWORD), "Accept-Language": language}
    photo = form(part('form-data; name="file"; filename="a.png"', b"PNG", [b"Content-Type: image/png"]))
    query = json.dumps({"query": "{ Employee___getPage { totalCount } }"})
    requests: list[tuple[str, str, bytes | str, str]] = [
        ("GET", "/auth/file/Employee/none/photo", "", ""),
        ("GET", "/auth/administration/members", "", ""),
        ("POST", "/auth/api/graphql/Hr", query, "application/json"),
        ("POST", "/auth/file/Employee/photo", photo, CONTENT_TYPE),
    ]
    with running(tmp_path / "home", forked=False) as service:
        connection = service.connection()
        connection.connect()
        soft, _hard = resource.prlimit(service.pid, resource.RLIMIT_NOFILE)
        assert service.request("GET", "/public/health/live", connection=connection).status == 200
        limit_files(service, 0)
        statuses = list[int]()
        for method, path, body, media_type in requests:
            sent = headers | {"Content-Type": media_type}
            reply = service.request(method, path, headers=sent, body=body, connection=connection)
            assert reply.status in {200, 404, 503}, (path, reply)
            statuses.append(reply.status)
            if reply.status == 503:
                assert int(reply.headers["retry-after"]) > 0
        limit_files(service, soft)
        assert statuses[-1] == 503, statuses
        for method, path, body, media_type in requests:
            sent = headers | {"Content-Type": media_type}
            reply = service.request(method, path, headers=sent, body=body, connection=connection)
            assert reply.status in {200, 201, 404}, (path, reply)
        connection.close()
