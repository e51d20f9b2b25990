"""`stratabase reindex` builds the indexes and unique constraints that a changed model needs."""

import itertools
import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase.core.store.layout import keys
from stratabase.evolution.commands.backfill.build import MAX_IDS_NAMED, MAX_VALUES_NAMED
from tests import ministack
from tests.fakes import ADMINISTRATOR

MODEL = """
extend schema @application(name: "Shop")
type Pet MORE { name: String  age: Int }
type Order @class(kind: FORM) { note: String }
"""
INDEX = '@index(attributes: ["name"])'
UNIQUE = '@unique(attributes: ["name"])'
OBJECTS = 120


class Shop:
    """A folder with the model of a shop and its pets."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, directives: str) -> None:
        """Write the model that is served."""
        (self._folder / "model.graphql").write_text(MODEL.replace("MORE", directives))

    def will_have(self, directives: str) -> str:
        """Write a model that is not yet served, and return its file."""
        later = self._folder / "later.graphql"
        later.write_text(MODEL.replace("MORE", directives))
        return str(later)

    def instance(self) -> App:
        """Return a process that serves the model."""
        instance = App(Settings.from_environment(os.environ))
        instance.entities.unbuilt()
        return instance

    def fill(self, names: Iterable[object]) -> list[str]:
        """Create pets with these names, and return their ids."""
        fields = (f'Pet___create(data: {{name: "{name}", age: 7}}) {{ _id }}' for name in names)
        return [answer["Pet___create"]["_id"] for answer in self.ask(*fields)]

    def ask(self, *fields: str) -> list[Any]:
        """Send mutations one after the other, and return the responses."""
        instance = self.instance()
        answers = [response_to(instance, field) for field in fields]
        instance.close()
        return [answer["data"] for answer in answers]

    def page_of_pets(self) -> list[str]:
        """Return the ids of all pets, as a new process reads them in pages."""
        instance = self.instance()
        page = "Pet___getPage(options: {next: 1000}) { items { _id } }"
        found = response_to(instance, page, "query")["data"]["Pet___getPage"]["items"]
        instance.close()
        return [each["_id"] for each in found]

    def registry(self) -> str:
        """Return the registry."""
        instance = self.instance()
        (item,) = instance.engine.get([keys.REGISTRY])
        instance.close()
        assert item is not None
        return item.state or ""


def response_to(instance: App, field: str, kind: str = "mutation") -> Any:
    """Send a request to a process, and return the response."""
    answer = instance.executor.execute(f"{kind} {{ {field} }}", None, None, ADMINISTRATOR, "")
    return json.loads(answer.body)


def issues(instance: App, field: str) -> list[tuple[str, str]]:
    """Return the types and messages of a refused mutation's issues."""
    errors = response_to(instance, field).get("errors", ())
    return [(error["extensions"]["issueType"], error["message"]) for error in errors]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A shop without other processes, so that nothing waits for them."""
    monkeypatch.setenv("STRATABASE_MODEL", str(tmp_path / "model.graphql"))
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("stratabase.evolution.backfill.reindex.SETTLED", 0)
    monkeypatch.setattr("stratabase.evolution.backfill.reindex.INDEX_LAG", 0)
    (tmp_path / "home").mkdir()
    (tmp_path / "home/objects.db").touch()
    shop = Shop(tmp_path)
    shop.has("")
    return shop


tables = itertools.count(1)


@pytest.fixture(params=["sqlite", "dynamodb"])
def deployed(shop: Shop, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The shop on each engine. Processes notice changes at once."""
    monkeypatch.setattr("stratabase.core.store.indexes.registry_cache.MAX_AGE", 0)
    if request.param == "dynamodb":
        use_dynamodb(monkeypatch)
    return shop


