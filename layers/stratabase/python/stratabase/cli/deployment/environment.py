"""A deployment environment: a table of samconfig.toml, which the SAM CLI reads too."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stratabase.cli.terminal.command_error import MISUSED, CommandError

CONFIGURATION = Path("samconfig.toml")


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


def read_environment(name: str, path: Path = CONFIGURATION) -> DeploymentEnvironment:
    """Return an environment. Raises CommandError if the file or the environment is missing or invalid."""
    try:
        document = tomllib.loads(path.read_text())
    except OSError as error:
        raise CommandError(
            f"Reading {path} failed: {error.strerror}. Run the command in the folder with template.yaml.",
            MISUSED,
        ) from error
    except ValueError as error:
        raise CommandError(f"{path} is not valid TOML: {error}.", MISUSED) from error
    known = [each for each, value in document.items() if isinstance(value, dict)]
    if name not in known:
        raise CommandError(f"{path} has no environment {name}. It has {', '.join(known)}.", MISUSED)
    values = _parameters_of(document[name], "global") | _parameters_of(document[name], "deploy")
    stack_name = values.get("stack_name")
    if not isinstance(stack_name, str) or not stack_name:
        raise CommandError(
            f"{path}: the environment {name} has no stack. Set stack_name in [{name}.global.parameters].",
            MISUSED,
        )
    return DeploymentEnvironment(
        name,
        stack_name,
        values.get("region"),
        values.get("profile"),
        parse_parameters(_listed(values.get("parameter_overrides", []))),
    )


def parse_parameters(texts: Iterable[str]) -> dict[str, str]:
    """Return the values of parameters by name, from texts such as `Basic=off`. Raises CommandError."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise CommandError(f'"{text}" sets no parameter. Write NAME=VALUE, such as Basic=off.', MISUSED)
        found[name] = value.strip("\"'")
    return found


def _parameters_of(environment: Mapping[str, Any], command: str) -> dict[str, Any]:
    section = environment.get(command, {})
    return dict(section.get("parameters", {})) if isinstance(section, dict) else {}


def _listed(overrides: str | list[str]) -> list[str]:
    """Return the entries of `parameter_overrides`, which SAM accepts as a list or as one text."""
    return overrides.split() if isinstance(overrides, str) else overrides
