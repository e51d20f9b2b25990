"""The keyring in AWS Secrets Manager, and its failures."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from moto import mock_aws

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.keys.key_rotation import SigningKey
from stratabase_aws import endpoint
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from stratabase_aws.keys.secrets_manager import (
    MAX_CHANGE_ATTEMPTS,
    SecretsClient,
    SecretsError,
    SecretsManagerKeyring,
)
from tests.contract.keyring.keyrings import client, secrets_client
from tests.in_memory_keyring import key

HERE = AwsEndpoint("us-east-1", credentials=Credentials("test", "test"))
SECRET = "signing-keys"
LOST = SecretsError("ReadTimeoutError", "no answer", may_have_run=True)


class MockedSecret:
    """A secret in a mocked AWS, and keyrings of it."""

    def __init__(self) -> None:
        self.client = client(HERE)
        self.client.create_secret(Name=SECRET, SecretString=json.dumps({"first": "R" * 64}))
        self.pauses: list[float] = []

    def keyring(self, client: SecretsClient | None = None) -> SecretsManagerKeyring:
        return SecretsManagerKeyring(SECRET, client or secrets_client(HERE), self.pauses.append)

    def versions(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = self.client.describe_secret(SecretId=SECRET)["VersionIdsToStages"]
        return found

    def put(self, text: str) -> None:
        self.client.put_secret_value(SecretId=SECRET, SecretString=text)


class LosingClient(SecretsClient):
    """Passes calls on, but loses the first one of an operation, or with `done` its answer."""

    def __init__(self, operation: str, *, done: bool) -> None:
        super().__init__(HERE)
        self._operation = operation
        self._done = done
        self._lost = 0

    def call(self, operation: str, **parameters: object) -> dict[str, Any]:
        if operation != self._operation or self._lost:
            return secrets_client(HERE).call(operation, **parameters)
        self._lost += 1
        if self._done:
            secrets_client(HERE).call(operation, **parameters)
        raise LOST


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockedSecret]:
    with mock_aws():
        yield MockedSecret()


def add(keyring: SecretsManagerKeyring, id_: str) -> None:
    keyring.change(lambda keys: (*keys, key(id_)))


def ids(keyring: SecretsManagerKeyring) -> list[str]:
    keys = keyring.keys()
    return [key.id for key in keys]


def test_the_secret_of_the_template_is_the_first_key(secret: MockedSecret) -> None:
    assert list(secret.keyring().keys()) == [SigningKey("first", b"R" * 64, 0)]


def test_reading_writes_nothing(secret: MockedSecret) -> None:
    secret.keyring().keys()
    assert list(secret.versions().values()) == [["AWSCURRENT"]]


def test_a_change_adds_a_version_and_keeps_the_previous_one(secret: MockedSecret) -> None:
    add(secret.keyring(), "a")
    previous = secret.client.get_secret_value(SecretId=SECRET, VersionStage="AWSPREVIOUS")
    assert json.loads(previous["SecretString"]) == {"first": "R" * 64}
    assert ids(secret.keyring()) == ["first", "a"]


def test_a_concurrent_change_is_not_lost(secret: MockedSecret) -> None:
    """A secret is replaced only if it has not changed since it was read."""
    others = [lambda: add(secret.keyring(), "b"), lambda: add(secret.keyring(), "c")]
    seen: list[list[str]] = []

    def changed(keys: Sequence[SigningKey]) -> Sequence[SigningKey]:
        seen.append([key.id for key in keys])
        if others:
            others.pop(0)()
        return (*keys, key("a"))

    secret.keyring().change(changed)
    assert seen == [["first"], ["first", "b"], ["first", "b", "c"]]
    assert ids(secret.keyring()) == ["first", "b", "c", "a"]
    assert len(secret.pauses) == 2


def test_a_change_gives_up_after_repeated_conflicts(secret: MockedSecret) -> None:
    others = [f"other{number}" for number in range(MAX_CHANGE_ATTEMPTS)]
    early, late = secret.keyring(), secret.keyring()

    def changed(keys: Sequence[SigningKey]) -> Sequence[SigningKey]:
        add(early, others[len(keys) - 1])
        return (*keys, key("a"))

    with pytest.raises(Unavailable, match="Concurrent changes"):
        late.change(changed)
    assert ids(late) == ["first", *others]


@pytest.mark.parametrize("done", [True, False])
def test_a_lost_response_causes_no_second_change(done: bool, secret: MockedSecret) -> None:
    keyring = secret.keyring(LosingClient("update_secret_version_stage", done=done))
    add(keyring, "a")
    assert ids(secret.keyring()) == ["first", "a"]


def test_a_version_that_cannot_be_added_changes_nothing(secret: MockedSecret) -> None:
    keyring = secret.keyring(LosingClient("put_secret_value", done=False))
    with pytest.raises(Unavailable, match="Try again later"):
        add(keyring, "a")
    assert ids(keyring) == ["first"]


def test_an_outage_is_unavailable(secret: MockedSecret) -> None:
    keyring = secret.keyring(LosingClient("get_secret_value", done=False))
    with pytest.raises(Unavailable) as caught:
        keyring.keys()
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("text", ["R" * 64, "{}", '{"first": "short"}'])
def test_a_damaged_secret_is_refused_and_not_overwritten(text: str, secret: MockedSecret) -> None:
    secret.put(text)
    with pytest.raises(
        UnusableStore, match=f"The secret {SECRET} does not contain valid token signing keys: "
    ) as caught:
        add(secret.keyring(), "a")
    assert "RRR" not in str(caught.value)
    assert secret.client.get_secret_value(SecretId=SECRET)["SecretString"] == text


def test_a_binary_secret_is_refused_as_damaged(secret: MockedSecret) -> None:
    secret.client.put_secret_value(SecretId=SECRET, SecretBinary=b"\xff")
    with pytest.raises(UnusableStore, match="it is not JSON"):
        secret.keyring().keys()


def test_a_secret_that_does_not_exist_is_refused_with_the_settings_to_check(secret: MockedSecret) -> None:
    keyring = SecretsManagerKeyring("another", secrets_client(HERE))
    with pytest.raises(UnusableStore, match=r"The secret another .* Check STRATABASE_SIGNING_KEYS"):
        keyring.keys()


def test_a_secret_can_be_named_by_its_arn(secret: MockedSecret) -> None:
    arn = secret.client.describe_secret(SecretId=SECRET)["ARN"]
    keyring = SecretsManagerKeyring(arn, secrets_client(HERE))
    add(keyring, "a")
    assert ids(keyring) == ["first", "a"]


def test_missing_credentials_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", f"{tmp_path}/none")
    monkeypatch.setenv("AWS_CONFIG_FILE", f"{tmp_path}/none")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr(
        endpoint, "_session_of_clients", endpoint.new_session
    )  # the shared one may have found some
    with pytest.raises(UnusableStore, match="NoCredentials"):
        SecretsManagerKeyring(SECRET, SecretsClient(AwsEndpoint("us-east-1"))).keys()


def test_an_unreachable_endpoint_is_unavailable() -> None:
    nowhere = AwsEndpoint("us-east-1", "http://127.0.0.1:1", Credentials("test", "test"), 0.1, 0.1)
    with pytest.raises(Unavailable):
        SecretsManagerKeyring(SECRET, SecretsClient(nowhere)).keys()
