"""The page "Change a model": its models, its commands and its output are right."""

import json
import re
import shlex
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.core.model.reading import read_model
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.enumeration import EnumType
from stratabase.core.store.catalog.catalog_store import ServedNames
from stratabase.core.waiting import system_now
from stratabase.evolution.difference import Severity, diff_models
from stratabase.evolution.difference.type_changes import readable_values
from tests.evolution.commands.test_reindex import Shop
from tests.repository import ROOT

PAGE = (ROOT / "docs/change-a-model.md").read_text("utf-8")
MODELS = re.findall(r"```graphql\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"`stratabase ([^`]*)`", PAGE.replace("\n", " "))
ON_A_STORE = {"model drop", "model convert"}
"""Commands that need a store with objects. They have a test of their own."""


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
    if " ".join(words[:2]) in ON_A_STORE:
        return
    if words[1] in {"explain", "prepare"}:
        words.append("Pet" if words[1] == "explain" else models[0])
    exit_code = main(words)
    error = capsys.readouterr().err
    assert exit_code in (0, 1) or "Name both files" in error


def test_what_the_example_advises_erases_and_converts(
    models: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stratabase.core.store.indexes.registry_cache.MAX_AGE", 0)
    monkeypatch.setattr("stratabase.evolution.backfill.drop.SETTLED", 0)
    company = Shop(Path(models[0]).parent)
    company.ask('Pet___create(data: {name: "Tom", nickname: "Tommy-7f3a", age: "42"}) { _id }')
    Path(models[0]).write_text(MODELS[1])
    instance = company.instance()
    ServedNames(instance.engine, instance.model, system_now).begin()
    instance.close()
    advised = [each for each in COMMANDS if " ".join(each.split()[:2]) in ON_A_STORE and "." in each]
    assert [main([*shlex.split(each), "--yes"]) for each in dict.fromkeys(advised)] == [0, 0]
    instance = company.instance()
    (head,) = (item for page in instance.engine.scan() for item in page if item.key.sort == "V#~")
    instance.close()
    assert json.loads(head.state or "") == {"name": "Tom", "age": 42}


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
