"""The page "Change a model": its models, its commands and its output are right."""

import re
import shlex
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.model.difference import Severity, diff_models
from stratabase.model.difference.type_changes import readable_values
from stratabase.model.reading import read_model
from stratabase.model.types import TYPES
from stratabase.model.types.enumeration import EnumType

PAGE = (Path(__file__).parent.parent / "docs/change-a-model.md").read_text("utf-8")
MODELS = re.findall(r"```graphql\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"`stratabase ([^`]*)`", PAGE.replace("\n", " "))
BUILT_LATER = {"model drop", "model convert"}
"""Commands of the page that another part of Stratabase brings."""


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the models of the page, in the settings the first one."""
    files = [tmp_path / name for name in ("model.graphql", "new.graphql", "renamed.graphql")]
    for file, text in zip(files, MODELS, strict=True):
        file.write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRATABASE_MODEL", str(files[0]))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path))
    return [str(file) for file in files]


def test_the_output_of_the_example_is_printed(models: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    (output,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert main(["model", "diff", models[0], models[1]]) == 1
    assert output.rstrip() in capsys.readouterr().out


def test_renames_are_safe() -> None:
    changes = diff_models(read_model(MODELS[0], "old"), read_model(MODELS[2], "new"))
    assert {change.severity for change in changes} == {Severity.SAFE}
    assert [change.what for change in changes] == ["renamed, was Pet", "renamed, was nickname"]


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("model")])
def test_a_command_of_the_page_exists(
    command: str, models: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.split(command.replace("OLD", models[0]).replace("NEW", models[1]))
    if " ".join(words[:2]) in BUILT_LATER:
        return
    if words[1] in {"explain", "prepare"}:
        words.append("Pet" if words[1] == "explain" else models[0])
    exit_code = main(words)
    error = capsys.readouterr().err
    assert exit_code in (0, 1) or "Name both files" in error


def test_the_table_of_types_agrees_with_what_types_read() -> None:
    rows = re.findall(
        r"^\| (.*) \| (.*) \| (.*) \|$", PAGE.partition("| from | to | reads |")[2], re.MULTILINE
    )
    known = {**TYPES, "an enum": EnumType("E", ["X"]), "another enum": EnumType("F", ["X", "Y"])}
    checked = 0
    for sources, targets, reads in rows[1:12]:
        for source in re.findall(r"`(\w+)`", sources) or ([sources] if sources in known else []):
            for target in re.findall(r"`(\w+)`", targets) or ([targets] if targets in known else []):
                found = readable_values(known[source], known[target])
                if "File" in sources and "but" in sources:
                    continue
                assert (found is None) == reads.startswith("nothing"), (source, target)
                assert reads != "every value" or found == "every value"
                checked += 1
    assert checked > 20
