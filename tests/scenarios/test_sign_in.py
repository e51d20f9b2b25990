"""Guessing passwords over HTTP: after ten wrong ones, that name is refused from that address."""

import http.client
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stratabase.members.sign_in.sign_in import MAX_REFUSALS
from tests.service import DEADLINE, PASSWORD, Reply, RunningService, basic
from tests.soak import count

MEMBERS = ("bert", "carla", "dora", "emil", "fritz", "gina", "hans")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with one member per test."""
    home: Path = tmp_path_factory.mktemp("sign-in") / "home"
    service = RunningService(home).start()
    for name in MEMBERS:
        service.join(name)
    yield service
    service.stop()


def come(service: RunningService, username: str, password: str, source: str) -> Reply:
    """Send a request with a password, from a loopback address."""
    headers = {"Authorization": basic(username, password)}
    return send(service, source, "GET", "/auth/api/schema/Hr", headers=headers)


def ask_for_token(service: RunningService, username: str, password: str, source: str) -> Reply:
    """Request a token from a loopback address."""
    body = json.dumps({"username": username, "password": password})
    return send(service, source, "POST", "/public/token/getJwtToken", body=body)


def send(service: RunningService, source: str, method: str, path: str, **rest: Any) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, 30, source_address=(source, 0))
    with closing(connection):
        return service.request(method, path, connection=connection, **rest)


def guess(service: RunningService, username: str, source: str) -> list[int]:
    """Try eleven wrong passwords."""
    return [come(service, username, f"guess {number}", source).status for number in range(11)]


@pytest.mark.parametrize(("username", "source"), [("Bert", "127.0.1.1"), ("nobody", "127.0.1.2")])
def test_after_ten_wrong_passwords_sign_in_is_refused_for_a_while(
    username: str, source: str, service: RunningService
) -> None:
    """This does not depend on whether the member exists."""
    assert guess(service, username, source) == [*[401] * 10, 429]
    reply = come(service, username, PASSWORD, source)
    assert reply.status == 429
    assert 800 < int(reply.headers["retry-after"]) <= 900
    assert "www-authenticate" not in reply.headers
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["detail"].startswith("Too many failed sign-in attempts. Try again in ")


@pytest.mark.local
def test_basic_and_token_sign_ins_are_counted_together(service: RunningService) -> None:
    """Otherwise a client could continue to guess with the other scheme.

    On Lambda, where nothing waits, a right password can still pass for 2 seconds.
    """
    for _ in range(5):
        assert come(service, "emil", "guess", "127.0.5.1").status == 401
        assert ask_for_token(service, "emil", "guess", "127.0.5.1").status == 401
    assert come(service, "emil", PASSWORD, "127.0.5.1").status == 429
    reply = ask_for_token(service, "emil", PASSWORD, "127.0.5.1")
    assert (reply.status, int(reply.headers["retry-after"]) > 800) == (429, True)
    assert ask_for_token(service, "emil", PASSWORD, "127.0.5.2").status == 200


@pytest.mark.local
@pytest.mark.soak
def test_a_blocked_address_learns_nothing_while_the_member_signs_in_elsewhere(
    service: RunningService,
) -> None:
    """Any number of wrong passwords and the right one get the same refusal, over both schemes.

    On Lambda, where nothing waits, a right password can still pass for 2 seconds.
    """
    blocked = http.client.HTTPConnection("127.0.0.1", service.port, DEADLINE, source_address=("127.0.7.1", 0))
    assert guess(service, "gina", "127.0.7.1")[-1] == 429
    spellings = ("gina", "Gina", "GINA")
    replies: Counter[tuple[bool, int]] = Counter()
    for number in range(count(120, 6_000)):
        spelled, is_right = spellings[number % 3], number % 2 == 0
        password = PASSWORD if is_right else f"guess {number}"
        if number % 10 == 0:
            assert come(service, spelled, PASSWORD, "127.0.7.2").status == 200
        headers = {"Authorization": basic(spelled, password)}
        reply = service.request("GET", "/auth/api/schema/Hr", connection=blocked, headers=headers)
        replies[is_right, reply.status] += 1
    blocked.close()
    assert set(replies) == {(True, 429), (False, 429)}
    assert ask_for_token(service, "gina", PASSWORD, "127.0.7.1").status == 429
    assert ask_for_token(service, "gina", PASSWORD, "127.0.7.2").status == 200


@pytest.mark.local
def test_whoever_shares_a_blocked_address_with_the_member_has_few_guesses(service: RunningService) -> None:
    """The member passes from there at first, but no longer than for ten more guesses."""
    source = "127.0.8.1"
    assert come(service, "hans", PASSWORD, source).status == 200
    assert guess(service, "hans", source)[-1] == 429
    for number in range(MAX_REFUSALS):
        assert come(service, "hans", f"guess {number}", source).status == 429
    assert come(service, "hans", PASSWORD, source).status == 429
    assert come(service, "hans", PASSWORD, "127.0.8.2").status == 200


def change(service: RunningService, token: str, source: str, **fields: str) -> Reply:
    """Change a member's own fields with a token, from a loopback address."""
    headers = {"Authorization": f"Bearer {token}"}
    id_ = send(service, source, "GET", "/auth/administration/member", headers=headers).json()["id"]
    path = f"/auth/administration/members/{id_}"
    return send(service, source, "PUT", path, headers=headers, body=json.dumps(fields))


def test_a_stolen_token_cannot_take_over_the_account(service: RunningService) -> None:
    """Wrong current passwords count like wrong passwords of a sign-in."""
    token = ask_for_token(service, "fritz", PASSWORD, "127.0.6.1").json()["access_token"]
    new = "a new password of fritz"
    changes = {"password": new}, {"email": "thief@example.com"}
    for fields in changes:
        missing = change(service, token, "127.0.6.1", **fields)
        assert (missing.status, "currentPassword" in missing.body.decode()) == (400, True)
    wrong = [
        change(service, token, "127.0.6.1", **changes[number % 2], currentPassword=f"guess {number}")
        for number in range(11)
    ]
    assert [reply.status for reply in wrong] == [*[401] * 10, 429]
    assert wrong[0].body == b"The current password is incorrect."
    assert wrong[0].headers["www-authenticate"] == 'Bearer realm="Stratabase"'
    assert come(service, "fritz", "another guess", "127.0.6.1").status == 429
    assert not [mail for mail in (service.home / "outbox").glob("*") if "thief" in mail.read_text()]
    assert change(service, token, "127.0.6.2", password=new, currentPassword=PASSWORD).status == 200
    assert come(service, "fritz", new, "127.0.6.2").status == 200


def test_the_limit_survives_a_restart(service: RunningService) -> None:
    assert guess(service, "nobody else", "127.0.3.1")[-1] == 429
    service.kill()
    service.start()
    assert come(service, "nobody else", "x", "127.0.3.1").status == 429


def test_neither_names_nor_passwords_are_logged(service: RunningService) -> None:
    come(service, "plantedname", "plantedpassword", "127.0.4.1")
    log = service.log()
    assert '"address":"127.0.4.1"' in log.replace(" ", "")
    assert [word for word in ("planted", basic("plantedname", "plantedpassword")[6:]) if word in log] == []