def use_dynamodb(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the shop have a table in the emulator."""
    monkeypatch.setenv("STRATABASE_STORE", "dynamodb")
    monkeypatch.setenv("STRATABASE_ENDPOINT", str(ministack.endpoint().url))
    monkeypatch.setenv("STRATABASE_CREATE_TABLES", "on")
    monkeypatch.setenv("STRATABASE_TABLE", f"reindex{next(tables)}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")


def test_a_model_is_built_before_it_is_deployed(deployed: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    """Processes of the earlier model maintain the guards in the meantime, and refuse no writes."""
    rex, tom = deployed.fill(["Rex", "Tom"])
    earlier = deployed.instance()
    assert main(["reindex", "--model", deployed.will_have(INDEX + UNIQUE)]) == 0
    assert "Pet: ready (checked 2 objects" in capsys.readouterr().out
    another = deployed.instance()
    for process in (earlier, another):
        assert not issues(process, f'Pet___update(data: {{_id: "{rex}", name: "Max"}}) {{ _id }}')
        assert not issues(process, f'Pet___update(data: {{_id: "{rex}", name: "Rex"}}) {{ _id }}')
    assert not issues(earlier, f'Pet___delete(_id: "{tom}") {{ deleted }}')
    assert not issues(earlier, 'Pet___create(data: {name: "Ben"}) { _id }')

    deployed.has(INDEX + UNIQUE)
    later = deployed.instance()
    assert later.entities.unbuilt() == ()
    for name, free in (("Tom", True), ("Max", True), ("Rex", False), ("Ben", False)):
        found = issues(later, f'Pet___create(data: {{name: "{name}"}}) {{ _id }}')
        assert [type_ for type_, _ in found] == [] if free else ["ENTITY_UNIQUE"]

    assert not issues(earlier, 'Pet___create(data: {name: "Ben"}) { _id }')
    assert later.entities.unbuilt() == ("Pet @unique(name)",)
    assert main(["reindex"]) == 1
    assert '  name "Ben": ' in capsys.readouterr().out
    for process in (earlier, another, later):
        process.close()


def test_a_model_that_serves_before_its_build_refuses_unverifiable_writes(
    deployed: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    """A new object with values, a change of them; previews and validations say so too. All else goes on."""
    rex, tom = deployed.fill(["Rex", "Tom"])
    deployed.has(UNIQUE)
    process = deployed.instance()
    (refusal,) = issues(process, 'Pet___create(data: {name: "Max"}) { _id }')
    text = (
        "Pet @unique(name) can't be checked until it is built for existing objects. "
        "Run `stratabase reindex Pet`."
    )
    assert refusal == ("ENTITY_UNIQUE", text)
    assert issues(process, f'Pet___update(data: {{_id: "{tom}", name: "Max"}}) {{ _id }}') == [refusal]
    everybody = 'data: {name: "Max"}, options: {filter_exp: "age == 7"}'
    result = issues(process, f"Pet___updateBulk({everybody}) {{ totalCount }}")
    assert (refusal[0], f"{text} This applies to 2 objects: {rex} and {tom}.") in result
    for query, expected in (
        ('Pet___validateCreate(data: {name: "Max"})', text),
        (f"Pet___validateUpdateBulk({everybody})", f"{text} This applies to 2 objects: {rex} and {tom}."),
    ):
        answer = response_to(process, f"{query} {{ isValid issues {{ userMessage }} }}", "query")
        (validation,) = answer["data"].values()
        assert not validation["isValid"]
        assert expected in {issue["userMessage"] for issue in validation["issues"]}

    assert not issues(process, "Pet___create(data: {age: 1}) { _id }")
    assert not issues(process, f'Pet___update(data: {{_id: "{rex}", age: 8, name: "Rex"}}) {{ _id }}')
    assert not issues(process, f'Pet___update(data: {{_id: "{rex}", name: null}}) {{ _id }}')
    assert not issues(process, f'Pet___delete(_id: "{tom}") {{ deleted }}')

    assert main(["reindex"]) == 0
    assert not issues(process, 'Pet___create(data: {name: "Max"}) { _id }')
    assert [type_ for type_, _ in issues(process, 'Pet___create(data: {name: "Max"}) { _id }')] == [
        "ENTITY_UNIQUE"
    ]
    process.close()


def test_reindex_makes_everything_ready(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    shop.fill(range(OBJECTS))
    shop.has(INDEX + UNIQUE)
    assert main(["reindex"]) == 0

    said = f"Pet: ready (checked {OBJECTS} objects)"
    assert capsys.readouterr().out.strip() == said
    assert shop.registry().count('"READY"') == 3  # with the mark that all roles are listed
    assert '"BUILDING"' not in shop.registry()


@pytest.mark.parametrize("store", ["sqlite", "dynamodb"])
def test_a_listing_and_an_index_are_spread_and_joined(
    store: str, shop: Shop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if store == "dynamodb":
        use_dynamodb(monkeypatch)
    shop.has(INDEX)
    ids = shop.fill(range(20))
    assert main(["reindex", "Pet", "--listing-shards", "16", "--index-shards", "name=4"]) == 0
    assert re.findall(r'"shards":(\d+)', shop.registry()) == ["4", "16"]
    ids += shop.fill(range(20, 25))
    assert shop.page_of_pets() == ids

    assert main(["reindex", "Pet", "--listing-shards", "1", "--index-shards", "name=1"]) == 0

    assert '"shards"' not in shop.registry()
    assert '"BUILDING"' not in shop.registry()
    assert shop.page_of_pets() == ids


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--listing-shards", "4"], "name exactly one class"),
        (["Pet", "Order", "--listing-shards", "4"], "name exactly one class"),
        (["Pet", "--index-shards", "age=4"], "Pet has no @index of age. Its indexes are: name."),
        (["Cat", "--index-shards", "age=4"], "These classes do not exist: Cat."),
        (["Pet", "--listing-shards", "0"], "'0' is not a number from 1 to 64."),
        (["Pet", "--listing-shards", "65"], "'65' is not a number from 1 to 64."),
        (["Pet", "--index-shards", "name"], "'name' does not name an index and its number of shards."),
    ],
)
def test_wrong_numbers_of_shards_are_refused(
    arguments: list[str], problem: str, shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.has(INDEX)
    with suppress(SystemExit):  # of the parser of arguments
        assert main(["reindex", *arguments]) == 1
    assert problem in capsys.readouterr().err


def test_an_unknown_class_is_named(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reindex", "Cat"]) == 1
    assert "These classes do not exist: Cat. Use: Pet." in capsys.readouterr().err


def test_duplicate_values_are_reported_until_they_are_resolved(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    rex, other, _ = shop.fill(["Rex", "Rex", "Tom"])
    shop.has(INDEX + UNIQUE + '@unique(attributes: ["age", "name"])')

    assert main(["reindex"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "Pet: not ready (checked 3 objects)",
        "Pet @unique(name) is not ready: 1 duplicate value",
        f'  name "Rex": {rex}, {other}',
        "Pet @unique(age, name) is not ready: 1 duplicate value",
        f'  age 7, name "Rex": {rex}, {other}',
    ]
    assert err.startswith("Change or delete all but one of the objects with the same values. Then run ")
    assert shop.registry().count('"READY"') == 2  # with the mark that all roles are listed

    shop.ask(f'Pet___update(data: {{_id: "{rex}", name: "Max"}}) {{ _id }}')
    assert main(["reindex"]) == 0
    assert ": ready (" in capsys.readouterr().out
    assert '"BUILDING"' not in shop.registry()


def test_many_duplicates_are_counted_unless_all_are_requested(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = shop.fill(
        [*["a"] * (MAX_IDS_NAMED + 2), *(number // 2 for number in range(2 * MAX_VALUES_NAMED + 8))]
    )
    shop.has(UNIQUE)

    assert main(["reindex"]) == 1
    _, title, *lines = capsys.readouterr().out.splitlines()
    assert title.endswith(f"{MAX_VALUES_NAMED + 5} duplicate values")
    assert lines[0] == f'  name "a": {", ".join(ids[:MAX_IDS_NAMED])} and 2 more'
    assert len(lines) == MAX_VALUES_NAMED + 1
    assert lines[-1] == "  and 5 more (to list all, run `stratabase reindex --all`)"

    assert main(["reindex", "--all"]) == 1
    _, _, *lines = capsys.readouterr().out.splitlines()
    assert len(lines) == MAX_VALUES_NAMED + 5
    assert lines[0] == f'  name "a": {", ".join(ids[: MAX_IDS_NAMED + 2])}'
