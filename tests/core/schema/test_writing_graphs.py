"""Graphs written, previewed and validated through generated inputs, over each kind of store."""

from typing import Any

from tests.core.schema.graph_api import GraphApi
from tests.everything_model import EverythingObjects


def test_a_graph_is_created_with_client_ids(graphs: GraphApi) -> None:
    """A name holds within its request, from one field to the next."""
    answer = graphs.ask(
        """mutation {
          team: Team___create(data: {_clientId: "T", name: "A"}) { _id _clientId }
          skill: Skill___create(data: {_clientId: "S", name: "sing"}) { _id }
          person: Person___create(data: {
            _clientId: "P", last_name: "Li", team: "T", skills: ["S", null]
            contract: {_clientId: "C", starts_on: "31/01/2020"}
            phones: [{digits: "1"}, null, {digits: "2", _clientId: "X"}]
            addresses: [{street: "s", keeper: "P", rooms: [{name: "r", windows: [{}]}]}]
          }) {
            _id _clientId team { _id _clientId members { items { _clientId } } } skills { items { name } }
            contract { _clientId starts_on } phones { items { digits _clientId person_ { _clientId } } }
            addresses { items { street keeper { _id } rooms { items { name windows { totalCount } } } } }
          }
        }"""
    )

    person = answer["person"]
    assert person == {
        "_id": person["_id"],
        "_clientId": "P",
        "team": {"_id": answer["team"]["_id"], "_clientId": "T", "members": {"items": [{"_clientId": "P"}]}},
        "skills": {"items": [{"name": "sing"}]},
        "contract": {"_clientId": "C", "starts_on": "31/01/2020"},
        "phones": {
            "items": [
                {"digits": "1", "_clientId": None, "person_": {"_clientId": "P"}},
                {"digits": "2", "_clientId": "X", "person_": {"_clientId": "P"}},
            ]
        },
        "addresses": {
            "items": [
                {
                    "street": "s",
                    "keeper": {"_id": person["_id"]},
                    "rooms": {"items": [{"name": "r", "windows": {"totalCount": 1}}]},
                }
            ]
        },
    }
    assert graphs.get("Person", person["_id"], "phones { items { digits } } team { name } _clientId") == {
        "phones": {"items": [{"digits": "1"}, {"digits": "2"}]},
        "team": {"name": "A"},
        "_clientId": None,
    }


def test_serial_numbers_are_assigned_by_the_service(graphs: GraphApi) -> None:
    """A number is a text in answers, and nothing that a client gives; a preview uses none up."""
    needs = graphs.needs()
    preview = "query($data: PersonDraftCreate!) { Person___previewCreate(data: $data) { number } }"
    first = graphs.create("Person", **needs)
    shown = graphs.ask(preview, data=needs)
    graphs.create("Person", **needs)

    assert graphs.get("Person", first, "number") == {"number": "1"}
    assert shown == {"number": None}
    options = "{filter: {number___gte: 2}, orderBy: [number___DESC]}"
    page = graphs.ask(f"{{ Person___getPage(options: {options}) {{ items {{ number }} }} }}")
    assert page == {"items": [{"number": "2"}]}


def test_a_to_one_association_is_set_cleared_and_kept(graphs: GraphApi) -> None:
    mentor, one = graphs.person(last_name="M"), graphs.person()
    selection = "mentor { last_name }"

    assert graphs.update("Person", selection, _id=one, mentor={"set": mentor})["mentor"] == {"last_name": "M"}
    assert graphs.update("Person", selection, _id=one, mentor={})["mentor"] == {"last_name": "M"}
    assert graphs.update("Person", selection, _id=one, mentor={"remove": False})["mentor"] is not None
    assert graphs.update("Person", selection, _id=one, mentor={"remove": True})["mentor"] is None
    graphs.update("Person", selection, _id=one, mentor={"set": mentor})
    assert graphs.update("Person", selection, _id=one, mentor=None)["mentor"] is None
    graphs.update("Person", selection, _id=one, mentor={"set": mentor})
    assert graphs.update("Person", selection, _id=one, mentor={"set": None})["mentor"] is None


