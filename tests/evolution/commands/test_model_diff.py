"""`stratabase model diff` compares models, also with the one that served, and counts stored objects."""

import io
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import NO_EXPECTATION, Batch, Put
from stratabase.core.store.layout import keys
from stratabase.evolution.backfill.served_models import record_served_model
from stratabase.evolution.commands import model_diff
from stratabase.evolution.commands.backfill.build import build_before_serving
from stratabase.members.app.member_services import MemberServices
from stratabase.server.process.model_changes import changes_since, short_lines, undecided_changes
from tests import ministack
from tests.fakes import ADMINISTRATOR

HEAD = """extend schema @application(name: "Shop")
  @profile(name: "Administrator", administrator: true) @profile(name: "Clerk")
"""
OLD = f"""{HEAD}
type Pet {{
  name: String nickname: String age: String tags: [Tag!] owner: Owner @association(opposite: "pets")
}}
type Tag {{ name: String }}
type Owner {{ name: String pets: [Pet!] @association(opposite: "owner") }}
"""
NEW = f"""{HEAD}
type Pet @unique(attributes: ["name"]) {{
  name: String!
  age: Int
  tags: Tag
  owner: Owner @association(opposite: "pets")
}}
type Tag {{ name: String }}
type Owner {{ name: String pets: [Pet!]! @association(opposite: "owner") }}
"""
COUNTS = {
    "Pet.nickname": ["2 of 6 Pet objects have a value."],
    "Pet.age": ["1 of 6 Pet objects have a value that Int does not read."],
    "Pet.name": ["2 of 6 Pet objects have no value."],
    "Pet.tags": ["1 of 6 Pet objects lead to several objects."],
    "Owner.pets": ["1 of 2 Owner objects lead to no object."],
    "Pet @unique(name)": ["1 of 6 Pet objects repeat the values of another one."],
}


class Shop:
    """A folder with models, and a store."""

    def __init__(self, folder: Path) -> None:
        self.served = folder / "model.graphql"
        self.other = folder / "other.graphql"
        self.served.write_text(OLD)

    def instance(self) -> App:
        """Return a process that serves the model of the settings."""
        return App(Settings.from_environment(os.environ))

    def serve(self, text: str) -> None:
        """Serve a model once."""
        self.served.write_text(text)
        instance = self.instance()
        record_served_model(instance)
        instance.close()

    def fill(self) -> None:
        """Create six pets, of which some have what the new model refuses."""
        instance = self.instance()
        tags = [_create(instance, "Tag", name=f"t{number}") for number in range(2)]
        owner, _ = [_create(instance, "Owner", name=name) for name in ("Ada", "Bob")]
        _create(instance, "Pet", name="Rex", age="7", owner=owner, tags=tags)
        _create(instance, "Pet", name="Rex", age="seven", tags=tags[:1])
        _create(instance, "Pet", name="Tom", nickname="T")
        _create(instance, "Pet", name="Pip", nickname="P")
        _create(instance, "Pet")
        _create(instance, "Pet")
        instance.close()


def _create(instance: App, class_name: str, **values: str | list[str]) -> str:
    data = ", ".join(f"{name}: {json.dumps(value)}" for name, value in values.items())
    mutation = f"mutation {{ {class_name}___create(data: {{{data}}}) {{ _id }} }}"
    answer = json.loads(instance.executor.execute(mutation, None, None, ADMINISTRATOR, "").body)
    return str(answer["data"][f"{class_name}___create"]["_id"])


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.setenv("STRATABASE_MODEL", str(tmp_path / "model.graphql"))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return Shop(tmp_path)


