"""Values that are saved in samconfig.toml."""

import tomllib
from pathlib import Path

import pytest

from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy.samconfig import save_values

TEXT = """\
# Stacks of HR.
version = 0.1

[dev.global.parameters]
stack_name = "hr-dev" # the first one

[dev.deploy.parameters]
# A list on several lines:
parameter_overrides = [
  "Basic=off",
  "LogDays=7",
]
confirm_changeset = true

[prod.global.parameters]
stack_name = "hr-prod"
"""
DEPLOY = ("dev", "deploy", "parameters")


def test_comments_and_all_else_stay(tmp_path: Path) -> None:
    path = tmp_path / "samconfig.toml"
    path.write_text(TEXT)
    save_values(
        path,
        {
            ("dev", "global", "parameters"): {"region": "eu-central-1"},
            DEPLOY: {"parameter_overrides": 'Name="HR Team"'},
            ("prod", "deploy", "parameters"): {"region": "us-east-1"},
        },
    )
    assert (
        path.read_text()
        == """\
# Stacks of HR.
version = 0.1

[dev.global.parameters]
stack_name = "hr-dev" # the first one
region = "eu-central-1"

[dev.deploy.parameters]
# A list on several lines:
parameter_overrides = 'Name="HR Team"'
confirm_changeset = true

[prod.global.parameters]
stack_name = "hr-prod"

[prod.deploy.parameters]
region = "us-east-1"
"""
    )


@pytest.mark.parametrize("value", ["Name=\"a\" Other='b'", "Umlaut=ü", 'Backslash="C:\\temp"', "", "tab\t"])
def test_any_value_is_read_as_it_was_saved(value: str, tmp_path: Path) -> None:
    path = tmp_path / "samconfig.toml"
    path.write_text(TEXT)
    for _ in range(2):
        save_values(path, {DEPLOY: {"parameter_overrides": value}})
    assert tomllib.loads(path.read_text())["dev"]["deploy"]["parameters"]["parameter_overrides"] == value


def test_a_file_that_is_written_in_an_unusual_way_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "samconfig.toml"
    path.write_text('dev = {deploy = {parameters = {region = "eu-west-1"}}}\n')
    with pytest.raises(
        CommandError, match=r'could not be changed(.|\n)*\[dev.deploy.parameters\] region = "x"'
    ):
        save_values(path, {DEPLOY: {"region": "x"}})
    assert path.read_text() == 'dev = {deploy = {parameters = {region = "eu-west-1"}}}\n'
