"""What the status of a stack means for a deployment: go on, wait, or what to do first."""

from collections.abc import Mapping
from typing import Any

from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy.stack import Stack, translate_aws_errors

_DELETE_IT = (
    "No data was ever in it. Delete what is left of it with `stratabase aws destroy {environment}` (make: "
    "`make destroy ENV={environment}`), and deploy again."
)
_ADVICE: Mapping[str, str] = {
    "ROLLBACK_COMPLETE": f"Its creation failed, and everything was removed again. {_DELETE_IT}",
    "ROLLBACK_FAILED": (
        "Its creation failed, and some resources could not be removed again. Delete these resources, or "
        f"leave them. {_DELETE_IT}"
    ),
    "CREATE_FAILED": f"Its creation failed, and nothing was removed again. {_DELETE_IT}",
    "DELETE_FAILED": (
        "Its deletion failed. Run `stratabase aws destroy {environment}` again. If a resource can't be "
        "deleted, it stays, and you can delete it yourself."
    ),
    "UPDATE_ROLLBACK_FAILED": (
        "An update failed, and the stack could not return to what it was before. Correct what the events "
        "below name. Then run `aws cloudformation continue-update-rollback --stack-name {stack} --region "
        "{region}`, wait until the status is UPDATE_ROLLBACK_COMPLETE, and deploy again."
    ),
    "UPDATE_FAILED": (
        "An update failed, and the stack was not returned to what it was before. Run `aws cloudformation "
        "rollback-stack --stack-name {stack} --region {region}`, wait until the status is "
        "UPDATE_ROLLBACK_COMPLETE, and deploy again."
    ),
}
"""By status: why the stack can't be deployed, and what to do."""
_IN_PROGRESS = (
    "AWS is changing it, perhaps because of another deployment. Wait until that has ended, and deploy again. "
    "`aws cloudformation describe-stack-events --stack-name {stack} --region {region}` shows what happens."
)
_CONSEQUENCE = "cancelled"
"""In the reason of a resource that failed only because another one did."""
_SHOWN_EVENTS = 5


def require_deployable(stack: Stack, environment: str) -> None:
    """Raise CommandError if CloudFormation would refuse to deploy the stack, with what to do first."""
    text = describe_obstacle(stack, environment)
    if text:
        raise CommandError(text)


def describe_obstacle(stack: Stack, environment: str) -> str:
    """Return what to do before the stack can be deployed, or an empty text."""
    status = stack.status
    text = _ADVICE.get(status) or (_IN_PROGRESS if status.endswith("_IN_PROGRESS") else "")
    if not text:
        return ""
    filled = text.format(environment=environment, stack=stack.name, region=stack.region)
    failures = "".join(f"\n  {each}" for each in last_failures(stack) if not status.endswith("_IN_PROGRESS"))
    return f"The stack {stack.name} is in the status {status}. {filled}" + (
        f"\nWhat failed:{failures}" if failures else ""
    )


def last_failures(stack: Stack) -> list[str]:
    """Return a line for each resource that failed in the last operation on the stack, the first one first."""
    events = list[Mapping[str, Any]]()
    with translate_aws_errors():
        pages = stack.client("cloudformation").get_paginator("describe_stack_events")
        for page in pages.paginate(StackName=stack.stack_id or stack.name):
            for event in page["StackEvents"]:
                events.append(event)
                if _begins_operation(event, stack.name):
                    return _causes(events)
    return _causes(events)


def _begins_operation(event: Mapping[str, Any], name: str) -> bool:
    """Return whether a person began something with this event. Rollbacks continue what came before."""
    return event["LogicalResourceId"] == name and event["ResourceStatus"] in {
        "CREATE_IN_PROGRESS",
        "UPDATE_IN_PROGRESS",
        "DELETE_IN_PROGRESS",
        "REVIEW_IN_PROGRESS",
    }


def _causes(events: list[Mapping[str, Any]]) -> list[str]:
    return [
        f"{each['LogicalResourceId']} ({each['ResourceType']}): {each['ResourceStatusReason']}"
        for each in reversed(events)
        if each["ResourceStatus"].endswith("_FAILED")
        and each.get("ResourceStatusReason")
        and each["ResourceType"] != "AWS::CloudFormation::Stack"
        and _CONSEQUENCE not in each["ResourceStatusReason"]
    ][:_SHOWN_EVENTS]
