"""A deployment environment: a table of samconfig.toml, which the SAM CLI reads too."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stratabase.terminal.command_error import MISUSED, CommandError
from stratabase_aws.deploy.parameters import parse_overrides
from stratabase_aws.deploy.samconfig import CONFIGURATION, read_document

OWN_SECTION = "stratabase"
"""The section with the values that only this program reads."""
_DEFAULT = "default"
"""The environment that the SAM CLI uses without `--config-env`. It names the stack of another one."""


@dataclass(frozen=True)
class DeploymentEnvironment:
    """An environment, such as `dev`, with the stack that it names."""

    name: str
    stack_name: str
    region: str | None
    """None: the Region of the AWS configuration."""
    profile: str | None
    """The profile in the AWS configuration. None: the default one."""
    parameters: Mapping[str, str]
    """The values of the template's parameters."""
    administrator: str | None = None
    """The email address of the first administrator."""


def read_environments(path: Path = CONFIGURATION) -> dict[str, DeploymentEnvironment]:
    """Return the environments by name, without those that name no stack. Raises CommandError."""
    document = read_document(path)
    names = [name for name in _names(document) if name != _DEFAULT]
    return {name: _environment(document, name) for name in names if "stack_name" in _values(document[name])}


def read_environment(name: str, path: Path = CONFIGURATION) -> DeploymentEnvironment:
    """Return an environment. Raises CommandError if the file or the environment is missing or invalid."""
    document = read_document(path)
    if name not in _names(document):
        known = ", ".join(_names(document)) or "none"
        raise CommandError(f"{path} has no environment {name}. It has {known}.", MISUSED)
    stack_name = _values(document[name]).get("stack_name")
    if not isinstance(stack_name, str) or not stack_name:
        raise CommandError(
            f"{path}: the environment {name} has no stack. Set stack_name in [{name}.global.parameters].",
            MISUSED,
        )
    return _environment(document, name)


def _environment(document: Mapping[str, Any], name: str) -> DeploymentEnvironment:
    values = _values(document[name])
    return DeploymentEnvironment(
        name,
        str(values["stack_name"]),
        values.get("region") or None,
        values.get("profile") or None,
        parse_overrides(values.get("parameter_overrides", "")),
        _section(document[name], OWN_SECTION).get("administrator") or None,
    )


def _names(document: Mapping[str, Any]) -> list[str]:
    return [name for name, value in document.items() if isinstance(value, dict)]


def _values(environment: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that `sam deploy` has."""
    return _section(environment, "global") | _section(environment, "deploy")


def _section(environment: Mapping[str, Any], command: str) -> dict[str, Any]:
    section = environment.get(command, {})
    parameters = section.get("parameters", {}) if isinstance(section, dict) else {}
    return dict(parameters) if isinstance(parameters, dict) else {}
