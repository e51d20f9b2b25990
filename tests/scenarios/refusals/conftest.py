"""A studio for each kind of store: one process for all tests of refusals, since these leave no trace."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.scenarios.refusals.case import Case
from tests.scenarios.refusals.studio import MODEL, SHELVES, Studio
from tests.service import running
from tests.soak import mostly

SETTINGS = {"STRATABASE_READ_MEGABYTES": "1", "STRATABASE_BULK_OBJECTS": "5"}


@pytest.fixture(scope="session", params=mostly(SHELVES, "dynamodb"))
def studio(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    home: Path = tmp_path_factory.mktemp("studio") / "home"
    shelf = SHELVES[request.param](home)
    settings = SETTINGS | dict(shelf.settings)
    with (
        running(home, model=MODEL, application="Studio", settings=settings) as service,
        closing(Studio(service, shelf)) as studio,
    ):
        furnish(studio)
        yield studio


@pytest.fixture
def refuse(studio: Studio) -> Callable[[Case], None]:
    """Ask in all the ways of a case: each must be refused as it says, with nothing written."""

    def refused(case: Case) -> None:
        before = studio.shelf.rows()
        for way in case.ways:
            came, expected = (json.dumps(each, indent=1, sort_keys=True) for each in studio.asked(way))
            assert f"{way.query}\n{came}" == f"{way.query}\n{expected}"
        assert studio.shelf.rows() == before

    return refused


def furnish(studio: Studio) -> None:
    """Make the objects that there are."""
    for name in ("red", "blue"):
        studio.create("Team", name, name=name)
    for name in ("sing", "dance"):
        studio.create("Skill", name, name=name)
    person(studio, "ann", email="ann@example.com", born="2000-01-01", addresses=[{"street": "s"}])
    person(studio, "bob", email="bob@example.com", born="2000-02-02", mentor="<ann>")
    studio.create("Team", "green", name="green", lead="<ann>")
    studio.create("Desk", "desk", number=1, owner="<ann>")
    studio.create("Project", "song", title="song", members=["<ann>"])
    studio.create("Sheet", "sheet", title="first", code="ABC", day="2020-02-02")
    studio.create("Sheet", "other", title="second", code="DEF", day="2020-03-03")
    studio.create("Scroll", "scroll", title="scroll", leaves=[{"number": 1}])
    # The first write of a singleton makes it: later ones differ, whichever test comes first.
    studio.ask('mutation { House___update(data: {name: "house"}) { _id } }')


def person(studio: Studio, name: str, /, **data: object) -> None:
    """Make a person; its contract, its phone and its address can be named too."""
    needs = {"last_name": name, "team": "<red>", "skills": ["<sing>"], "phones": [{"digits": "1"}]}
    shows = "contract { _id } phones { items { _id } } addresses { items { _id } }"
    contract = {"starts_on": "2020-01-31", "reference": name}
    made = studio.create("Person", name, shows, **{**needs, "contract": contract, **data})
    studio.ids[f"{name}_contract"] = made["contract"]["_id"]
    studio.ids[f"{name}_phone"] = made["phones"]["items"][0]["_id"]
    for address in made["addresses"]["items"]:
        studio.ids[f"{name}_address"] = address["_id"]
