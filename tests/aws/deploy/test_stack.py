"""What a deployed stack has, what stays of it, and what the account must have."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

import boto3
import pytest

from stratabase.cli.main import main
from stratabase.terminal.command_error import CommandError
from stratabase_aws.commands.emulator import emulator
from stratabase_aws.deploy import deploy, stack
from stratabase_aws.deploy.deploy import check_reserved_concurrency
from stratabase_aws.deploy.destroy import destroy, kept_resources
from stratabase_aws.deploy.environment import DeploymentEnvironment
from stratabase_aws.deploy.stack import Stack

ENVIRONMENT = DeploymentEnvironment("dev", "hr-dev", "eu-central-1", None, {})
SERVICES = "cloudformation,dynamodb,iam,lambda,secretsmanager,sts"
TABLE: Mapping[str, Any] = {
    "Type": "AWS::DynamoDB::Table",
    "Properties": {
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    },
}
ROLE: Mapping[str, Any] = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": {}}}


def function(**variables: Any) -> Mapping[str, Any]:
    """Return the declaration of a function with environment variables."""
    return {
        "Type": "AWS::Lambda::Function",
        "Properties": {
            "Runtime": "python3.13",
            "Handler": "app.handler",
            "Role": {"Fn::GetAtt": ["Role", "Arn"]},
            "Code": {"ZipFile": "pass"},
            "Environment": {"Variables": variables},
        },
    }


TEMPLATE = {
    "Resources": {
        "Role": ROLE,
        "Table": {**TABLE, "DeletionPolicy": "RetainExceptOnCreate"},
        "Passing": TABLE,
        "Secret": {"Type": "AWS::SecretsManager::Secret", "DeletionPolicy": "Retain", "Properties": {}},
        "One": function(STRATABASE_TABLE={"Ref": "Table"}, STRATABASE_MODEL="/opt/model.graphql", OTHER="1"),
        "Two": function(STRATABASE_MAIL="ses", STRATABASE_BASE_URL=""),
    },
    "Outputs": {
        "Address": {"Value": "https://api.example.com/live"},
        "TableName": {"Value": {"Ref": "Table"}},
        "InstanceId": {"Value": "i1"},
    },
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with emulator(SERVICES) as running:
        yield running


@pytest.fixture
def aws(address: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """CloudFormation, for the commands too."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    return boto3.client("cloudformation", "eu-central-1")


@pytest.fixture
def deployed(aws: Any) -> Iterator[Stack]:
    name = f"hr-{uuid4().hex}"
    aws.create_stack(StackName=name, TemplateBody=json.dumps(TEMPLATE))
    aws.get_waiter("stack_create_complete").wait(StackName=name, WaiterConfig={"Delay": 1})
    yield Stack(replace(ENVIRONMENT, stack_name=name))
    aws.delete_stack(StackName=name)


def physical_id(found: Stack, name: str) -> str:
    return next(each.physical_id for each in found.resources() if each.logical_id == name)


@pytest.mark.usefixtures("aws")
def test_a_stack_that_does_not_exist_has_no_description() -> None:
    assert Stack(ENVIRONMENT).description is None
    assert Stack(ENVIRONMENT).outputs == {}


def test_the_settings_are_those_of_all_functions(deployed: Stack) -> None:
    assert deployed.settings() == {
        "AWS_REGION": "eu-central-1",
        "STRATABASE_BASE_URL": "https://api.example.com/live",
        "STRATABASE_MAIL": "ses",
        "STRATABASE_TABLE": physical_id(deployed, "Table"),
    }


def test_what_the_template_retains_is_named_before_the_stack_is_deleted(deployed: Stack) -> None:
    kept = table, _ = [physical_id(deployed, name) for name in ("Table", "Secret")]
    assert sorted(each.logical_id for each in kept_resources(deployed)) == ["Secret", "Table"]
    environment = replace(ENVIRONMENT, stack_name=deployed.name)
    lines = [*destroy(environment, lambda _question, _default: deployed.name, yes=False)]
    assert all(any(line.endswith(id_) for line in lines) for id_ in kept)
    assert lines[-2:] == [f"  ObjectsTableName={table}", "  InstanceId=i1"]
    assert Stack(environment).description is None