def test_a_to_many_association_is_added_to_and_removed_from(graphs: GraphApi) -> None:
    skills = [graphs.create("Skill", name=name) for name in "abc"]
    one = graphs.person(skills=skills[:1])
    selection = "skills { items { name } }"

    def changed(change: Any) -> str:
        items = graphs.update("Person", selection, _id=one, skills=change)["skills"]["items"]
        return "".join(item["name"] for item in items)

    assert changed({"add": skills[1:]}) == "abc"
    assert changed({"remove": [skills[0], None]}) == "bc"
    assert changed({"removeAll": True, "add": [skills[0]]}) == "a"
    assert changed({}) == "a"
    cleared = "mutation($id: ID!) { Person___update(data: {_id: $id, skills: null}) { _id } }"
    assert graphs.issues(cleared, id=one) == [("ROLE_CARDINALITY", "Person___update.data.skills")]


def test_an_association_is_changed_from_its_other_side(graphs: GraphApi) -> None:
    one, two = graphs.person(last_name="1"), graphs.person(last_name="2")
    desk = graphs.create("Desk", number=1, owner=one)

    moved = graphs.update("Desk", "owner { last_name desk { number } }", _id=desk, owner={"set": two})
    mentored = graphs.update("Person", "pupils { items { last_name } }", _id=one, pupils={"add": [two]})

    assert moved == {"owner": {"last_name": "2", "desk": {"number": 1}}}
    assert graphs.get("Person", one, "desk { number }") == {"desk": None}
    assert mentored == {"pupils": {"items": [{"last_name": "2"}]}}
    assert graphs.get("Person", two, "mentor { last_name }") == {"mentor": {"last_name": "1"}}


def test_parts_are_created_updated_and_deleted_through_their_whole(graphs: GraphApi) -> None:
    one = graphs.person(phones=[{"digits": "1"}, {"digits": "2"}, {"digits": "3"}])
    phones = graphs.get("Person", one, "phones { items { _id } }")["phones"]["items"]
    change = {
        "create": [{"digits": "4"}],
        "update": [{"_id": phones[1]["_id"], "digits": "two"}],
        "delete": [phones[0]["_id"]],
    }

    changed = graphs.update("Person", "phones { items { digits } }", _id=one, phones=change)
    renewed = graphs.update(
        "Person",
        "phones { items { digits } }",
        _id=one,
        phones={"deleteAll": True, "create": [{"digits": "9"}]},
    )

    assert [item["digits"] for item in changed["phones"]["items"]] == ["two", "3", "4"]
    assert renewed == {"phones": {"items": [{"digits": "9"}]}}


def test_a_single_part_is_created_updated_and_deleted_through_its_whole(graphs: GraphApi) -> None:
    one = graphs.person()
    selection = "home { _id street rooms { items { name } } }"
    created = graphs.update(
        "Person", selection, _id=one, home={"create": {"street": "s", "rooms": [{"name": "r"}]}}
    )
    home = created["home"]["_id"]

    changed = graphs.update(
        "Person", selection, _id=one, home={"update": {"_id": home, "rooms": {"create": [{"name": "q"}]}}}
    )
    gone = graphs.update("Person", selection, _id=one, home={"delete": True})

    assert changed["home"] == {"_id": home, "street": "s", "rooms": {"items": [{"name": "r"}, {"name": "q"}]}}
    assert gone == {"home": None}


SAVE = "mutation($data: PersonDraft!) { Person___save(data: $data) { _id %s } }"


def test_a_graph_is_saved_by_ids(graphs: GraphApi) -> None:
    """An object with an id is updated, one without is created. A null deletes the only part."""
    selection = "home { _id street } contract { _id starts_on } phones { items { _id digits } }"
    draft = {**graphs.needs(), "home": {"street": "s"}}
    draft |= {"skills": {"add": draft["skills"]}, "phones": {"save": [{"digits": "1"}, {"digits": "2"}]}}
    created = graphs.ask(SAVE % selection, data=draft)
    first, second = created["phones"]["items"]
    again = {
        "_id": created["_id"],
        "home": {"_id": created["home"]["_id"], "street": "new"},
        "contract": {"_id": created["contract"]["_id"], "starts_on": "2021-01-01"},
        "phones": {
            "save": [{"_id": second["_id"], "digits": "two"}, {"digits": "3"}],
            "delete": [first["_id"]],
        },
    }

    saved = graphs.ask(SAVE % selection, data=again)

    assert saved["home"] == {"_id": created["home"]["_id"], "street": "new"}
    assert saved["contract"] == {"_id": created["contract"]["_id"], "starts_on": "01/01/2021"}
    assert [item["digits"] for item in saved["phones"]["items"]] == ["two", "3"]
    assert saved["phones"]["items"][0]["_id"] == second["_id"]
    assert graphs.ask(SAVE % "home { _id }", data={"_id": created["_id"], "home": None})["home"] is None