def _changes(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    (compared,) = json.loads(capsys.readouterr().out)
    return list(compared["changes"])


@pytest.mark.parametrize("arguments", [["--previous"], ["old.graphql", "new.graphql"]])
def test_only_changes_of_the_model_that_serves_can_be_accepted(
    shop: Shop, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    shop.serve(OLD)
    assert main(["model", "diff", "--accept", *arguments]) == 2
    assert "--accept is about the model that serves." in capsys.readouterr().err


def test_accepted_changes_are_those_of_one_text(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.serve(OLD)
    shop.fill()
    shop.other.write_text(NEW)
    assert main(["model", "diff", "--accept", str(shop.other)]) == 0
    assert "Needs a decision" in capsys.readouterr().out

    def undecided(text: str) -> set[str]:
        shop.served.write_text(text)
        instance = shop.instance()
        found = undecided_changes(instance, None, changes_since(instance, None))
        instance.close()
        return {change.subject for change in found}

    assert undecided(NEW) == set()
    assert undecided(NEW + "\n") == {"Pet.nickname", "Pet.age", "Pet.name", "Pet.tags", "Owner.pets"}
    shop.serve(f"{OLD}\n")
    assert undecided(NEW), "the accepted step began at another model"


def test_the_counts_are_the_same_after_the_associations_have_moved(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    """The counts of roles whose associations move to another place, as far as there is room."""
    shop.serve(OLD)
    shop.fill()
    shop.other.write_text(NEW)
    assert main(["model", "diff", "--data", str(shop.other), "--json"]) == 1
    before = _changes(capsys)
    shop.serve(NEW)
    instance = shop.instance()
    build_before_serving(instance.settings, instance.engine, instance.model, lambda *_: None)
    instance.close()
    assert main(["model", "diff", "--previous", "--data", "--json"]) == 1
    assert _changes(capsys) == before
    counts = {change["subject"]: change["counts"] for change in before}
    assert counts["Pet.tags"][0]["text"] == COUNTS["Pet.tags"][0]


def test_two_files_are_compared_without_a_store(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.other.write_text(OLD.replace("nickname: String ", ""))

    assert main(["model", "diff", str(shop.served), str(shop.other)]) == 1

    assert capsys.readouterr().out.splitlines() == [
        f"Compared with {shop.served}:",
        "",
        "Needs a decision (1)",
        "  Pet.nickname: removed",
        "    Objects keep the stored values, but no service shows them.",
        "    To erase what is stored, run `stratabase model drop Pet.nickname`.",
        "",
    ]
    assert not (shop.served.parent / "home/objects.db").exists()


def test_a_safe_change_exits_with_0(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.other.write_text(OLD.replace("nickname:", "city: String nickname:"))
    assert main(["model", "diff", str(shop.served), str(shop.other)]) == 0
    assert "Safe (1)\n  Pet.city: String added\n" in capsys.readouterr().out


def test_an_unknown_file_and_an_empty_store_exit_with_2(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "diff"]) == 2
    assert capsys.readouterr().err == (
        "The store knows no model that has served. Name both files: stratabase model diff OLD NEW.\n"
    )
    assert main(["model", "diff", "nowhere.graphql", str(shop.served)]) == 2
    assert "Can't read the model" in capsys.readouterr().err


def test_the_file_is_compared_with_the_model_that_serves(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.serve(OLD)
    assert main(["model", "diff"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["No changes.", ""]

    shop.other.write_text(NEW)
    assert main(["model", "diff", str(shop.other), "--json"]) == 1
    assert {change["subject"] for change in _changes(capsys)} == set(COUNTS)

    shop.serve(NEW)
    assert main(["model", "diff"]) == 0
    assert capsys.readouterr().out.splitlines()[1:3] == [
        "No changes.",
        "`serve` adopts each model that you save. To compare with the one before, add --previous.",
    ]
    assert main(["model", "diff", "--previous"]) == 1


def test_the_objects_that_a_change_concerns_are_counted(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.fill()
    shop.other.write_text(NEW)

    assert main(["model", "diff", str(shop.served), str(shop.other), "--data", "--json"]) == 1

    found = {each["subject"]: [count["text"] for count in each["counts"]] for each in _changes(capsys)}
    assert found == COUNTS
    assert main(["model", "diff", str(shop.served), str(shop.other), "--data"]) == 1
    assert "    2 of 6 Pet objects have a value." in capsys.readouterr().out.splitlines()


def _severities(shop: Shop, capsys: pytest.CaptureFixture[str], code: int) -> dict[str, str]:
    """Compare the models of both files with the data. Return the severity of each change by its subject."""
    assert main(["model", "diff", str(shop.served), str(shop.other), "--data", "--json"]) == code
    return {each["subject"]: each["severity"] for each in _changes(capsys)}


UNUSED = (
    "type Unused @class(versioned: true) { name: String } type Firm @class(kind: SINGLETON) { name: String }"
)
USED = 'type Pet @class(versioned: true) { name: String alias: String chip: String @default(value: "x") }'


def test_what_the_data_shows_to_be_harmless_needs_no_decision(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.served.write_text(f"{HEAD} {USED} {UNUSED}")
    instance = shop.instance()
    _create(instance, "Pet", name="Rex")
    instance.close()
    shop.other.write_text(f"{HEAD} type Pet @class(versioned: true) {{ name: String! }}")

    assert main(["model", "diff", str(shop.served), str(shop.other)]) == 1
    assert "Needs a decision (5)" in capsys.readouterr().out
    assert _severities(shop, capsys, 1) == {
        "class Firm": "SAFE",
        "Pet.chip": "DECISION",  # the object has the default
        "class Unused": "SAFE",
        "Pet.alias": "SAFE",
        "Pet.name": "SAFE",
    }


def test_closed_versions_and_deleted_objects_keep_a_decision(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.served.write_text(f"{HEAD} {USED} {UNUSED}")
    instance = shop.instance()
    pet = _create(instance, "Pet", name="Rex", alias="R")
    unused = _create(instance, "Unused", name="U")
    for mutation in (
        f'Pet___update(data: {{_id: "{pet}", alias: null}}) {{ _id }}',
        f'Unused___delete(_id: "{unused}") {{ deleted }}',
        'Firm___update(data: {name: "F"}) { _id }',
    ):
        text = f"mutation {{ {mutation} }}"
        assert b"errors" not in instance.executor.execute(text, None, None, ADMINISTRATOR, "").body
    instance.close()
    shop.other.write_text(f"{HEAD} {USED.replace('alias: String ', '')}")

    assert _severities(shop, capsys, 1) == {
        "class Unused": "DECISION",
        "class Firm": "DECISION",
        "Pet.alias": "DECISION",
    }


def test_members_with_a_removed_profile_are_counted(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.other.write_text(OLD.replace('@profile(name: "Clerk")', ""))
    instance = shop.instance()
    instance.part(MemberServices).create_first_administrator()
    instance.close()
    assert main(["model", "diff", str(shop.served), str(shop.other), "--data", "--json"]) == 0
    (change,) = _changes(capsys)
    assert change["severity"] == "SAFE"
    assert change["counts"] == [{"text": "0 of 1 member has the profile.", "count": 0, "total": 1}]


def test_the_first_start_after_the_upgrade_names_the_profiles_that_lose_their_rights(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    """A version of Stratabase without `access` wrote the list of models that served."""
    shop.serve(OLD)
    instance = shop.instance()
    (item,) = instance.engine.get([keys.SERVED_MODELS])
    assert item is not None
    before = replace(item, attributes={"revision": item.attributes["revision"]})
    instance.engine.commit(Batch("before", (Put(before, NO_EXPECTATION),)))

    lines = list(short_lines(changes_since(instance, None)))
    assert main(["model", "diff", "--json"]) == 1

    assert lines[:3] == [
        "The model has changed since it was last served:",
        "  Needs a decision: profile Clerk: access: NONE, was FULL",
        "    If this is not meant, write `access: FULL` at the profile.",
    ]
    (change,) = _changes(capsys)
    assert (change["subject"], change["change"]) == ("profile Clerk", "access: NONE, was FULL")
    # From the second start on, the rights are those of the first one.
    record_served_model(instance)
    assert changes_since(instance, None) == ()
    instance.close()
    assert main(["model", "diff"]) == 0


class _Person(io.StringIO):
    """A terminal on which a person has typed an answer."""

    def isatty(self) -> bool:
        return True


def test_a_count_shows_its_progress_on_a_terminal(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.fill()
    shop.other.write_text(NEW)
    terminal = _Person()
    monkeypatch.setattr("sys.stderr", terminal)
    assert main(["model", "diff", str(shop.served), str(shop.other), "--data"]) == 1
    assert "Pet [##############################] 100% (6 of 6 objects)" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\033[K")
    assert "[###" not in capsys.readouterr().out


def test_on_dynamodb_a_large_count_needs_a_yes(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STRATABASE_STORE", "dynamodb")
    monkeypatch.setenv("STRATABASE_ENDPOINT", str(ministack.endpoint().url))
    monkeypatch.setenv("STRATABASE_CREATE_TABLES", "on")
    monkeypatch.setenv("STRATABASE_TABLE", "model_diff")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    shop.fill()
    shop.other.write_text(NEW)
    command = ["model", "diff", str(shop.served), str(shop.other), "--data", "--json"]

    monkeypatch.setattr(model_diff, "MAX_UNITS", -1)
    assert main(command) == 2
    assert "read units of DynamoDB. To count anyway, add --yes." in capsys.readouterr().err

    monkeypatch.setattr("sys.stdin", _Person("n\n"))
    assert main(command) == 2
    assert capsys.readouterr().err.endswith("Continue? [y/N] Nothing was counted.\n")

    monkeypatch.setattr("sys.stdin", _Person("y\n"))
    assert main(command) == 1
    capsys.readouterr()

    assert main([*command, "--yes"]) == 1
    found = {each["subject"]: [count["text"] for count in each["counts"]] for each in _changes(capsys)}
    assert found == COUNTS
