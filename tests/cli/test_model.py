"""`stratabase model` checks and shows the model."""

import json
from pathlib import Path

import pytest
from graphql import build_schema, parse

from stratabase.cli.main import main
from stratabase.core.app.app import App
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.model.prepared import read_prepared
from stratabase.core.model.reading import read_model
from stratabase.core.settings import Settings
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.fakes import ADMINISTRATOR
from tests.repository import ROOT

SAMPLE = ROOT / "layers/model/model.graphql"
GOOD = 'extend schema @application(name: "Shop")\ntype Pet { name: String! }\n'


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model in the settings."""
    file = tmp_path / "model.graphql"
    file.write_text(GOOD)
    monkeypatch.setenv("STRATABASE_MODEL", str(file))
    return file


def test_a_valid_model_passes(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "check"]) == 0
    assert capsys.readouterr().out == "ok\n"


def test_all_errors_are_printed_with_their_places(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    served.write_text(GOOD.replace("String!", "Strin!  age: Integr"))

    assert main(["model", "check"]) == 1

    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"{served}:2:18", f"{served}:2:31"]


def test_another_model_file_can_be_checked(served: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.graphql"
    other.write_text("type {")

    assert main(["model", "check", str(other)]) == 1
    assert main(["model", "check", str(served)]) == 0


def test_a_missing_file_is_an_error(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "check", str(served.parent / "nowhere.graphql")]) == 1
    assert "Can't read the model" in capsys.readouterr().err


def test_the_schema_is_printed(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "sdl"]) == 0

    schema = build_schema(capsys.readouterr().out)
    assert schema.type_map["PetCreate"]


def test_a_model_without_services_has_no_schema_to_print(
    served: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    served.write_text(GOOD.replace("type Pet", "type Pet @class(exposed: false)"))

    assert main(["model", "sdl"]) == 1

    assert capsys.readouterr().err.startswith("No class of the application Shop has services.")


def test_the_directives_are_printed(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They do not depend on the model. An editor needs them to write one."""
    served.write_text("broken")

    assert main(["model", "directives"]) == 0

    assert "directive @class" in capsys.readouterr().out


def test_the_printed_directives_validate_the_sample_model(capsys: pytest.CaptureFixture[str]) -> None:
    main(["model", "directives"])
    used = {
        directive.name.value
        for definition in parse(SAMPLE.read_text()).definitions
        for directive in getattr(definition, "directives", None) or ()
    }

    printed = capsys.readouterr().out
    assert used
    assert all(f"directive @{name}" in printed for name in used)


INDEXED = GOOD.replace("type Pet {", 'type Pet @index(attributes: ["name"]) { age: Int')