def test_a_save_creates_no_second_part_of_a_to_one_role(graphs: GraphApi) -> None:
    """A client that names no id does not know of the part, and may not end it with all that is below it."""
    draft = {**graphs.needs(), "home": {"street": "s"}, "phones": {"save": [{"digits": "1"}]}}
    draft |= {"skills": {"add": draft["skills"]}}
    id_ = graphs.ask(SAVE % "", data=draft)["_id"]
    again = {"_id": id_, "home": {"street": "new"}}

    refused = graphs.issues(SAVE % "", data=again)
    result = graphs.ask(
        "query($data: PersonDraft!) { Person___validate(data: $data) { isValid } }", data=again
    )
    kept = graphs.ask("query($id: ID!) { Person___get(_id: $id) { home { street } } }", id=id_)
    graphs.ask(SAVE % "", data={"_id": id_, "home": None})
    other = graphs.ask(SAVE % "home { street }", data=again)

    assert refused == [("ROLE_CARDINALITY", "Person___save.data.home")]
    assert result == {"isValid": False}
    assert kept == {"home": {"street": "s"}}
    assert other["home"] == {"street": "new"}


def test_a_singleton_is_updated_without_an_id(graphs: GraphApi) -> None:
    guest = graphs.person()
    selection = "_id name director { _id } guests { items { _id } } doors { items { width house_ { name } } }"
    change = {
        "name": "H",
        "director": {"set": guest},
        "guests": {"add": [guest]},
        "doors": {"create": [{"width": 2}]},
    }
    expected = {
        "_id": "1",
        "name": "H",
        "director": {"_id": guest},
        "guests": {"items": [{"_id": guest}]},
        "doors": {"items": [{"width": 2, "house_": {"name": "H"}}]},
    }
    preview = f"query($data: HouseDraftUpdate!) {{ House___previewUpdate(data: $data) {{ {selection} }} }}"

    assert graphs.ask(preview, data=change) == expected
    assert graphs.ask("{ House___get { name } }") == {"name": None}
    assert graphs.update("House", selection, **change) == expected
    assert graphs.ask(f"{{ House___get {{ {selection} }} }}") == expected
    checked = "{ House___validateUpdate(data: {name: null}) { isValid issues { attributeNames } } }"
    assert graphs.ask(checked) == {"isValid": False, "issues": [{"attributeNames": ["name"]}]}


def test_a_preview_shows_the_future_object_and_writes_nothing(graphs: GraphApi) -> None:
    """New objects have no id yet; those that are there show what would lead to them."""
    needs = graphs.needs()
    data = {**needs, "_clientId": "P", "phones": [{"_clientId": "X", "digits": "1"}]}
    query = """query($data: PersonDraftCreate!) { Person___previewCreate(data: $data) {
      _id _clientId _createdby team { _id members { totalCount items { _id _clientId } } }
      phones { items { _id _clientId person_ { _clientId } } } skills { items { name } }
      desk___associables { totalCount } team___associables { items { _id } } } }"""

    shown = graphs.ask(query, data=data)

    person = {"_id": None, "_clientId": "P"}
    assert shown == {
        **person,
        "_createdby": "ada",
        "team": {"_id": needs["team"], "members": {"totalCount": 1, "items": [person]}},
        "phones": {"items": [{"_id": None, "_clientId": "X", "person_": {"_clientId": "P"}}]},
        "skills": {"items": [{"name": "sing"}]},
        "desk___associables": {"totalCount": 0},
        "team___associables": {"items": [{"_id": needs["team"]}]},
    }
    assert graphs.ask("{ Person___getPage { totalCount } }") == {"totalCount": 0}
    assert graphs.get("Team", needs["team"], "members { totalCount }") == {"members": {"totalCount": 0}}


def test_a_preview_of_an_update_does_not_change_the_object(graphs: GraphApi) -> None:
    id_ = graphs.person()
    query = """query($data: PersonDraftUpdate!) { Person___previewUpdate(data: $data) {
      _id last_name phones { items { digits } } } }"""

    shown = graphs.ask(query, data={"_id": id_, "last_name": "Wu", "phones": {"create": [{"digits": "2"}]}})

    assert shown == {"_id": id_, "last_name": "Wu", "phones": {"items": [{"digits": "1"}, {"digits": "2"}]}}
    assert graphs.get("Person", id_, "last_name phones { totalCount }") == {
        "last_name": "Li",
        "phones": {"totalCount": 1},
    }


