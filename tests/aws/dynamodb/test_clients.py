"""Both clients return the same results, and send each request once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stratabase.core.waiting import deadline_after
from stratabase_aws.dynamodb.botocore_client import BotocoreClient
from stratabase_aws.dynamodb.client import Client, Rejected, Unanswered, Unreached
from stratabase_aws.dynamodb.signed_client import SignedClient
from stratabase_aws.endpoint import AwsEndpoint, Credentials, new_session
from tests.aws.dynamodb.certificate import make_certificate
from tests.aws.dynamodb.proxy import proxying
from tests.aws.dynamodb.server import Reply, Server, serving

READ = ("GetItem", {"TableName": "table", "Key": {"pk": {"S": "😀"}}})
REASONS = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Item": {"a": {"S": "b"}}}]

Make = Callable[[AwsEndpoint], Client]


@pytest.fixture(params=[BotocoreClient, SignedClient], ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> Make:
    """A kind of client."""
    make: Make = request.param
    return make


@contextmanager
def client_of(make: Make, server: Server) -> Iterator[Client]:
    client = make(AwsEndpoint("eu-west-1", server.url, Credentials("key", "secret"), read_timeout=0.2))
    yield client
    client.close()


def rejection(make: Make, reply: Reply) -> Rejected:
    refused = pytest.raises(Rejected)
    with serving(reply) as server, client_of(make, server) as client, refused as raised:
        client.call(*READ)
    assert len(server.asked) == 1
    return raised.value


def test_a_response_is_returned_as_received(make: Make) -> None:
    item = {"a": {"L": [{"S": ""}, {"N": "1"}, {"NULL": True}, {"BOOL": False}]}}
    with serving(Reply({"Item": item})) as server, client_of(make, server) as client:
        assert client.call(*READ)["Item"] == item


def test_a_failed_condition_comes_with_the_item(make: Make) -> None:
    content = {"__type": "x#ConditionalCheckFailedException", "message": "m", "Item": {"a": {"S": "b"}}}
    rejected = rejection(make, Reply(content, 400))
    assert (rejected.code, rejected.status) == ("ConditionalCheckFailedException", 400)
    assert (rejected.message, rejected.found, rejected.reasons) == ("m", {"a": {"S": "b"}}, ())


def test_a_cancelled_transaction_comes_with_its_reasons(make: Make) -> None:
    content = {"__type": "x#TransactionCanceledException", "Message": "m", "CancellationReasons": REASONS}
    rejected = rejection(make, Reply(content, 400))
    assert (rejected.code, rejected.message) == ("TransactionCanceledException", "m")
    assert rejected.found is None
    assert [*rejected.reasons] == REASONS


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_failure_keeps_its_status_and_is_not_retried(make: Make, status: int) -> None:
    assert rejection(make, Reply({"__type": "x#InternalServerError"}, status)).status == status


@pytest.mark.parametrize(
    "reply", [Reply(break_off=True), Reply(silent=True), Reply({"Item": {}}, checksum=1)], ids=repr
)
def test_an_untrustworthy_response_is_unanswered_and_not_retried(make: Make, reply: Reply) -> None:
    with serving(reply) as server, client_of(make, server) as client, pytest.raises(Unanswered) as raised:
        client.call(*READ)
    assert not isinstance(raised.value, Unreached)
    assert len(server.asked) == 1


def test_an_unreachable_server_is_reported_as_unreached(make: Make) -> None:
    with serving() as server:
        pass
    with client_of(make, server) as client, pytest.raises(Unreached):
        client.call(*READ)


def test_a_request_without_credentials_is_rejected(
    make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    nowhere = str(tmp_path_factory.mktemp("home") / "none")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, nowhere)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    # The session of all clients of this process may have found credentials before.
    session = new_session()
    monkeypatch.setattr("stratabase_aws.endpoint._session_of_clients", lambda: session)
    with serving(Reply({})) as server:
        client = make(AwsEndpoint("eu-west-1", server.url))
        with pytest.raises(Rejected, match="NoCredentials"):
            client.call(*READ)
        assert server.asked == []

        # It finds those that appear later.
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        assert client.call(*READ).get("Item") is None
        client.close()
        assert len(server.asked) == 1


def test_a_proxy_and_certificates_of_the_environment_are_used(
    make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = tmp_path / "certificate.pem"
    make_certificate(certificate)
    for name in ("NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
    with serving(Reply({"Item": {}}), certificate=certificate) as server, proxying() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:a%20secret@{proxy.address}")
        with client_of(make, server) as client:
            assert client.call(*READ)["Item"] == {}
        assert [target for target, _ in proxy.asked] == [server.url.removeprefix("https://")]
        assert [headers["Proxy-Authorization"] for _, headers in proxy.asked] == ["Basic bWU6YSBzZWNyZXQ="]


def test_a_request_waits_no_longer_than_its_deadline(make: Make) -> None:
    with serving(Reply({"Item": {}}), Reply(silent=True)) as server:
        client = make(AwsEndpoint("eu-west-1", server.url, Credentials("key", "secret"), read_timeout=3600))
        client.call(*READ)  # what a first request sets up can take longer than the deadline
        with deadline_after(1), pytest.raises(Unanswered) as raised:
            client.call(*READ)
        assert not isinstance(raised.value, Unreached)
        client.close()


def test_nothing_is_sent_after_the_deadline(make: Make) -> None:
    with serving(Reply({"Item": {}})) as server, client_of(make, server) as client:
        with deadline_after(0), pytest.raises(Unreached):
            client.call(*READ)
        assert server.asked == []
        with deadline_after(3600):
            assert client.call(*READ)["Item"] == {}


def test_a_deadline_does_not_shorten_later_requests(make: Make) -> None:
    with serving() as server, client_of(make, server) as client:
        client.call(*READ)  # what a first request sets up can take longer than the deadline
        with deadline_after(1):
            client.call(*READ)
        client.call(*READ)
        assert server.connections == 1
        with deadline_after(0), pytest.raises(Unreached):
            client.call(*READ)
        client.call(*READ)
        assert len(server.asked) == 4
