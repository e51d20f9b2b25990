"""The standard use of every generated service over HTTP, against the everything model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.everything_model import FILE
from tests.scenarios.graph_client import Client, over_dynamodb, over_sqlite
from tests.service import running


@pytest.fixture(
    scope="module",
    params=[over_sqlite, pytest.param(over_dynamodb("graphs"), marks=pytest.mark.thorough)],
    ids=["sqlite", "dynamodb"],
)
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    home: Path = tmp_path_factory.mktemp("service") / "home"
    options = {"model": FILE, "application": "Everything", "settings": request.param()}
    with running(home, **options) as service:
        yield Client(service)


PERSON = """_id last_name team { name members { totalCount } } skills { items { name } }
  contract { starts_on person_ { _id } } phones(options: {orderBy: [digits___DESC]}) { items { digits } }
  addresses { items { street rooms { items { name } } } }"""


def test_a_graph_is_created_and_read_back(client: Client) -> None:
    id_, team = client.person(addresses=[{"street": "s", "rooms": [{"name": "r"}]}])

    found = client.ask(f"query($id: ID!) {{ Person___get(_id: $id) {{ {PERSON} }} }}", id=id_)

    name = client.ask("query($id: ID!) { Team___get(_id: $id) { name } }", id=team)["name"]
    assert found == {
        "_id": id_,
        "last_name": "Li",
        "team": {"name": name, "members": {"totalCount": 1}},
        "skills": {"items": [{"name": "sing"}]},
        "contract": {"starts_on": "31/01/2020", "person_": {"_id": id_}},
        "phones": {"items": [{"digits": "1"}]},
        "addresses": {"items": [{"street": "s", "rooms": {"items": [{"name": "r"}]}}]},
    }


def test_a_graph_is_updated_from_all_sides(client: Client) -> None:
    mentor, _ = client.person(last_name="M")
    id_, _ = client.person(last_name="U")
    change = {
        "_id": id_,
        "mentor": {"set": mentor},
        "phones": {"create": [{"digits": "2"}]},
        "home": {"create": {"street": "h"}},
    }
    selection = "mentor { pupils { items { _id } } } home { street } phones { totalCount }"

    changed = client.ask(
        f"mutation($data: PersonUpdate!) {{ Person___update(data: $data) {{ {selection} }} }}", data=change
    )

    assert changed == {
        "mentor": {"pupils": {"items": [{"_id": id_}]}},
        "home": {"street": "h"},
        "phones": {"totalCount": 2},
    }


def test_a_graph_is_saved(client: Client) -> None:
    id_, _ = client.person(last_name="S")
    draft = {"_id": id_, "phones": {"save": [{"digits": "3"}]}, "home": {"street": "h"}}
    query = """mutation($data: PersonDraft!) { Person___save(data: $data) {
      home { street } phones { totalCount } } }"""

    assert client.ask(query, data=draft) == {"home": {"street": "h"}, "phones": {"totalCount": 2}}


def test_a_write_is_previewed_and_validated(client: Client) -> None:
    id_, team = client.person(last_name="P")
    data = {"last_name": "N", "team": team, "skills": [], "phones": []}

    preview = client.ask(
        "query($data: PersonDraftUpdate!) { Person___previewUpdate(data: $data) { last_name team { _id } } }",
        data={"_id": id_, "last_name": "Q"},
    )
    result = client.ask(
        """query($data: PersonDraftCreate!) { Person___validateCreate(data: $data) {
             isValid issues { roleNames } } }""",
        data=data,
    )

    assert preview == {"last_name": "Q", "team": {"_id": team}}
    assert result["isValid"] is False
    assert sorted(issue["roleNames"][0] for issue in result["issues"]) == ["contract", "phones", "skills"]


def test_an_object_is_found_by_unique_values(client: Client) -> None:
    id_, _ = client.person(email="unique@example.com")

    query = '{ Person___getByEmail(email: "unique@example.com") { _id } }'
    assert client.ask(query) == {"_id": id_}


def test_many_objects_are_updated_and_deleted(client: Client) -> None:
    for _ in range(3):
        client.person(last_name="bulk")
    one = '{filter: {last_name___eq: "bulk"}, next: 9}'

    changed = client.ask(
        f"""mutation {{ Person___updateBulk(data: {{height: 1}}, options: {one}) {{
              totalCount items {{ height }} }} }}"""
    )
    deleted = client.ask(f"mutation {{ Person___deleteBulk(options: {one}) {{ deleted }} }}")

    assert changed == {"totalCount": 3, "items": [{"height": 1}] * 3}
    assert deleted == {"deleted": 3}


def test_the_singleton_is_updated_and_read(client: Client) -> None:
    change = '{name: "H", doors: {deleteAll: true, create: [{width: 2}]}}'
    client.ask(f"mutation {{ House___update(data: {change}) {{ _id }} }}")

    found = client.ask("{ House___get { _id name doors { items { width house_ { name } } } } }")

    doors = {"items": [{"width": 2, "house_": {"name": "H"}}]}
    assert found == {"_id": "1", "name": "H", "doors": doors}


def test_a_form_is_previewed(client: Client) -> None:
    id_, team = client.person(last_name="F")
    query = """query($data: ComplaintDraft!) { Complaint___preview(data: $data) {
      _id by { last_name } about { items { _id } } } }"""

    found = client.ask(query, data={"text": "!", "by": id_, "about": {"add": [team]}})

    assert found == {"_id": None, "by": {"last_name": "F"}, "about": {"items": [{"_id": team}]}}


def test_an_exposed_part_has_pages(client: Client) -> None:
    id_, _ = client.person(last_name="E")
    query = """{ Contract___getPage(options: {filter: {starts_on___eq: "31/01/2020"}, next: 100}) {
      items { person_ { _id } } } }"""

    assert {"person_": {"_id": id_}} in client.ask(query)["items"]


def test_associable_objects_are_listed(client: Client) -> None:
    id_, _ = client.person(last_name="A")
    other, _ = client.person(last_name="B")
    client.create("Desk", number=1, owner=other)
    free = client.create("Desk", number=2, owner=id_)
    query = "query($id: ID!) { Person___get(_id: $id) { desk___associables { items { _id } } } }"

    assert client.ask(query, id=id_) == {"desk___associables": {"items": [{"_id": free}]}}
