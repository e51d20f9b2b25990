"""A stack that CloudFormation would refuse to deploy is named, with what to do first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import WaiterError

from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy import deploy, destroy
from stratabase_aws.deploy.deploy import check_account
from stratabase_aws.deploy.environment import DeploymentEnvironment
from stratabase_aws.deploy.stack import Resource
from stratabase_aws.deploy.states import describe_obstacle, require_deployable
from tests.rows import each_row

ENVIRONMENT = DeploymentEnvironment("dev", "hr-dev", "eu-central-1", None, {})
STACK = "AWS::CloudFormation::Stack"
TABLE = "AWS::DynamoDB::Table"


def event(id_: str, type_: str, status: str, reason: str = "") -> Mapping[str, str]:
    """Return an event as CloudFormation lists it."""
    reasons = {"ResourceStatusReason": reason} if reason else {}
    return {"LogicalResourceId": id_, "ResourceType": type_, "ResourceStatus": status, **reasons}


EVENTS = (  # the latest first
    event("hr-dev", STACK, "ROLLBACK_COMPLETE"),
    event("Table", TABLE, "DELETE_COMPLETE"),
    event("hr-dev", STACK, "ROLLBACK_IN_PROGRESS", "The following resource(s) failed to create: [Api]."),
    event("Table", TABLE, "CREATE_FAILED", "Resource creation cancelled"),
    event("Api", "AWS::ApiGateway::RestApi", "CREATE_FAILED", "Invalid mapping expression"),
    event("hr-dev", STACK, "CREATE_IN_PROGRESS", "User Initiated"),
    event("Old", TABLE, "CREATE_FAILED", "an operation before"),
    event("hr-dev", STACK, "REVIEW_IN_PROGRESS"),
)


class RecordedStack:
    """A stack in a status, and its client, with the events and resources that CloudFormation recorded."""

    name, region, stack_id = "hr-dev", "eu-central-1", "arn:stack/hr-dev"
    outputs: Mapping[str, str] = {}

    def __init__(self, status: str, *, deletable: bool = True) -> None:
        self.status = status
        self.description = {"StackStatus": status} if status else None
        self.deleted_with: Mapping[str, Any] | None = None
        self._deletable = deletable

    def __call__(self, _environment: DeploymentEnvironment) -> "RecordedStack":
        return self

    def account(self) -> str:
        return "123456789012"

    def forget(self) -> None:
        """The status is what it is."""

    def client(self, _service: str) -> "RecordedStack":
        return self

    def get_paginator(self, _name: str) -> "RecordedStack":
        return self

    def paginate(self, **_: str) -> Iterator[Mapping[str, Sequence[Any]]]:
        yield {"StackEvents": EVENTS[:3]}
        yield {"StackEvents": EVENTS[3:]}

    def resources(self) -> list[Resource]:
        return [
            Resource("Table", TABLE, "hr-dev-Table-1", "DELETE_FAILED"),
            Resource("MembersTable", TABLE, "hr-dev-MembersTable-1", "DELETE_COMPLETE"),
        ]

    def get_template(self, **_: str) -> Mapping[str, Any]:
        kept = {"DeletionPolicy": "RetainExceptOnCreate"}
        return {"TemplateBody": {"Resources": {"Table": kept, "MembersTable": kept}}}

    def delete_stack(self, **options: Any) -> None:
        self.deleted_with = options

    def get_waiter(self, _name: str) -> "RecordedStack":
        return self

    def wait(self, **_: str) -> None:
        if not self._deletable:
            raise WaiterError("stack_delete_complete", "it failed", {})


def recorded(status: str, *, deletable: bool = True) -> Any:
    return RecordedStack(status, deletable=deletable)


@each_row("status", ["", "CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"])
def test_these_stacks_can_be_deployed(status: str) -> None:
    require_deployable(recorded(status), "dev")


@pytest.mark.parametrize(
    ("status", "what_to_do"),
    [
        (
            "ROLLBACK_COMPLETE",
            r"`stratabase aws destroy dev` \(make: `make destroy ENV=dev`\), and deploy again",
        ),
        ("ROLLBACK_FAILED", "`stratabase aws destroy dev`"),
        ("CREATE_FAILED", "`stratabase aws destroy dev`"),
        ("DELETE_FAILED", "Run `stratabase aws destroy dev` again"),
        ("UPDATE_ROLLBACK_FAILED", "continue-update-rollback --stack-name hr-dev --region eu-central-1`"),
        ("UPDATE_FAILED", "rollback-stack --stack-name hr-dev --region eu-central-1`"),
        ("UPDATE_ROLLBACK_IN_PROGRESS", "Wait until that has ended"),
        ("DELETE_IN_PROGRESS", "Wait until that has ended"),
        ("CREATE_IN_PROGRESS", "Wait until that has ended"),
    ],
)
def test_other_stacks_are_named_with_what_to_do(
    status: str, what_to_do: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deploy, "Stack", recorded(status))
    lines = check_account(ENVIRONMENT)
    assert next(lines) == "Account 123456789012, Region eu-central-1, stack hr-dev (dev)."
    with pytest.raises(CommandError, match=rf"The stack hr-dev is in the status {status}\. .*{what_to_do}"):
        next(lines)


def test_the_causes_of_the_last_failure_are_shown() -> None:
    _, _, causes = describe_obstacle(recorded("ROLLBACK_COMPLETE"), "dev").partition("What failed:\n")
    assert causes == "  Api (AWS::ApiGateway::RestApi): Invalid mapping expression"


def test_what_could_not_be_deleted_is_left_when_the_stack_is_deleted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stack = recorded("DELETE_FAILED")
    monkeypatch.setattr(destroy, "Stack", stack)
    lines = [*destroy.destroy(replace(ENVIRONMENT), lambda *_: "", yes=True)]
    assert "  table   hr-dev-Table-1" in lines
    assert "hr-dev-MembersTable-1" not in "\n".join(lines)
    assert stack.deleted_with == {"StackName": "hr-dev", "RetainResources": ["Table"]}


def test_a_deletion_that_fails_says_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = recorded("ROLLBACK_FAILED", deletable=False)
    monkeypatch.setattr(destroy, "Stack", stack)
    with pytest.raises(
        CommandError, match=r"could not delete all of hr-dev\.(.|\n)*Invalid mapping expression"
    ):
        list(destroy.destroy(ENVIRONMENT, lambda *_: "", yes=True))
    assert stack.deleted_with == {"StackName": "hr-dev"}
