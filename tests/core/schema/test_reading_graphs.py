"""Roles in queries: objects, pages and associables, over each kind of store."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded, Unavailable
from stratabase.core.domain.objects.entity import Entity
from stratabase.values.messages import verbatim
from tests.core.schema.graph_api import GraphApi
from tests.everything_model import EverythingObjects
from tests.rows import each_row


@pytest.fixture
def staff(graphs: GraphApi) -> dict[str, str]:
    """Five persons in one team. The first leads the team, and is the mentor of the others."""
    needs = graphs.needs()
    ids = {"team": needs["team"], "a": graphs.create("Person", **needs)}
    for name in "bcde":
        ids[name] = graphs.create("Person", **{**needs, "last_name": name, "mentor": ids["a"]})
    graphs.update("Team", "_id", _id=ids["team"], lead={"set": ids["a"]})
    return ids


def test_roles_are_followed_at_any_depth_and_in_both_directions(
    graphs: GraphApi, staff: dict[str, str]
) -> None:
    found = graphs.get(
        "Person",
        staff["b"],
        """mentor { leads { lead { _id } members(options: {next: 1}) { items { contract { starts_on
           person_ { _id } } } } } }""",
    )

    contract = {"starts_on": "31/01/2020", "person_": {"_id": staff["a"]}}
    leads = {"lead": {"_id": staff["a"]}, "members": {"items": [{"contract": contract}]}}
    assert found == {"mentor": {"leads": leads}}


def test_a_role_can_be_selected_twice_with_different_options(graphs: GraphApi, staff: dict[str, str]) -> None:
    found = graphs.get(
        "Person",
        staff["a"],
        """first: pupils(options: {next: 1}) { items { last_name } }
           ...F last: pupils(options: {prev: 1}) { items { last_name mentor { _id } } }
           } } fragment F on Person { last: pupils(options: {prev: 1}) { items { height }""",
    )

    last = {"height": None, "last_name": "e", "mentor": {"_id": staff["a"]}}
    assert found == {"first": {"items": [{"last_name": "b"}]}, "last": {"items": [last]}}


def test_items_of_a_page_can_be_selected_twice(graphs: GraphApi, staff: dict[str, str]) -> None:
    found = graphs.get(
        "Person",
        staff["b"],
        """mentor { p: pupils(options: {next: 1}) {
             x: items { k: team { _id } } y: items { k: mentor { _id } } } }""",
    )

    shown = found["mentor"]["p"]
    assert shown == {"x": [{"k": {"_id": staff["team"]}}], "y": [{"k": {"_id": staff["a"]}}]}


def test_a_nested_page_has_a_filter_an_order_and_cursors(graphs: GraphApi, staff: dict[str, str]) -> None:
    page = """pupils(options: {filter: {last_name___ne: "c"}, orderBy: [last_name___DESC], next: 2%s})
              { items { last_name } totalCount hasNext hasPrev nextCursor }"""
    first = graphs.get("Person", staff["a"], page % "")["pupils"]
    cursor = first.pop("nextCursor")
    second = graphs.get("Person", staff["a"], page % f', cursor: "{cursor}"')["pupils"]

    assert first == {
        "items": [{"last_name": "e"}, {"last_name": "d"}],
        "totalCount": 3,
        "hasNext": True,
        "hasPrev": False,
    }
    assert second["items"] == [{"last_name": "b"}]
    assert (second["hasNext"], second["hasPrev"], second["totalCount"]) == (False, True, 3)


def test_a_nested_page_has_ten_items_by_default(graphs: GraphApi) -> None:
    id_ = graphs.person(phones=[{"digits": str(number)} for number in range(12)])

    found = graphs.get(
        "Person",
        id_,
        "phones { totalCount items { digits } } all: phones(options: {next: 10000}) { items { _id } }",
    )

    assert (len(found["phones"]["items"]), found["phones"]["totalCount"]) == (10, 12)
    assert len(found["all"]["items"]) == 12


def test_deleted_objects_read_as_null_and_are_omitted_from_pages(
    graphs: GraphApi, staff: dict[str, str]
) -> None:
    project = graphs.create("Project", title="P", members=[staff["b"], staff["c"], staff["d"]])
    graphs.ask(f'mutation {{ Person___delete(_id: "{staff["c"]}") {{ deleted }} }}')
    graphs.update("Team", "_id", _id=staff["team"], lead={"remove": True})
    graphs.ask(f'mutation {{ Person___delete(_id: "{staff["a"]}") {{ deleted }} }}')

    assert graphs.get("Person", staff["b"], "mentor { _id } leads { _id }") == {"mentor": None, "leads": None}
    members = graphs.get("Project", project, "members { totalCount items { last_name } }")["members"]
    assert members == {"totalCount": 2, "items": [{"last_name": "b"}, {"last_name": "d"}]}
    assert graphs.get("Team", staff["team"], "members { totalCount }")["members"]["totalCount"] == 3


def test_a_singleton_exists_before_its_first_write(graphs: GraphApi) -> None:
    found = graphs.ask(
        "{ House___get { _id name place { _id } doors { totalCount } guests { items { _id } } } }"
    )

    nothing: dict[str, Any] = {
        "name": None,
        "place": None,
        "doors": {"totalCount": 0},
        "guests": {"items": []},
    }
    assert found == {"_id": "1", **nothing}


def test_a_part_of_several_wholes_leads_back_to_its_own_whole(graphs: GraphApi) -> None:
    home = {"street": "s", "rooms": [{"name": "r", "windows": [{}]}]}
    id_ = graphs.person(home=home, addresses=[{"street": "t"}])
    place = graphs.update(
        "House", "place { house { name } dweller { _id } }", name="H", place={"create": home}
    )

    found = graphs.get(
        "Person",
        id_,
        """home { dweller { _id } visitor { _id } house { _id }
             rooms { items { address_ { street } windows { totalCount } } } }""",
    )

    api = {"address_": {"street": "s"}, "windows": {"totalCount": 1}}
    assert found["home"] == {
        "dweller": {"_id": id_},
        "visitor": None,
        "house": None,
        "rooms": {"items": [api]},
    }
    assert place == {"place": {"house": {"name": "H"}, "dweller": None}}


def test_an_exposed_part_is_read_by_itself(graphs: GraphApi) -> None:
    id_ = graphs.person(contract={"starts_on": "2020-01-31", "reference": "c"})
    contract = graphs.get("Person", id_, "contract { _id }")["contract"]["_id"]

    assert graphs.get("Contract", contract, "reference person_ { _id }") == {
        "reference": "c",
        "person_": {"_id": id_},
    }
    assert graphs.ask("{ Contract___getPage { totalCount items { reference } } }") == {
        "totalCount": 1,
        "items": [{"reference": "c"}],
    }


def test_a_part_of_a_deleted_whole_is_never_shown() -> None:
    """Its item may still exist, because the parts of a large whole are deleted later."""
    objects = EverythingObjects()
    objects.put("Person", "p", last_name="Li")
    objects.put("Contract", "c", starts_on="2020-01-31", person_="gone")
    objects.put("Contract", "d", starts_on="2020-01-31", person_="p")
    objects.put("Address", "a", street="s", visitor="gone")
    objects.put("Room", "r", name="r", address_="a")
    objects.put("Address", "b", street="s", visitor="p", rooms=["s"])
    objects.put("Room", "s", name="s", address_="b", windows=["w"])
    objects.put("Window", "w", room_="s", faces="r")
    objects.put("Person", "p", last_name="Li", addresses=["b"], contract=["d"])
    api = GraphApi(objects)

    assert api.get("Contract", "c", "_id") is None
    assert api.get("Contract", "d", "_id") == {"_id": "d"}
    assert api.ask("{ Contract___getPage { items { _id } } }") == {"items": [{"_id": "d"}]}
    windows = api.get(
        "Person", "p", "addresses { items { rooms { items { windows { items { faces { _id } } } } } } }"
    )
    assert '"faces": {' not in str(windows)
    assert "None" in str(windows)


def test_an_object_is_found_by_unique_values(graphs: GraphApi) -> None:
    id_ = graphs.person(email="a@example.com", born="2000-01-31")
    by_email = "query($email: String!) { Person___getByEmail(email: $email) { _id team { _id } } }"
    by_birth = '{ Person___getByLast_name_Born(last_name: "Li", born: "31/01/2000") { _id } }'

    assert graphs.ask(by_email, email="a@example.com")["_id"] == id_
    assert graphs.ask(by_birth) == {"_id": id_}
    graphs.update("Person", "_id", _id=id_, email="b@example.com", born=None)
    assert graphs.ask(by_email, email="a@example.com") is None
    assert graphs.ask(by_email, email="b@example.com")["_id"] == id_
    assert graphs.ask(by_birth) is None


def test_an_object_is_found_by_the_target_of_a_role(graphs: GraphApi) -> None:
    mentor, other = graphs.person(), graphs.person()
    id_ = graphs.person(since=1999, mentor=mentor)
    query = "query($mentor: ID!) { Person___getByMentor_Since(mentor: $mentor, since: 1999) { _id } }"

    assert graphs.ask(query, mentor=mentor) == {"_id": id_}
    for none in (other, "none", ""):
        assert graphs.ask(query, mentor=none) is None
    graphs.update("Person", "_id", _id=id_, mentor={"set": other})
    assert graphs.ask(query, mentor=mentor) is None
    assert graphs.ask(query, mentor=other) == {"_id": id_}
    graphs.ask("mutation($id: ID!) { Person___delete(_id: $id) { deleted } }", id=other)
    assert graphs.ask(query, mentor=other) is None


def test_invalid_unique_values_are_issues_of_their_arguments(graphs: GraphApi) -> None:
    query = '{ one: Person___getByLast_name_Born(last_name: "Li", born: "soon") { _id } }'

    assert graphs.issues(query) == [("DATA_TYPE", "one.born")]


def test_all_objects_of_a_class_may_be_associated(graphs: GraphApi, staff: dict[str, str]) -> None:
    graphs.create("Team", name="free")

    found = graphs.get(
        "Person",
        staff["a"],
        """team___associables(options: {orderBy: [name___DESC], next: 1}) {
             totalCount items { name } hasNext }""",
    )

    page = {"totalCount": 2, "items": [{"name": graphs.get("Team", staff["team"], "name")["name"]}]}
    assert found["team___associables"] == {**page, "hasNext": True}


def test_associables_of_a_one_to_one_are_free_objects_and_the_present_partner(graphs: GraphApi) -> None:
    one, two = graphs.person(), graphs.person()
    desks = [graphs.create("Desk", number=number, owner=owner) for number, owner in enumerate([one, two])]
    three = graphs.person()
    selection = "desk { number } desk___associables { totalCount items { number } }"

    assert graphs.get("Person", one, selection)["desk___associables"] == {
        "totalCount": 1,
        "items": [{"number": 0}],
    }
    assert graphs.get("Person", three, selection)["desk___associables"]["items"] == []
    owners = graphs.get("Desk", desks[1], "owner___associables { items { _id } }")["owner___associables"]
    assert owners["items"] == [{"_id": two}, {"_id": three}]


@each_row(
    ("field", "place"),
    [
        ("phones(options: {next: -1}) { totalCount }", "one.phones.options.next"),
        ("x: team { y: members(options: {offset: -1}) { totalCount } }", "one.x.y.options.offset"),
        (
            'team___associables(options: {cursor: "x"}) { totalCount }',
            "one.team___associables.options.cursor",
        ),
        (
            'team { members(options: {filter: {born___lt: "x"}}) { totalCount } }',
            "one.team.members.options.filter.born___lt",
        ),
    ],
)
def test_contradicting_options_are_refused_before_any_read(field: str, place: str) -> None:
    objects = EverythingObjects()

    ((_, found),) = GraphApi(objects).issues(f'{{ one: Person___get(_id: "p") {{ {field} }} }}')

    assert found == place
    assert objects.allowances == []


class Watched(EverythingObjects):
    """Objects that count the reads, and how many objects each reads."""

    def __init__(self, persons: int) -> None:
        super().__init__()
        self.trips: list[str] = []
        for number in range(persons):
            id_, team, project = f"p{number:04}", f"t{number % 3}", f"j{number % 7}"
            self.put("Person", id_, team=team, addresses=[f"{id_}.1", f"{id_}.2"], phones=[f"{id_}.3"])
            for part in (1, 2):
                self.put("Address", f"{id_}.{part}", street="s", visitor=id_)
            self.put("Phone", f"{id_}.3", person_=id_)
            self.put("Team", team, name=team)
            self.put("Project", project, title=project)
            self.link("Person", "projects", id_, project)

    def read(self, *arguments: Any) -> Any:
        self.trips.append("read")
        return super().read(*arguments)

    def linked(self, role: Any, *arguments: Any, **more: Any) -> Any:
        self.trips.append(str(role))
        return super().linked(role, *arguments, **more)

    def page(self, *arguments: Any) -> Any:
        self.trips.append("page")
        return super().page(*arguments)


@pytest.mark.parametrize("persons", [5, 50, 500])
@pytest.mark.parametrize(
    ("selection", "trips"),
    [
        ("_id", []),
        ("team { name }", ["read"]),
        ("team { name } addresses { items { street } } phones { totalCount }", ["read"]),
        ("team { lead { team { name } } }", ["read"]),
        ("addresses { items { visitor { last_name } rooms { items { name } } } }", ["read", "read"]),
        (
            """team { name } addresses { items { street } }
               projects { items { title members { items { _id } } } }""",
            ["Person.projects", "read", "Project.members", "read"],
        ),
        (
            "projects { totalCount hasNext } team { members { items { _id } } }",
            ["Person.projects", "read", "Team.members", "read"],
        ),
    ],
)
def test_round_trips_depend_only_on_the_depth(persons: int, selection: str, trips: list[str]) -> None:
    """One batch for what keys and parts lead to, and the links before it; what was read is not read again."""
    objects = Watched(persons)

    found = GraphApi(objects).ask(
        f"{{ Person___getPage(options: {{next: {persons}}}) {{ items {{ {selection} }} }} }}"
    )

    assert len(found["items"]) == persons
    assert objects.trips == ["page", *trips]


class Lagging(EverythingObjects):
    """Objects whose pages show former states."""

    def page(self, *arguments: Any) -> Any:
        found = super().page(*arguments)
        return replace(found, items=tuple(map(_older, found.items)))


def _older(entity: Entity) -> Entity:
    return replace(entity, state={**entity.state, "last_name": "old", "team": "t"})


@each_row("arguments", ["", "(disableCache: true)"])
def test_roles_are_current_even_if_their_page_lags(arguments: str) -> None:
    """A role to an object is read separately, even if a page has shown the object."""
    objects = Lagging()
    objects.put("Team", "t")
    objects.put("Team", "u")
    for id_ in "ab":
        objects.put("Person", id_, last_name="new", mentor="a", team="u")

    found = GraphApi(objects).ask(
        f"""{{ Person___getPage{arguments} {{ items {{ last_name
          mentor {{ last_name team {{ _id members {{ totalCount }} }} }} }} }} }}"""
    )

    mentor = {"last_name": "new", "team": {"_id": "u", "members": {"totalCount": 2}}}
    assert found["items"] == [{"last_name": "new" if arguments else "old", "mentor": mentor}] * 2


def test_unselected_fields_of_a_page_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page by id reads as many objects as it shows, and one more to say whether there is another."""
    objects = Watched(40)
    asked: list[int] = []
    read = objects.read

    def counted(references: Any, *value: Any) -> Any:
        asked.append(len(references))
        return read(references, *value)

    monkeypatch.setattr(objects, "read", counted)
    for shown in ("items { _id }", "items { _id } hasNext", "items { _id } totalCount", "__typename"):
        GraphApi(objects).get("Team", "t0", f"members(options: {{next: 3}}) {{ {shown} }}")

    assert asked == [1, 3, 1, 4, 1, 14, 1]


def test_a_written_object_that_cannot_be_returned_is_reported_as_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    objects = EverythingObjects()
    api = GraphApi(objects)
    team = api.create("Team", name="old")

    troubles = [ReadBudgetExceeded("Person"), Unavailable(verbatim("busy"))]

    def linked(*_: Any, **__: Any) -> Any:
        raise troubles.pop()

    monkeypatch.setattr(objects, "linked", linked)
    query = (
        f'mutation {{ Team___update(data: {{_id: "{team}", name: "new"}}) {{ members {{ totalCount }} }} }}'
    )
    while troubles:
        (error,) = api.body(query)["errors"]
        assert "was saved, but" in error["message"]
        assert (error["extensions"]["entityName"], error["extensions"]["entityID"]) == ("Team", team)
    assert api.get("Team", team, "name") == {"name": "new"}


def test_reads_of_roles_count_towards_the_read_budget() -> None:
    objects = Watched(3)
    api = GraphApi(objects)
    api.ask(
        "{ Person___getPage { items { team { members { items { desk___associables { totalCount } } } } } } }"
    )

    first, *others = objects.allowances
    assert len(others) >= 3
    assert all(budget is first for budget in others)