def test_without_the_name_of_the_stack_nothing_is_deleted(deployed: Stack) -> None:
    with pytest.raises(CommandError, match=r"Nothing is deleted\."):
        list(
            destroy(
                replace(ENVIRONMENT, stack_name=deployed.name), lambda _question, _default: "yes", yes=False
            )
        )
    deployed.forget()
    assert deployed.description is not None


def test_tables_are_protected_once_the_stack_exists(deployed: Stack) -> None:
    table = physical_id(deployed, "Table")
    client = deployed.client("dynamodb")
    assert not client.describe_table(TableName=table)["Table"].get("DeletionProtectionEnabled")
    assert deployed.protect_tables() == [table]
    assert client.describe_table(TableName=table)["Table"]["DeletionProtectionEnabled"] is True
    # A repetition changes nothing, as for a stack that an earlier version has protected.
    assert deployed.protect_tables() == []
    client.update_table(TableName=table, DeletionProtectionEnabled=False)


def test_tables_that_are_not_protected_are_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Stack) -> list[str]:
        raise CommandError("AWS: AccessDeniedException.")

    monkeypatch.setattr(Stack, "protect_tables", refuse)
    with pytest.raises(CommandError, match=r"AccessDenied.*run `stratabase aws protect dev`"):
        list(deploy.protect(Stack(ENVIRONMENT), "dev"))


@pytest.mark.usefixtures("aws")
def test_a_stack_that_does_not_exist_cannot_be_deleted() -> None:
    with pytest.raises(CommandError, match="The stack hr-dev does not exist in eu-central-1"):
        list(destroy(ENVIRONMENT, lambda _question, _default: "", yes=True))


class Account:
    """A stack in an account with a limit of concurrency."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def client(self, _service: str) -> "Account":
        return self

    def get_account_settings(self) -> Any:
        return {"AccountLimit": {"ConcurrentExecutions": self._limit}}


def test_a_new_account_can_reserve_nothing() -> None:
    account: Any = Account(10)
    assert "the account has 10, and 0 of them" in check_reserved_concurrency(account, {"Basic": "off"})
    with pytest.raises(CommandError, match=r"can run 10 functions .* reserve 1 \(SweepConcurrency=1\)"):
        check_reserved_concurrency(account, {"SweepConcurrency": "1"})


def test_as_much_as_the_account_has_can_be_reserved() -> None:
    account: Any = Account(1000)
    parameters = {"SweepConcurrency": "100", "GraphqlConcurrency": "800"}
    assert "900 of them are reserved" in check_reserved_concurrency(account, parameters)
    with pytest.raises(CommandError):
        check_reserved_concurrency(account, {**parameters, "FilesConcurrency": "1"})


def test_missing_credentials_are_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "samconfig.toml").write_text(
        '[dev.global.parameters]\nstack_name = "hr"\nregion = "eu-west-1"\n'
    )
    assert main(["aws", "settings"]) == 1
    *_, error = capsys.readouterr().err.splitlines()
    assert error.startswith("AWS: Unable to locate credentials. Sign in with `aws configure`")


def test_without_a_region_the_command_says_how_to_name_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    with pytest.raises(CommandError, match=r"No Region is set\. Set AWS_REGION"):
        stack.Stack(DeploymentEnvironment("dev", "hr-dev", None, None, {}))


def test_the_region_can_be_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """boto3 reads only AWS_DEFAULT_REGION, and Lambda and many tools set AWS_REGION."""
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.setenv("AWS_REGION", "eu-north-1")
    environment = DeploymentEnvironment("dev", "hr-dev", None, None, {})
    assert Stack(environment).region == "eu-north-1"
    assert Stack(replace(environment, region="eu-west-1")).region == "eu-west-1"


def test_nothing_is_deployed_before_it_is_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / ".venv-sam/bin").mkdir(parents=True)
    (tmp_path / ".venv-sam/bin/sam").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match=r"template.yaml is missing\. Run `make build` first"):
        list(deploy.deploy(ENVIRONMENT, lambda _question, _default: "", yes=True))
