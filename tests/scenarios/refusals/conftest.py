"""A service for each kind of store, which all tests of refusals share: refused requests leave no trace."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.scenarios.refusals.case import Case
from tests.scenarios.refusals.service_client import MODEL, SHELVES, ServiceClient
from tests.service import ON_LAMBDA, running
from tests.soak import mostly

LABELLED = (
    ("Person", "ann"),
    ("Contract", "ann_contract"),
    ("Phone", "ann_phone"),
    ("Team", "red"),
    ("Sheet", "sheet"),
    ("Scroll", "scroll"),
)
"""Objects whose labels are known: the first unique attribute, the first required String, or none."""
SETTINGS = {"STRATABASE_READ_MEGABYTES": "1", "STRATABASE_BULK_OBJECTS": "5"}


@pytest.fixture(scope="session", params=["dynamodb"] if ON_LAMBDA else mostly(SHELVES, "dynamodb"))
def client(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServiceClient]:
    home: Path = tmp_path_factory.mktemp("client") / "home"
    store = SHELVES[request.param](home)
    settings = SETTINGS | dict(store.settings)
    with (
        running(home, model=MODEL, application="Studio", settings=settings) as service,
        closing(ServiceClient(service, store)) as client,
    ):
        furnish(client)
        yield client


@pytest.fixture
def refuse(client: ServiceClient) -> Callable[[Case], None]:
    """Assert that every request of a case is refused as expected, and that nothing is written."""

    def refused(case: Case) -> None:
        before = client.store.rows()
        for way in case.ways:
            came, expected = (json.dumps(each, indent=1, sort_keys=True) for each in client.asked(way))
            assert f"{way.query}\n{came}" == f"{way.query}\n{expected}"
        assert client.store.rows() == before

    return refused


def furnish(client: ServiceClient) -> None:
    """Create the objects that all tests share."""
    for name in ("red", "blue"):
        client.create("Team", name, name=name)
    for name in ("sing", "dance"):
        client.create("Skill", name, name=name)
    person(client, "ann", email="ann@example.com", born="2000-01-01", addresses=[{"street": "s"}])
    person(client, "bob", email="bob@example.com", born="2000-02-02", mentor="<ann>")
    client.create("Team", "green", name="green", lead="<ann>")
    client.create("Desk", "desk", number=1, owner="<ann>")
    client.create("Project", "song", title="song", members=["<ann>"])
    client.create("Sheet", "sheet", title="first", code="ABC", day="2020-02-02")
    client.create("Sheet", "other", title="second", code="DEF", day="2020-03-03")
    client.create("Scroll", "scroll", title="scroll", leaves=[{"number": 1}])
    # The first write of a singleton makes it: later ones differ, whichever test comes first.
    client.ask('mutation { House___update(data: {name: "house"}) { _id } }')
    assert {name: client.labels[class_name, client.ids[name]] for class_name, name in LABELLED} == {
        "ann": "ann@example.com",
        "ann_contract": "ann",
        "ann_phone": "1",
        "red": "red",
        "sheet": "ABC",
        "scroll": None,
    }


def person(client: ServiceClient, name: str, /, **data: object) -> None:
    """Create a person, and name the ids of their contract, phone and address."""
    needs = {"last_name": name, "team": "<red>", "skills": ["<sing>"], "phones": [{"digits": "1"}]}
    shows = "contract { _id _label } phones { items { _id _label } } addresses { items { _id _label } }"
    contract = {"starts_on": "2020-01-31", "reference": name}
    created = client.create("Person", name, shows, **{**needs, "contract": contract, **data})
    parts = [("Contract", created["contract"])]
    parts += [("Phone", each) for each in created["phones"]["items"]]
    parts += [("Address", each) for each in created["addresses"]["items"]]
    for class_name, part in parts:
        client.ids[f"{name}_{class_name.lower()}"] = part["_id"]
        client.labels[class_name, part["_id"]] = part["_label"]
