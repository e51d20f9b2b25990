"""Deletes the stack of an environment. The data stays."""

import json
from collections.abc import Iterator, Mapping

from stratabase.cli.deployment.deploy import Ask
from stratabase.cli.deployment.environment import DeploymentEnvironment
from stratabase.cli.deployment.stack import Resource, Stack, translate_aws_errors
from stratabase.cli.terminal.command_error import CommandError

KEPT_TYPES: Mapping[str, str] = {
    "AWS::DynamoDB::Table": "table",
    "AWS::S3::Bucket": "bucket",
    "AWS::SecretsManager::Secret": "secret",
    "AWS::KMS::Key": "key",
}
"""The types of resources that can stay, each with what they are called."""
_PARAMETERS: Mapping[str, str] = {
    "ObjectsTableName": "TableName",
    "MembersTableName": "MembersTableName",
    "BucketName": "BucketName",
    "InstanceId": "InstanceId",
}
"""The parameters with which another stack uses what stays, each with the output that has the value."""
_RETAINING = frozenset({"Retain", "RetainExceptOnCreate"})


def destroy(environment: DeploymentEnvironment, ask: Ask, *, yes: bool) -> Iterator[str]:
    """Delete the stack, and yield lines that say what stays. Raises CommandError."""
    stack = Stack(environment)
    if stack.description is None:
        raise CommandError(f"The stack {stack.name} does not exist in {stack.region}.")
    kept = kept_resources(stack)
    yield f"Account {stack.account()}, Region {stack.region}, stack {stack.name} ({environment.name})."
    yield "These stay, with all data, and go on to cost what they store:"
    yield from (f"  {KEPT_TYPES[each.type]:<8}{each.physical_id}" for each in kept)
    yield "Everything else is deleted: the address, the functions, the alarms, the logs and the dashboard."
    parameters = {name: stack.outputs.get(output) for name, output in _PARAMETERS.items()}
    if not yes and ask("Type the name of the stack to delete it", "") != stack.name:
        raise CommandError("Nothing is deleted.")
    client = stack.client("cloudformation")
    with translate_aws_errors():
        client.delete_stack(StackName=stack.name)
        # A stack that is deleted is found by its ID only.
        client.get_waiter("stack_delete_complete").wait(StackName=stack.description["StackId"])
    yield f"Deleted the stack {stack.name}."
    yield "To serve this data again, deploy with these parameters:"
    yield from (f"  {name}={value}" for name, value in parameters.items() if value)


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
        if each.type in KEPT_TYPES and policies.get(each.logical_id) in _RETAINING
    ]
