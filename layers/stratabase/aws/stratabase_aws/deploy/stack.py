"""A stack of AWS CloudFormation: its outputs, its resources, and the settings of its functions."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from http import HTTPStatus
from typing import Any, NamedTuple

import boto3
from boto3.exceptions import Boto3Error
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
)
from botocore.parsers import ResponseParserError

from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy.environment import DeploymentEnvironment

_NOT_AWS = (
    "AWS: the response isn't one of AWS. A proxy or the sign-in page of a network may have sent it. Check "
    "the network, HTTPS_PROXY and AWS_ENDPOINT_URL."
)
_SETTING = "STRATABASE_"
_TABLE_OUTPUTS = ("TableName", "MembersTableName")
_HIDDEN = "****"
"""What CloudFormation shows in place of a secret parameter."""
_ON_LAMBDA_ONLY = {"STRATABASE_MODEL"}
"""Settings that name a path of the layers."""


class Resource(NamedTuple):
    """A resource of the stack."""

    logical_id: str
    type: str
    physical_id: str
    status: str = ""


class Stack:
    """The stack of an environment. All methods raise CommandError if AWS refuses or can't be reached."""

    def __init__(self, environment: DeploymentEnvironment) -> None:
        self.name = environment.stack_name
        with translate_aws_errors():
            self._session = boto3.Session(
                region_name=environment.region or region_of_machine(),
                profile_name=environment.profile or None,
            )
        self._session.events.register("before-parse", _refuse_web_page)
        if self._session.region_name is None:
            raise CommandError(
                "No Region is set. Set AWS_REGION, or `region` in samconfig.toml, such as eu-central-1."
            )

    @property
    def region(self) -> str:
        """The Region of the stack."""
        return str(self._session.region_name)

    def account(self) -> str:
        """Return the number of the account of the credentials."""
        with translate_aws_errors():
            return str(self.client("sts").get_caller_identity()["Account"])

    def client(self, service: str) -> Any:
        """Return a client of boto3 with the credentials and the Region of the stack."""
        with translate_aws_errors():
            return self._session.client(service)

    @cached_property
    def description(self) -> Mapping[str, Any] | None:
        """What CloudFormation says about the stack, or None if it does not exist."""
        try:
            with translate_aws_errors():
                found = self.client("cloudformation").describe_stacks(StackName=self.name)["Stacks"]
        except CommandError as error:
            if isinstance(error.__cause__, ClientError) and "does not exist" in str(error.__cause__):
                return None
            raise
        # A first deployment that was begun, and not carried out, leaves a stack without resources.
        return None if not found or found[0]["StackStatus"] == "REVIEW_IN_PROGRESS" else found[0]

    @property
    def status(self) -> str:
        """The status of the stack in CloudFormation, such as CREATE_COMPLETE. Empty if it does not exist."""
        return str(self.description["StackStatus"]) if self.description else ""

    @property
    def stack_id(self) -> str:
        """The ID, by which also a deleted stack is found. Empty if the stack does not exist."""
        return str(self.description["StackId"]) if self.description else ""

    def forget(self) -> None:
        """Forget the description, because the stack has changed."""
        self.__dict__.pop("description", None)

    @property
    def outputs(self) -> Mapping[str, str]:
        """The values of the outputs, by name. Empty if the stack does not exist."""
        found = self.description or {}
        return {each["OutputKey"]: each["OutputValue"] for each in found.get("Outputs", [])}

    @property
    def parameters(self) -> Mapping[str, str]:
        """The values of the parameters, by name, without secret ones. Empty if the stack does not exist."""
        found = (self.description or {}).get("Parameters", [])
        return {
            each["ParameterKey"]: each["ParameterValue"]
            for each in found
            if each["ParameterValue"] != _HIDDEN
        }

    def resources(self) -> list[Resource]:
        """Return all resources of the stack."""
        with translate_aws_errors():
            pages = self.client("cloudformation").get_paginator("list_stack_resources")
            return [
                Resource(
                    each["LogicalResourceId"],
                    each["ResourceType"],
                    each.get("PhysicalResourceId", ""),
                    each["ResourceStatus"],
                )
                for page in pages.paginate(StackName=self.name)
                for each in page["StackResourceSummaries"]
            ]

    def protect_tables(self) -> list[str]:
        """Switch on the deletion protection of the tables that have none, and return their names.

        The template leaves that out, because CloudFormation could not roll back a first creation that fails.
        """
        client, changed = self.client("dynamodb"), list[str]()
        with translate_aws_errors():
            for name in filter(None, map(self.outputs.get, _TABLE_OUTPUTS)):
                if not client.describe_table(TableName=name)["Table"].get("DeletionProtectionEnabled"):
                    client.update_table(TableName=name, DeletionProtectionEnabled=True)
                    changed.append(name)
        return changed

    def invoke(self, logical_id: str) -> str | None:
        """Run a function of the stack, and return why it failed, or None."""
        names = {each.logical_id: each.physical_id for each in self.resources()}
        if logical_id not in names:
            return "the stack has no such function"
        with translate_aws_errors():
            answer = self.client("lambda").invoke(FunctionName=names[logical_id], Payload=b"{}")
            failed = json.loads(answer["Payload"].read()) if answer.get("FunctionError") else None
        return str(failed.get("errorMessage", failed)) if failed else None

    def settings(self) -> dict[str, str]:
        """Return the settings with which commands on this machine use the stores of the stack.

        They are the environment variables of its functions, without those that name a path on Lambda.
        """
        client, found = self.client("lambda"), dict[str, str]()
        with translate_aws_errors():
            for each in self.resources():
                if each.type == "AWS::Lambda::Function":
                    answer = client.get_function_configuration(FunctionName=each.physical_id)
                    found |= answer.get("Environment", {}).get("Variables", {})
        settings = {
            name: value
            for name, value in sorted(found.items())
            if name.startswith(_SETTING) and name not in _ON_LAMBDA_ONLY and value
        }
        settings.setdefault("STRATABASE_BASE_URL", self.outputs.get("Address", ""))
        return settings | {"AWS_REGION": self.region}

    def environment_variables(self) -> dict[str, str]:
        """Return the variables of this process with the settings of the stack and the AWS profile."""
        profile = {"AWS_PROFILE": self._session.profile_name} if "AWS_ACCESS_KEY_ID" not in os.environ else {}
        return {**os.environ, **profile, **self.settings()}


