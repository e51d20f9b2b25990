"""The template after SAM's transformation, with the values of its intrinsic functions.

`python -m tests.transformed_template` prints it as JSON.
"""

import json
import logging
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import boto3
from cfnlint.decode.cfn_yaml import load
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

from tests.repository import ROOT

REGION, ACCOUNT = "us-east-1", "123456789012"
PSEUDO_PARAMETERS = {
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": "stack",
    "AWS::StackId": f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/stack/0a1b2c3d-0000-4000-a000-0",
}
_REMOVED = object()
"""What AWS::NoValue stands for."""

Resources = Mapping[str, Any]


def read_template_file() -> dict[str, Any]:
    """Return template.yaml, with intrinsic functions in their long form."""
    return dict(_plain(load(str(ROOT / "template.yaml"))))


def transform(
    parameters: Mapping[str, Any] | None = None, contents: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the template after the transformation, with parameters or their defaults.

    `contents` has the addresses of functions and layers in S3, where the SAM CLI has uploaded their folders.
    """
    template = read_template_file()
    for logical_id, resource in template["Resources"].items():
        for name in {"CodeUri", "ContentUri"} & resource.get("Properties", {}).keys():
            resource["Properties"][name] = (contents or {}).get(logical_id, "s3://bucket/key")
    translator = Translator({}, Parser(), boto_session=boto3.Session(region_name=REGION))
    transformed: dict[str, Any] = translator.translate(template, parameter_values=dict(parameters or {}))
    return transformed


def _plain(node: Any) -> Any:
    """Return a node without the positions in the file that cfn-lint adds."""
    if isinstance(node, dict):
        return {str(name): _plain(value) for name, value in node.items()}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    return str(node) if isinstance(node, str) else node


class Deployment:
    """A deployed template. `names` has the physical names of resources, where they matter."""

    def __init__(
        self,
        template: Mapping[str, Any],
        parameters: Mapping[str, Any] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._template = template
        defaults = {name: each.get("Default", "") for name, each in template["Parameters"].items()}
        self._parameters = {**PSEUDO_PARAMETERS, **defaults, **(parameters or {})}
        self._names = names or {}

    def resources(self) -> Iterator[tuple[str, Any]]:
        """Yield each resource whose condition holds by its logical id, with values for its functions."""
        for name, resource in self._template["Resources"].items():
            if "Condition" not in resource or self._holds(resource["Condition"]):
                yield name, self.value(resource)

    def value(self, node: Any) -> Any:
        """Return the value of a node."""
        if isinstance(node, dict):
            return self._value_of_mapping(node)
        if isinstance(node, list):
            return [each for each in map(self.value, node) if each is not _REMOVED]
        return node

    def _value_of_mapping(self, node: dict[str, Any]) -> Any:
        if len(node) == 1:
            ((name, argument),) = node.items()
            if name in _FUNCTIONS:
                return _FUNCTIONS[name](self, argument)
        values = {name: self.value(each) for name, each in node.items()}
        return {name: each for name, each in values.items() if each is not _REMOVED}

    def _holds(self, condition: str) -> bool:
        return bool(self.value(self._template["Conditions"][condition]))

    def _reference(self, name: str) -> Any:
        if name == "AWS::NoValue":
            return _REMOVED
        if name in self._parameters:
            return self._parameters[name]
        physical = self._names.get(name, name)
        return _REFERENCES.get(self._template["Resources"][name]["Type"], "{}").format(physical)

    def _attribute(self, argument: Any) -> str:
        name, attribute = argument.split(".", 1) if isinstance(argument, str) else argument
        type_, physical = self._template["Resources"][name]["Type"], self._names.get(name, name)
        return _ATTRIBUTES.get((type_, attribute), f"{name}.{attribute}").format(physical)

    def _substitute(self, argument: Any) -> str:
        text, local = (argument, {}) if isinstance(argument, str) else argument

        def replace(found: re.Match[str]) -> str:
            name = found[1]
            if name in local:
                return str(self.value(local[name]))
            return str(self._attribute(name) if "." in name else self._reference(name))

        return re.sub(r"\$\{([^!}]+)\}", replace, text)

    def _select(self, argument: Any) -> Any:
        number, values = argument
        return self.value(values)[int(number)]

    def _split(self, argument: Any) -> list[str]:
        separator, text = argument
        return str(self.value(text)).split(separator)

    def _join(self, argument: Any) -> str:
        separator, values = argument
        return str(separator).join(map(str, self.value(values)))

    def _if(self, argument: Any) -> Any:
        condition, then, otherwise = argument
        return self.value(then if self._holds(condition) else otherwise)

    def _equals(self, argument: Any) -> bool:
        first, second = map(self.value, argument)
        return str(first) == str(second)

    def _all(self, argument: Any) -> bool:
        return all(map(self.value, argument))

    def _any(self, argument: Any) -> bool:
        return any(map(self.value, argument))

    def _not(self, argument: Any) -> bool:
        return not self.value(argument[0])


def statements(resources: Resources, role: str) -> list[Any]:
    """Return what a role of a deployment allows: its own statements, and those of its managed policies."""
    properties = resources[role]["Properties"]
    managed = (resources[name]["Properties"] for name in properties["ManagedPolicyArns"])
    policies = (*properties.get("Policies", ()), *managed)
    return [each for policy in policies for each in policy["PolicyDocument"]["Statement"]]


_FUNCTIONS: Mapping[str, Callable[[Deployment, Any], Any]] = {
    "Ref": Deployment._reference,
    "Fn::GetAtt": Deployment._attribute,
    "Fn::Sub": Deployment._substitute,
    "Fn::Select": Deployment._select,
    "Fn::Split": Deployment._split,
    "Fn::Join": Deployment._join,
    "Fn::If": Deployment._if,
    "Fn::Equals": Deployment._equals,
    "Fn::And": Deployment._all,
    "Fn::Or": Deployment._any,
    "Fn::Not": Deployment._not,
    "Condition": Deployment._holds,
}
_REFERENCES = {
    "AWS::SecretsManager::Secret": f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:{{}}",
    "AWS::Lambda::Alias": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{{}}",
}
"""What a reference to a resource is, by its type, if it is not the physical name."""
_ATTRIBUTES = {
    ("AWS::DynamoDB::Table", "Arn"): f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{{}}",
    ("AWS::S3::Bucket", "Arn"): "arn:aws:s3:::{}",
    ("AWS::SQS::Queue", "Arn"): f"arn:aws:sqs:{REGION}:{ACCOUNT}:{{}}",
    ("AWS::Logs::LogGroup", "Arn"): f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{{}}:*",
    ("AWS::IAM::Role", "Arn"): f"arn:aws:iam::{ACCOUNT}:role/{{}}",
    ("AWS::Lambda::Function", "Arn"): f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{{}}",
}

if __name__ == "__main__":
    logging.disable(logging.WARNING)  # SAM mentions features that it does not have
    sys.stdout.write(json.dumps(transform(), indent=1))  # for checkov, which knows no SAM
