"""The environments of samconfig.toml."""

import re
from pathlib import Path

import pytest

from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy.environment import DeploymentEnvironment, read_environment
from stratabase_aws.deploy.samconfig import CONFIGURATION

TEXT = """
version = 0.1
[dev.global.parameters]
stack_name = "hr-dev"
region = "eu-central-1"
[dev.deploy.parameters]
parameter_overrides = {overrides}
[staging.deploy.parameters]
profile = "staging"
"""


def write(folder: Path, overrides: str = "[]") -> Path:
    """Write a configuration, and return its path."""
    path = folder / CONFIGURATION
    path.write_text(TEXT.format(overrides=overrides))
    return path


@pytest.mark.parametrize(
    "overrides", ['["Basic=off", "MailFrom=\\"hr@example.com\\""]', "'Basic=off MailFrom=hr@example.com'"]
)
def test_an_environment_has_a_stack_and_parameters(tmp_path: Path, overrides: str) -> None:
    found = read_environment("dev", write(tmp_path, overrides))
    parameters = {"Basic": "off", "MailFrom": "hr@example.com"}
    assert found == DeploymentEnvironment("dev", "hr-dev", "eu-central-1", None, parameters)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("prod", "samconfig.toml has no environment prod. It has dev, staging."),
        ("version", "samconfig.toml has no environment version. It has dev, staging."),
        ("staging", "the environment staging has no stack. Set stack_name in [staging.global.parameters]."),
    ],
)
def test_an_incomplete_environment_is_refused(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(CommandError, match=re.escape(message)):
        read_environment(name, write(tmp_path))


def test_a_folder_without_a_configuration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"No such file or directory. Run the command in the folder with"):
        read_environment("dev", tmp_path / CONFIGURATION)


def test_a_configuration_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    (tmp_path / CONFIGURATION).write_text("[dev")
    with pytest.raises(CommandError, match="is not valid TOML"):
        read_environment("dev", tmp_path / CONFIGURATION)


def test_the_environments_of_the_project_can_be_read() -> None:
    names = {read_environment(name).stack_name for name in ("dev", "staging", "prod")}
    assert len(names) == 3