def region_of_machine() -> str | None:
    """Return the Region in the environment variables. boto3 does not read AWS_REGION."""
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or None


@contextmanager
def translate_aws_errors() -> Iterator[None]:
    """Raise CommandError for the errors of boto3, which say what is missing or not allowed."""
    try:
        yield
    except (NoCredentialsError, PartialCredentialsError) as error:
        raise CommandError(
            f"AWS: {error}. Sign in with `aws configure` or `aws sso login`, and set AWS_PROFILE, or set "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        ) from error
    except ProfileNotFound as error:
        raise CommandError(
            f"AWS: {error}. Set AWS_PROFILE, or `profile` in samconfig.toml, to one that "
            "`aws configure list-profiles` lists."
        ) from error
    except ResponseParserError as error:
        raise CommandError(_NOT_AWS) from error
    except (BotoCoreError, ClientError, Boto3Error) as error:
        raise CommandError(f"AWS: {error}") from error


def _refuse_web_page(response_dict: Mapping[str, Any], **_: object) -> None:
    """Raise CommandError for a response that is a web page. Some of them are valid XML."""
    kind = response_dict["headers"].get("content-type", "")
    if kind.startswith("text/html") and response_dict["status_code"] < HTTPStatus.INTERNAL_SERVER_ERROR:
        raise CommandError(_NOT_AWS)
