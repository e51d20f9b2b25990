"""Botocore sessions share the loaded service descriptions and nothing else."""

from botocore.session import Session

from stratabase_aws.endpoint import new_session, share_data_loader


def test_sessions_share_loaded_service_data() -> None:
    sessions = [new_session(), new_session(), share_data_loader(Session())]

    loaders = {id(each.get_component("data_loader")) for each in sessions}

    assert len(loaders) == 1
    assert sessions[0].get_service_model("dynamodb").service_name == "dynamodb"


def test_each_session_has_its_own_credentials() -> None:
    one, other = new_session(), new_session()
    one.set_credentials("one", "secret")
    other.set_credentials("other", "secret")

    assert [each.get_credentials().access_key for each in (one, other)] == ["one", "other"]
