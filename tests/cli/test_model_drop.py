"""`stratabase model drop` erases what is stored under a removed name, in all versions, on both engines."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from stratabase.cli.main import main
from stratabase.core.store.catalog.catalog_store import CatalogStore
from stratabase.core.store.engine.port import Item
from tests import ministack
from tests.evolution.commands.test_reindex import Shop, response_to, tables
from tests.evolution.commands.test_reindex import shop as shop  # noqa: PLC0414 - a fixture
from tests.rows import each_row

WITH = """
extend schema @application(name: "Shop")
enum Status { OLD NEW }
type Employee @class(versioned: true)
    @unique(attributes: ["nickname"]) @unique(attributes: ["name", "nickname"])
    @index(attributes: ["nickname"]) @index(attributes: ["status"]) {
  name: String  nickname: String  status: Status  photo: File  badge: Serial
  team: Team @association(opposite: "members")
}
type Team { title: String  members: [Employee!] @association(opposite: "team") }
"""
"""The model before something is removed from it."""
SECRET = "Minnie-7f3a"
"""A value that must be nowhere after the drop."""


class Company(Shop):
    """A folder with a model of employees."""

    def serves(self, model: str) -> None:
        """Write the model, and serve it once."""
        (self._folder / "model.graphql").write_text(model)
        self.instance().close()

    def items(self) -> list[Item]:
        """Return all items of the store, but for those about the service itself."""
        instance = self.instance()
        found = [item for page in instance.engine.scan() for item in page if item.key.partition != "META"]
        instance.close()
        return found

    def catalog_names(self) -> set[str]:
        """Return all names in the catalog."""
        instance = self.instance()
        names = {str(name) for name in CatalogStore(instance.engine).read().entries}
        instance.close()
        return names


@pytest.fixture(params=["sqlite", "dynamodb"])
def company(
    shop: Shop, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Company:
    """A company on each engine, whose processes notice changes at once."""
    monkeypatch.setattr("stratabase.core.store.indexes.registry_cache.MAX_AGE", 0)
    monkeypatch.setattr("stratabase.evolution.backfill.drop.SETTLED", 0)
    if request.param == "dynamodb":
        monkeypatch.setenv("STRATABASE_STORE", "dynamodb")
        monkeypatch.setenv("STRATABASE_ENDPOINT", str(ministack.endpoint().url))
        monkeypatch.setenv("STRATABASE_CREATE_TABLES", "on")
        monkeypatch.setenv("STRATABASE_TABLE", f"drop{next(tables)}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    return Company(tmp_path)


@pytest.fixture
def local(shop: Shop, tmp_path: Path) -> Company:
    """A company on SQLite."""
    assert shop
    return Company(tmp_path)


def removed(model: str, *parts: str) -> str:
    """Return a model without some of its text."""
    for part in parts:
        assert part in model
        model = model.replace(part, "")
    return model


NO_NICKNAME = removed(
    WITH,
    '@unique(attributes: ["nickname"])',
    '@unique(attributes: ["name", "nickname"])',
    '@index(attributes: ["nickname"])',
    "nickname: String",
)


def texts(items: Iterable[Item]) -> str:
    """Return everything that is stored in items."""
    return json.dumps([[item.key, dict(item.attributes), item.state, dict(item.places)] for item in items])


def test_nothing_of_a_dropped_attribute_is_left(company: Company, capsys: pytest.CaptureFixture[str]) -> None:
    """Not in objects, closed versions, deleted objects, guards or indexes; other values stay as they are."""
    company.serves(WITH)
    ada, eve = (
        answer["Employee___create"]["_id"]
        for answer in company.ask(
            f'Employee___create(data: {{name: "Ada", nickname: "{SECRET}", status: NEW}}) {{ _id }}',
            f'Employee___create(data: {{name: "Eve", nickname: "{SECRET}-2"}}) {{ _id }}',
        )
    )
    company.ask(
        f'Employee___update(data: {{_id: "{ada}", nickname: "{SECRET}-3"}}) {{ _id }}',
        f'Employee___delete(_id: "{eve}") {{ deleted }}',
    )
    before = {item.key: item for item in company.items()}
    assert any(item.key.partition.startswith("U#Employee.") for item in before.values())
    company.serves(NO_NICKNAME)
    capsys.readouterr()

    assert main(["model", "drop", "Employee.nickname", "--yes"]) == 0

    after = company.items()
    assert SECRET not in texts(after)
    assert not [item for item in after if item.key.partition.startswith("U#Employee.")]
    assert "nickname" not in texts(after)
    for item in after:
        former = before[item.key]
        kept = {name: value for name, value in json.loads(former.state or "{}").items() if name != "nickname"}
        assert json.loads(item.state or "{}") == kept
        assert {**item.attributes, "commitIds": []} == {**former.attributes, "commitIds": []}
    assert "Employee.nickname" not in company.catalog_names()
    assert "Employee.name" in company.catalog_names()
    assert "Erasing Employee.nickname: erased from" in capsys.readouterr().out

    instance = company.instance()
    field = f'Employee___getVersionPage(_id: "{ada}") {{ items {{ name status }} }}'
    versions = response_to(instance, field, "query")
    assert [each["name"] for each in versions["data"]["Employee___getVersionPage"]["items"]] == ["Ada", "Ada"]
    instance.close()


def test_deleted_text_is_not_left_in_the_database_file(local: Company, tmp_path: Path) -> None:
    """The file is rebuilt, and its log is emptied."""
    file = tmp_path / "home/objects.db"
    local.serves(WITH)
    local.ask(
        *(f'Employee___create(data: {{nickname: "{SECRET}{number}"}}) {{ _id }}' for number in range(20))
    )
    local.serves(NO_NICKNAME)
    assert main(["model", "drop", "Employee.nickname", "--yes"]) == 0
    assert file.exists()
    for each in file.parent.glob("objects.db*"):
        assert SECRET.encode() not in each.read_bytes(), each


REFUSALS = (
    ("Employee.name", "The model still has Employee.name. Remove it from the model first, then drop it."),
    ("Employee", "The model still has Employee. Remove it from the model first, then drop it."),
    ("Status.NEW", "The model still has Status.NEW. Remove it from the model first, then drop it."),
    (
        "Employee.status.NEW",
        "The model still has Employee.status.NEW. Remove it from the model first, then drop it.",
    ),
    (
        "Employee.label",
        "The model still has Employee.label, as Employee.tag. Remove it from the model first, then drop it.",
    ),
    (
        "Employee.name.OLD",
        "Employee.name is of type String. You can drop a value only of an attribute whose type is an enum.",
    ),
    ("Status", "Status is an enum. Name one of its removed values, as in Status.OLD."),
    (
        "Employee.nicknam",
        'Nothing was ever stored under the name "Employee.nicknam". Did you mean Employee.nickname?',
    ),
    ("Xyz", 'Nothing was ever stored under the name "Xyz". Removed names: Employee.nickname.'),
    (
        "Employee..x",
        (
            '"Employee..x" is not a name. '
            "Use CLASS, CLASS.attribute, CLASS.role, ENUM.VALUE or CLASS.attribute.VALUE."
        ),
    ),
)


@each_row(("name", "message"), REFUSALS)
def test_a_name_that_cannot_be_dropped_is_refused(
    local: Company, capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    local.serves(WITH.replace("badge: Serial", "label: String"))
    local.serves(NO_NICKNAME.replace("badge: Serial", 'tag: String @renamed(from: "label")'))
    capsys.readouterr()
    assert main(["model", "drop", name, "--yes"]) == 1
    assert capsys.readouterr().err == f"{message}\n"


def test_nothing_is_erased_without_a_question_or_consent(
    local: Company, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    local.serves(WITH)
    local.ask(f'Employee___create(data: {{nickname: "{SECRET}"}}) {{ _id }}')
    local.serves(NO_NICKNAME)
    capsys.readouterr()
    assert main(["model", "drop", "Employee.nickname"]) == 2
    printed = capsys.readouterr()
    assert printed.err == (
        "Standard input is not a terminal, so Stratabase cannot ask whether to begin. "
        "To begin without a question, add --yes.\n"
    )
    assert ": 1 object and 0 closed versions still hold a value.\n" in printed.out
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _question: "n")
    assert main(["model", "drop", "Employee.nickname"]) == 1
    assert capsys.readouterr().err == "Nothing was changed.\n"
    assert SECRET in texts(local.items())
    monkeypatch.setattr("builtins.input", lambda _question: "y")
    assert main(["model", "drop", "Employee.nickname"]) == 0
    assert SECRET not in texts(local.items())


def test_a_name_from_before_the_catalog_is_dropped_on_request(local: Company) -> None:
    local.serves(WITH)
    local.ask(f'Employee___create(data: {{nickname: "{SECRET}"}}) {{ _id }}')
    local.serves(NO_NICKNAME)
    instance = local.instance()
    CatalogStore(instance.engine).update(
        lambda catalog: catalog.without([each for each in catalog.entries if each.name == "nickname"])
    )
    instance.close()
    assert main(["model", "drop", "Employee.nickname", "--yes"]) == 1
    assert main(["model", "drop", "Employee.nickname", "--yes", "--unlisted"]) == 0
    assert SECRET not in texts(local.items())
