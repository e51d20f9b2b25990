"""Botocore sessions share the loaded service descriptions and nothing else."""

from pathlib import Path

import pytest
from botocore.exceptions import DataNotFoundError
from botocore.session import Session

from stratabase_aws import endpoint
from stratabase_aws.endpoint import new_session


def test_sessions_share_loaded_service_data() -> None:
    sessions = [new_session(), new_session()]

    loaders = {id(each.get_component("data_loader")) for each in sessions}

    assert len(loaders) == 1
    assert sessions[0].get_service_model("dynamodb").service_name == "dynamodb"


def test_a_session_finds_the_services_of_botocore_and_of_added_folders(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = tmp_path / "own" / "2026-11-27"
    own.mkdir(parents=True)
    (own / "service-2.json").write_text('{"metadata": {"serviceId": "Own"}}')
    monkeypatch.setenv("AWS_DATA_PATH", str(tmp_path))
    session = new_session()

    assert session.get_service_data("own")["metadata"] == {"serviceId": "Own"}
    assert {"own", *Session().get_available_services()} <= {*session.get_available_services()}
    with pytest.raises(DataNotFoundError):
        session.get_service_data("unknown")


@pytest.mark.parametrize("service", ["dynamodb", "lambda", "s3", "secretsmanager", "sesv2", "sts"])
def test_the_descriptions_of_services_are_those_that_botocore_loads(service: str) -> None:
    # Not the shared one: what it has loaded, botocore changes when it creates clients.
    ours, theirs = endpoint._data_loader.__wrapped__(None), Session().get_component("data_loader")

    for type_name in ("service-2", "endpoint-rule-set-1", "paginators-1"):
        loaded = ours.load_service_model(service, type_name)
        assert loaded == theirs.load_service_model(service, type_name)
    for name in ("endpoints", "partitions", "sdk-default-configuration", "_retry"):
        assert ours.load_data_with_path(name) == theirs.load_data_with_path(name)


def test_each_session_has_its_own_credentials() -> None:
    one, other = new_session(), new_session()
    one.set_credentials("one", "secret")
    other.set_credentials("other", "secret")

    assert [each.get_credentials().access_key for each in (one, other)] == ["one", "other"]
