"""A project whose template is of an earlier version is told so before anything is built."""

from pathlib import Path

import pytest

from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy.template_functions import require_functions
from tests.repository import ROOT

OURS = ROOT / "template.yaml"


def test_our_template_has_all_functions() -> None:
    require_functions(OURS)


def test_a_template_without_a_function_is_refused_with_what_to_do(tmp_path: Path) -> None:
    former = tmp_path / "template.yaml"
    former.write_text(OURS.read_text().replace("CodeUri: functions/signin", "CodeUri: code/other"))
    with pytest.raises(CommandError) as refused:
        require_functions(former)
    said = str(refused.value)
    assert said.startswith(
        "template.yaml is of an earlier version of Stratabase: it has no function signin. "
    )
    assert "stratabase init --aws" in said


def test_functions_of_a_template_of_ones_own_can_be_anywhere(tmp_path: Path) -> None:
    own = tmp_path / "template.yaml"
    own.write_text("Resources: {One: {Type: AWS::Serverless::Function, Properties: {CodeUri: src/one}}}")
    require_functions(own)
