"""Parameters that people save with the SAM CLI or write by hand, and that the SAM CLI gets from here."""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy.parameters import (
    format_override,
    parse_overrides,
    parse_parameters,
    parse_shell_words,
)
from stratabase_aws.deploy.samconfig import save_values
from tests.repository import ROOT
from tests.rows import each_row

SAM_PYTHON = ROOT / ".venv-sam/bin/python"
VALUES = {
    "BaseUrl": "",
    "MailFromName": "HR Team",
    "MailFrom": "hr@example.com",
    "AllowedOrigins": "https://a.example,https://b.example",
    "Quoted": '"HR" says "hi"',
    "Apostrophe": "O'Neill's",
    "Equals": "a=b c=d",
    "Backslash": r"C:\temp",
    "Umlaut": "Zürich",
}
SAM = """
import json, sys
from pathlib import Path
from samcli.cli.types import CfnParameterOverridesType
from samcli.commands.deploy.guided_config import GuidedConfig
from samcli.lib.config.samconfig import SamConfig

values, folder = json.loads(sys.argv[1]), Path(sys.argv[2])
config = SamConfig(folder, "saved.toml")
GuidedConfig("template.yaml", "parameters")._save_parameter_overrides(["deploy"], "dev", values, config)
config.flush()
read = SamConfig(folder, "ours.toml").get_all(["deploy"], "parameters", env="dev")
convert = CfnParameterOverridesType().convert
print(json.dumps({
    "arguments": convert(tuple(sys.argv[3:]), None, None),
    "file": convert(read["parameter_overrides"], None, None),
    "region": read["region"],
}))
"""
"""Saves values as `sam deploy --guided` does, and reads those of the arguments and of our file as it does."""


@pytest.mark.built
@pytest.mark.skipif(not SAM_PYTHON.exists(), reason="run `make .venv-sam/.done`")
def test_the_sam_cli_and_this_program_read_what_the_other_one_writes(tmp_path: Path) -> None:
    overrides = [format_override(*each) for each in VALUES.items()]
    ours = tmp_path / "ours.toml"
    ours.write_text('version = 0.1\n[dev.global.parameters]\nstack_name = "hr"\n')
    save_values(
        ours,
        {
            ("dev", "global", "parameters"): {"region": "eu-west-1"},
            ("dev", "deploy", "parameters"): {"parameter_overrides": " ".join(overrides)},
        },
    )
    done = subprocess.run(
        [SAM_PYTHON, "-c", SAM, json.dumps(VALUES), tmp_path, *overrides],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == {"arguments": VALUES, "file": VALUES, "region": "eu-west-1"}
    saved = tomllib.loads((tmp_path / "saved.toml").read_text())["dev"]["deploy"]["parameters"]
    assert parse_overrides(saved["parameter_overrides"]) == VALUES


@each_row(
    "overrides",
    [
        'Basic=off MailFromName="HR Team" BaseUrl=""',
        ["Basic=off", "MailFromName='HR Team' BaseUrl="],
        {"Basic": "off", "MailFromName": "HR Team", "BaseUrl": ""},
        [
            "ParameterKey=Basic,ParameterValue=off ParameterKey=MailFromName,ParameterValue='HR Team'",
            "BaseUrl=",
        ],
    ],
)
def test_parameters_can_be_a_text_a_list_or_a_table(overrides: object) -> None:
    assert parse_overrides(overrides) == {"Basic": "off", "MailFromName": "HR Team", "BaseUrl": ""}


def test_values_of_tables_become_texts() -> None:
    found = parse_overrides({"LogDays": 30, "AllowedOrigins": ["https://a.example", "https://b.example"]})
    assert found == {"LogDays": "30", "AllowedOrigins": "https://a.example,https://b.example"}


@each_row(
    "text",
    [
        "MailFromName=HR Team",
        "Basic",
        "Basic=off =on",
        'Name="a" b',
        "file://a.yaml",
        "A=b ParameterKey=C,ParameterValue=d",
    ],
)
def test_what_the_sam_cli_would_cut_or_ignore_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match=r'sets no parameter.*MailFromName="HR Team"'):
        parse_overrides(text)


@each_row("value", ["ends with \\", r"a\ b", r"a\"b", "ParameterKey=A,ParameterValue=B"])
def test_a_value_that_the_sam_cli_would_change_is_refused(value: str) -> None:
    with pytest.raises(CommandError, match="can't take the value of Name"):
        format_override("Name", value)


@each_row("text", ["Basic", "=off", "Basic off=on", ""])
def test_an_argument_that_sets_no_parameter_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match="Write NAME=VALUE, such as Basic=off"):
        parse_parameters([text])


def test_all_after_the_equals_sign_of_an_argument_is_the_value() -> None:
    assert parse_parameters(["MailFromName=HR Team", "BaseUrl=", 'A="b"']) == {
        "MailFromName": "HR Team",
        "BaseUrl": "",
        "A": "b",
    }


def test_a_text_has_several_parameters_with_the_quotes_of_a_shell() -> None:
    assert parse_shell_words('Basic=off MailFromName="HR Team"  BaseUrl= Quoted=\'"HR"\'') == {
        "Basic": "off",
        "MailFromName": "HR Team",
        "BaseUrl": "",
        "Quoted": '"HR"',
    }
    assert parse_shell_words("") == {}


@each_row(
    ("text", "message"),
    [
        (
            "MailFromName=HR Team",
            r'"Team" sets no parameter\. .*in quotes.*samconfig\.toml can have such values',
        ),
        (
            "MailFrom=o'neill@example.com",
            r"MailFrom=o'neill@example.com failed: No closing quotation\. Write NAME=",
        ),
    ],
)
def test_a_text_that_sets_no_parameter_is_refused_with_advice(text: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        parse_shell_words(text)
