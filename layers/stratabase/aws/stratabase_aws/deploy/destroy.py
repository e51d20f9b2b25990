"""Deletes the stack of an environment. The data stays."""

import json
from collections.abc import Iterator, Mapping

from botocore.exceptions import WaiterError

from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy.environment import DeploymentEnvironment
from stratabase_aws.deploy.questions import Ask
from stratabase_aws.deploy.stack import Resource, Stack, translate_aws_errors
from stratabase_aws.deploy.states import last_failures
from stratabase_aws.deploy.template_parameters import DATA_PARAMETERS

KEPT_TYPES: Mapping[str, str] = {
    "AWS::DynamoDB::Table": "table",
    "AWS::S3::Bucket": "bucket",
    "AWS::SecretsManager::Secret": "secret",
    "AWS::KMS::Key": "key",
}
"""The types of resources that can stay, each with what they are called."""
_RETAINING = frozenset({"Retain", "RetainExceptOnCreate"})


def destroy(environment: DeploymentEnvironment, ask: Ask, *, yes: bool) -> Iterator[str]:
    """Delete the stack, and yield lines that say what stays. Raises CommandError."""
    stack = Stack(environment)
    if stack.description is None:
        raise CommandError(f"The stack {stack.name} does not exist in {stack.region}.")
    kept = kept_resources(stack)
    yield f"Account {stack.account()}, Region {stack.region}, stack {stack.name} ({environment.name})."
    if kept:
        yield "These stay, with all data, and go on to cost what they store:"
        yield from (f"  {KEPT_TYPES[each.type]:<8}{each.physical_id}" for each in kept)
    yield "Everything else is deleted: the address, the functions, the alarms, the logs and the dashboard."
    parameters = {name: stack.outputs.get(output) for name, output in DATA_PARAMETERS.items()}
    if not yes and ask("Type the name of the stack to delete it", "") != stack.name:
        raise CommandError("Nothing is deleted.")
    _delete(stack)
    yield f"Deleted the stack {stack.name}."
    if any(parameters.values()):
        yield "To serve this data again, deploy with these parameters:"
        yield from (f"  {name}={value}" for name, value in parameters.items() if value)


def _delete(stack: Stack) -> None:
    """Delete the stack, and wait for it. What could not be deleted before is left. Raises CommandError."""
    client, failed = stack.client("cloudformation"), "DELETE_FAILED"
    left = [each.logical_id for each in stack.resources() if each.status == failed]
    retained = {"RetainResources": left} if stack.status == failed and left else {}
    with translate_aws_errors():
        client.delete_stack(StackName=stack.name, **retained)
    try:
        # A stack that is deleted is found by its ID only.
        client.get_waiter("stack_delete_complete").wait(StackName=stack.stack_id)
    except WaiterError as error:
        failures = "".join(f"\n  {each}" for each in last_failures(stack))
        raise CommandError(
            f"AWS could not delete all of {stack.name}. Correct the cause, or run the command again to leave "
            f"these resources in the account:{failures}"
        ) from error


def kept_resources(stack: Stack) -> list[Resource]:
    """Return the resources that the template retains when the stack is deleted."""
    with translate_aws_errors():
        client = stack.client("cloudformation")
        template = client.get_template(StackName=stack.name, TemplateStage="Processed")["TemplateBody"]
    declared = json.loads(template) if isinstance(template, str) else template
    policies = {name: each.get("DeletionPolicy") for name, each in declared["Resources"].items()}
    return [
        each
        for each in stack.resources()
        if each.type in KEPT_TYPES
        and each.status != "DELETE_COMPLETE"
        and policies.get(each.logical_id) in _RETAINING
    ]