def test_the_plan_of_a_page_is_explained(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The options are those that a client gives."""
    served.write_text(INDEXED)

    options = '{"filter": {"name___starts_with": "Re"}, "orderBy": ["name___DESC"], "next": 50}'
    assert main(["model", "explain", "Pet", options]) == 0

    taken, *others = capsys.readouterr().out.splitlines()
    assert taken.startswith("Used: read a range of @index name in order until the page is full (about ")
    assert others
    assert all(other.startswith("Not used: ") for other in others)


def test_objects_named_by_id_are_read_by_key(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An index would serve the filter too. No cheaper index is suggested."""
    served.write_text(INDEXED)

    options = {"filter": {"_id___in": [*range(2000)], "name___eq": "Rex"}, "orderBy": ["age___ASC"]}
    assert main(["model", "explain", "Pet", json.dumps(options)]) == 0

    out = capsys.readouterr().out
    assert out.startswith("Used: get all of the 2,000 objects with an _id in the filter, and sort ")
    assert "@index name" in out
    assert "Cheaper" not in out


def test_a_missing_index_is_named(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    served.write_text(INDEXED)

    options = '{"filter": {"name___contains": "e"}, "orderBy": ["age___ASC"]}'
    assert main(["model", "explain", "Pet", options, "--total-count"]) == 0

    assert capsys.readouterr().out.endswith('\nTo read less, add: @index(attributes: ["age"]) to Pet\n')


def test_a_condition_is_evaluated_over_what_a_filter_finds(
    served: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No index serves the condition. If there is also a filter, its index is used."""
    served.write_text(INDEXED)

    for options in ({"filter_exp": "age > 3"}, {"filter_exp": "age > 3", "filter": {"name___eq": "Rex"}}):
        assert main(["model", "explain", "Pet", json.dumps(options)]) == 0

    taken = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Used: ")]
    assert ["@index name" in line for line in taken] == [False, True]


OWNED = """
extend schema @application(name: "Shop")
type Pet {
  name: String!
  owner: Owner @association(opposite: "pets")
  owner_mail: String @derived(path: "owner.mail")
}
type Owner @unique(attributes: ["mail"]) {
  mail: String
  city: String
  pets: [Pet!] @association(opposite: "owner")
}
"""


def fill(home: Path, pets: int) -> None:
    """Put pets of one owner into the store."""
    engine = SqliteEngine(home / "objects.db")
    entities = Repository(engine, read_model(OWNED, "owned"))
    owner = Entity(Reference("Owner", "o"), {"_id": "o", "mail": "o@x"})
    entities.commit(Change("c", 0, (Creation(owner),)))
    for number in range(pets):
        pet = Entity(Reference("Pet", f"p{number}"), {"_id": f"p{number}", "name": "Rex", "owner": "o"})
        entities.commit(Change(f"c{number}", 0, (Creation(pet),)))
    engine.close()


def test_a_page_is_read_from_the_store_to_tell_its_cost(
    served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path))
    served.write_text(OWNED)
    fill(tmp_path, 3)

    for filter_ in ('{"owner_mail___eq": "o@x"}', '{"owner": {"mail___eq": "o@x"}}'):
        assert main(["model", "explain", "Pet", f'{{"filter": {filter_}}}']) == 0

        used, *_, count, cost = capsys.readouterr().out.splitlines()
        assert used.startswith("Used: in Owner, get the object with the value of @unique mail; then get ")
        assert count == "The store has 3 objects of Pet."
        assert cost == "There, the page takes 5 round trips, 9 items, and 7 read units."


def test_a_plan_that_gave_up_is_told(
    served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path))
    monkeypatch.setattr("stratabase.core.store.query.semi_join.MAX_OWNERS", 2)
    served.write_text(OWNED)
    fill(tmp_path, 3)

    assert main(["model", "explain", "Pet", '{"filter": {"owner_mail___eq": "o@x"}}']) == 0

    assert "There, this plan answered the page: read the class in the order of" in capsys.readouterr().out


def test_nothing_is_written_to_a_store_that_has_not_served_the_model(
    served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STRATABASE_HOME", str(tmp_path))
    served.write_text(OWNED)
    fill(tmp_path, 1)
    served.write_text(OWNED.replace("type Owner", 'type Owner @index(attributes: ["city"])'))
    engine = SqliteEngine(tmp_path / "objects.db")
    before = engine.get([keys.REGISTRY])

    for options, expected in (([], False), (["--data"], True)):
        assert main(["model", "explain", "Pet", *options]) == 0
        assert ("has not served this model yet" in capsys.readouterr().out) is expected

    assert engine.get([keys.REGISTRY]) == before
    engine.close()


def test_the_missing_index_of_a_role_is_named(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    served.write_text(OWNED.replace('"owner.mail"', '"owner.city"'))

    assert main(["model", "explain", "Pet", '{"filter": {"owner_mail___eq": "Bern"}}', "--total-count"]) == 0

    assert capsys.readouterr().out.endswith('\nTo read less, add: @index(attributes: ["city"]) to Owner\n')


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["Cat"], 'The class "Cat" does not exist. Use one of: Pet.'),
        (["Pet", "{"], "OPTIONS is not valid JSON: "),
        (["Pet", "[]"], "OPTIONS is not a JSON object. "),
        (["Pet", '{"orderBy": ["name"]}'], "OPTIONS: Value 'name' does not exist in 'PetSort' enum."),
        (["Pet", '{"filter": {"nam___eq": 1}}'], "OPTIONS: Expected value of type 'PetFilter'"),
        (["Pet", '{"next": -1}'], "OPTIONS: Pet: next is -1"),
        (
            ["Pet", '{"filter_exp": "nam == 1"}'],
            "OPTIONS: Pet: filter_exp, character 1: Pet has no attribute",
        ),
    ],
)
def test_an_invalid_page_to_explain_is_refused(
    served: Path, arguments: list[str], refusal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "explain", *arguments]) == 1
    assert capsys.readouterr().err.startswith(refusal)


def test_a_model_is_prepared_beside_its_text(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "prepare", str(served)]) == 0

    file = served.with_name("model.prepared.json")
    documents = served.with_name("model.documents.zip")
    assert capsys.readouterr().out == f"{file}\n{documents}\n"
    model = read_prepared(file.read_bytes(), served.read_bytes())
    assert model is not None
    assert list(model.classes) == ["Pet"]


def test_a_model_can_be_prepared_elsewhere(served: Path, tmp_path: Path) -> None:
    output = tmp_path / "another.json"

    assert main(["model", "prepare", str(served), str(output)]) == 0

    assert read_prepared(output.read_bytes(), served.read_bytes())


def test_a_model_with_errors_is_not_prepared(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    served.write_text(GOOD.replace("String", "Strin"))

    assert main(["model", "prepare", str(served)]) == 1

    assert "Strin" in capsys.readouterr().err
    assert not served.with_name("model.prepared.json").exists()


def test_an_unwritable_prepared_model_is_reported(served: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = served.parent / "nowhere" / "model.json"

    assert main(["model", "prepare", str(served), str(nowhere)]) == 1

    assert f"Writing {nowhere} failed: No such file or directory." in capsys.readouterr().err


def test_data_that_violates_required_members_is_counted(
    served: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """This also works for a model that is not served yet."""
    home = served.parent / "home"
    monkeypatch.setenv("STRATABASE_HOME", str(home))
    instance = App(Settings(home=home, model=served))
    for name in ("Rex", "Tom"):
        query = f'mutation {{ Pet___create(data: {{name: "{name}"}}) {{ _id }} }}'
        assert b"errors" not in instance.executor.execute(query, None, None, ADMINISTRATOR, "").body
    instance.engine.close()

    assert main(["model", "check", "--data"]) == 0
    assert capsys.readouterr().out == "ok\nAll stored objects have the values that the model requires.\n"

    new = served.parent / "new.graphql"
    new.write_text(
        GOOD.replace("name: String!", "name: String!  age: Int!  owner: Owner!")
        + "type Owner { name: String }"
    )
    assert main(["model", "check", str(new), "--data"]) == 0
    assert capsys.readouterr().out == (
        "ok\n"
        "Pet.age is required, but it is empty in 2 of 2 Pet objects.\n"
        "Pet.owner is required, but it is empty in 2 of 2 Pet objects.\n"
    )