def test_a_form_can_only_be_previewed(graphs: GraphApi) -> None:
    needs = graphs.needs()
    by = graphs.create("Person", **needs)
    query = """query($data: ComplaintDraftCreate!) { Complaint___previewCreate(data: $data) {
      _id text by { last_name } about { items { _id } } about___associables { totalCount } } }"""

    shown = graphs.ask(query, data={"text": "!", "by": by, "about": [needs["team"]]})

    assert shown == {
        "_id": None,
        "text": "!",
        "by": {"last_name": "Li"},
        "about": {"items": [{"_id": needs["team"]}]},
        "about___associables": {"totalCount": 1},
    }
    assert graphs.issues('{ a: Complaint___preview(data: {text: "!", by: "none"}) { _id } }') == [
        ("ENTITY_NOT_FOUND", "a.data.by")
    ]
    assert graphs.issues('{ a: Complaint___preview(data: {_id: "1", text: "!"}) { _id } }') == [
        ("ENTITY_NOT_FOUND", "a.data._id")
    ]


def test_many_objects_are_updated_and_deleted_by_a_filter(graphs: GraphApi) -> None:
    needs = graphs.needs()
    for name in "abc":
        graphs.create("Person", **{**needs, "last_name": name})
    query = """mutation { Person___updateBulk(
      data: {height: 7, phones: {create: [{digits: "2"}]}}
      options: {filter: {last_name___ne: "b"}, orderBy: [last_name___DESC], next: 9}
    ) { totalCount items { last_name height phones { totalCount } team { _id } } } }"""

    changed = graphs.ask(query)

    same = {"height": 7, "phones": {"totalCount": 2}, "team": {"_id": needs["team"]}}
    assert changed == {"totalCount": 2, "items": [{"last_name": "c", **same}, {"last_name": "a", **same}]}
    ended = "mutation { Person___deleteBulk(options: {filter: {height___eq: 7}, next: 1}) { deleted } }"
    assert graphs.ask(ended) == {"deleted": 1}
    assert graphs.ask("{ Person___getPage { totalCount } }") == {"totalCount": 2}
    assert graphs.ask("""mutation { Person___deleteBulk(
      options: {filter: {_id___not___null: true}}) { deleted } }""") == {"deleted": 2}


def test_a_bulk_validation_reports_issues_beforehand(graphs: GraphApi) -> None:
    needs = graphs.needs()
    ids = [graphs.create("Person", **needs) for _ in range(2)]
    change = """{ Person___validateUpdateBulk(data: {contract: {delete: true}},
      options: {filter: {_id___not___null: true}}) {
      isValid issues { entityID issueType roleNames } } }"""
    end = """{ Team___validateDeleteBulk(
      options: {filter: {_id___not___null: true}}) { isValid issues { issueType entityName } } }"""
    one = f'{{ Team___validateDelete(_id: "{needs["team"]}") {{ isValid issues {{ issueType }} }} }}'

    result = graphs.ask(change)

    missing = {"issueType": "ROLE_CARDINALITY", "roleNames": ["contract"]}
    assert result == {"isValid": False, "issues": [{"entityID": id_, **missing} for id_ in ids]}
    assert graphs.ask(end)["isValid"] is False
    assert graphs.ask(one) == {"isValid": False, "issues": [{"issueType": "ROLE_CARDINALITY"}]}
    right = """{ Person___validateUpdateBulk(data: {height: 1},
      options: {filter: {_id___not___null: true}}) { isValid issues { issueType } } }"""
    assert graphs.ask(right) == {"isValid": True, "issues": []}
    assert graphs.ask("""{ Person___validateDeleteBulk(
      options: {filter: {_id___not___null: true}}) { isValid } }""") == {"isValid": True}


def test_a_write_with_an_invalid_selection_is_not_executed() -> None:
    objects = EverythingObjects()
    query = """mutation { a: Team___create(data: {name: "A"}) {
      members(options: {next: -1}) { totalCount } } }"""

    assert GraphApi(objects).issues(query) == [("MALFORMED_REQUEST", "a.members.options.next")]
    assert objects.commits == []


def test_deleting_a_whole_deletes_its_parts(graphs: GraphApi) -> None:
    id_ = graphs.person(addresses=[{"street": "s", "rooms": [{"name": "r"}]}])
    contract = graphs.get("Person", id_, "contract { _id }")["contract"]["_id"]

    assert graphs.ask(f'mutation {{ Person___delete(_id: "{id_}") {{ deleted }} }}') == {"deleted": True}

    assert graphs.get("Contract", contract, "_id") is None
    assert graphs.ask(f'mutation {{ Person___delete(_id: "{id_}") {{ deleted }} }}') == {"deleted": False}
