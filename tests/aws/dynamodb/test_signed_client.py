"""The client that signs its own requests: connections, retries and credentials."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stratabase_aws.dynamodb import signed_client
from stratabase_aws.dynamodb.client import Rejected, Unanswered, Unreached
from stratabase_aws.dynamodb.signed_client import SignedClient
from stratabase_aws.endpoint import AwsEndpoint, BotocoreCredentials, Credentials
from tests.aws.dynamodb.certificate import make_certificate
from tests.aws.dynamodb.server import Reply, Server, serving
from tests.rows import each_row

KEPT = Credentials("key", "secret")


@contextmanager
def client_of(server: Server, read_timeout: float = 30) -> Iterator[SignedClient]:
    client = SignedClient(AwsEndpoint("eu-west-1", server.url, KEPT, read_timeout=read_timeout))
    yield client
    client.close()


def test_a_request_is_sent_and_its_response_returned() -> None:
    with serving(Reply({"Item": {"a": {"S": "😀"}}})) as server, client_of(server) as client:
        assert client.call("GetItem", {"TableName": "é"}) == {"Item": {"a": {"S": "😀"}}}
        ((headers, body),) = server.asked
    assert body == '{"TableName":"é"}'.encode()
    assert headers["x-amz-target"] == "DynamoDB_20120810.GetItem"
    assert headers["content-type"] == "application/x-amz-json-1.0"


def test_a_connection_serves_several_requests() -> None:
    with serving() as server, client_of(server) as client:
        for _ in range(3):
            client.call("GetItem", {})
        assert (len(server.asked), server.connections) == (3, 1)


def test_a_closed_connection_is_not_reused() -> None:
    """Neither when it says so, nor when it does so without a word."""
    replies = [Reply(headers={"connection": "close"}), Reply(break_off=True), Reply()]
    with serving(*replies) as server, client_of(server) as client:
        client.call("GetItem", {})
        with pytest.raises(Unanswered):
            client.call("GetItem", {})
        client.call("GetItem", {})
        assert server.connections == 3


def test_a_connection_with_a_pending_response_is_not_reused() -> None:
    """The pending response would be read as the response to the next request."""
    with serving(Reply(silent=True)) as server, client_of(server, read_timeout=0.5) as client:
        with pytest.raises(Unanswered):
            client.call("GetItem", {})
        client.call("GetItem", {})
        assert server.connections == 2


def test_a_connection_that_ended_while_idle_is_replaced() -> None:
    with serving(Reply(ends=True)) as server, client_of(server) as client:
        client.call("GetItem", {})
        assert server.closed.wait(60)
        client.call("GetItem", {})
        assert server.connections == 2


def test_a_connection_idle_for_long_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as server, client_of(server) as client:
        client.call("GetItem", {})
        later = time.time() + signed_client.MAX_IDLE
        monkeypatch.setattr(time, "time", lambda: later)
        client.call("GetItem", {})
        assert server.connections == 2


@each_row(
    "reply",
    [
        Reply(headers={"content-length": "9" * 20}, raw=b"{}"),
        Reply(headers={"content-length": "100"}, raw=b"{}", ends=True),
        Reply(headers={"transfer-encoding": "chunked"}, raw=b"2\r\n{}\r\nx\r\n", ends=True),
        Reply(headers={f"x-{number}": "y" for number in range(200)}, raw=b"{}"),
    ],
)
def test_a_broken_response_is_unanswered(reply: Reply) -> None:
    with serving(reply) as server, client_of(server, read_timeout=0.5) as client:
        with pytest.raises(Unanswered) as raised:
            client.call("GetItem", {})
        assert not isinstance(raised.value, Unreached)
        client.call("GetItem", {})


@each_row("content", [b"", b"<html>", b"[]", b'{"Item":'])
def test_a_response_that_is_not_a_json_object_is_not_trusted(content: bytes) -> None:
    with serving(Reply(content)) as server, client_of(server) as client, pytest.raises(Unanswered):
        client.call("GetItem", {})


def test_a_failure_that_is_not_json_keeps_its_status() -> None:
    refused = pytest.raises(Rejected)
    with serving(Reply(b"<html>", 503)) as server, client_of(server) as client, refused as raised:
        client.call("GetItem", {})
    assert raised.value.status == 503


def test_a_connection_is_reused_after_a_refusal() -> None:
    with serving(Reply({"__type": "x#ThrottlingException"}, 400)) as server, client_of(server) as client:
        with pytest.raises(Rejected):
            client.call("GetItem", {})
        client.call("GetItem", {})
        assert server.connections == 1


@each_row("hours", [-3, 3])
def test_the_client_adjusts_to_the_clock_of_the_server(hours: float) -> None:
    there = time.time() + hours * 3600
    wrong = Reply({"__type": "x#InvalidSignatureException"}, 400, date=there)
    with serving(wrong) as server, client_of(server) as client:
        client.call("GetItem", {})
        client.call("GetItem", {})
        signed = [headers["x-amz-date"] for headers, _ in server.asked]
    here, *as_there = (time.mktime(time.strptime(each, "%Y%m%dT%H%M%SZ")) for each in signed)
    assert [round((each - here) / 3600, 1) for each in as_there] == [hours, hours]


def test_another_signature_error_is_raised_immediately() -> None:
    wrong = Reply({"__type": "x#InvalidSignatureException"}, 400)
    with serving(wrong) as server, client_of(server) as client:
        with pytest.raises(Rejected):
            client.call("GetItem", {})
        assert len(server.asked) == 1


class Renewed:
    """Credentials of which there are always newer ones."""

    def __init__(self) -> None:
        self.number = 1

    def current(self) -> Credentials:
        return Credentials(f"key{self.number}", "secret", f"token{self.number}")

    def discard(self) -> None:
        self.number += 1


@each_row("code", ["ExpiredTokenException", "UnrecognizedClientException"])
def test_expired_credentials_are_renewed_once(code: str) -> None:
    expired = Reply({"__type": f"x#{code}"}, 400)
    with serving(expired, Reply(), expired, expired) as server:
        client = SignedClient(AwsEndpoint("eu-west-1", server.url), Renewed())
        client.call("GetItem", {})
        with pytest.raises(Rejected, match=code):
            client.call("GetItem", {})
        client.close()
        tokens = [headers["x-amz-security-token"] for headers, _ in server.asked]
    assert tokens == ["token1", "token2", "token2", "token3"]


def test_credentials_are_found_like_by_the_aws_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    found = BotocoreCredentials()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "one")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "lent")
    assert found.current() == Credentials("one", "secret", "lent")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "two")
    assert found.current().access_key == "one"
    found.discard()
    assert found.current().access_key == "two"


def test_tls_connections_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = tmp_path / "certificate.pem"
    make_certificate(certificate)
    for name in ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving(certificate=certificate) as server, client_of(server) as client:
        for _ in range(3):
            client.call("GetItem", {})
        assert (len(server.asked), server.connections) == (3, 1)


def test_a_server_with_an_untrusted_certificate_gets_no_request(tmp_path: Path) -> None:
    certificate = tmp_path / "certificate.pem"
    make_certificate(certificate)
    with serving(certificate=certificate) as server, client_of(server) as client:
        with pytest.raises(Unreached, match="self-signed"):
            client.call("GetItem", {})
        assert not server.asked


def test_a_surrogate_is_a_caller_error() -> None:
    with serving() as server, client_of(server) as client, pytest.raises(ValueError, match="surrogate"):
        client.call("GetItem", {"TableName": "\ud800"})
