"""`lock`, `unlock` and `_lock`: requests and responses."""

import json
from collections.abc import Callable
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.lock import Lock
from stratabase.values.formats.preferences import Formats
from tests.core.schema.graph_api import GraphApi
from tests.everything_model import EverythingObjects
from tests.fakes import ADMINISTRATOR, NOON
from tests.rows import each_row

ADA, BOB = Caller("a", "ada", "Member"), Caller("b", "bob", "Member")
SECOND = 1000
LOCKED = {"lockedBy": "ada", "lockedUntil": "01/01/2020 12:10", "mine": False}
INFO = "_lock { lockedBy lockedUntil mine }"


def response_to(api: GraphApi, caller: Caller, query: str, **variables: Any) -> Any:
    """Send a request as a caller, and return the whole response."""
    return json.loads(api.executor.execute(query, variables, None, caller, "trace").body)


def entities(*named: tuple[str, str]) -> list[dict[str, str]]:
    """Return inputs that identify objects."""
    return [{"entityName": class_name, "_id": id_} for class_name, id_ in named]


LOCK = """mutation($locks: [EntityID!], $minutes: Int) {
  lock(locks: $locks, minutes: $minutes) { locked minutes } }"""
UNLOCK = "mutation($locks: [EntityID!]) { unlock(locks: $locks) { locked minutes } }"


def issues(answer: Any) -> list[tuple[Any, ...]]:
    """Return the issues of a response: types, objects and paths."""
    found = [error["extensions"] for error in answer["errors"]]
    names = ("issueType", "entityName", "entityID", "sourceRequestReference")
    return [tuple(issue[name] for name in names) for issue in found]


def test_objects_are_locked_and_unlocked(graphs: GraphApi) -> None:
    team, house = ("Team", graphs.create("Team", name="red")), ("House", "1")
    answer = response_to(graphs, ADA, LOCK, locks=entities(team, house), minutes=3)
    assert answer == {"data": {"lock": {"locked": True, "minutes": 3}}}
    answer = response_to(graphs, BOB, LOCK, locks=entities(house, team))
    assert issues(answer) == [
        ("ENTITY_LOCK_EDIT", "House", "1", "lock.locks.0"),
        ("ENTITY_LOCK_EDIT", *team, "lock.locks.1"),
    ]
    assert answer["data"] == {"lock": None}
    assert answer["errors"][0]["message"] == 'House "1" is locked by ada until 01/01/2020 12:03.'
    assert issues(response_to(graphs, BOB, UNLOCK, locks=entities(team))) == [
        ("ENTITY_LOCK_EDIT", *team, "unlock.locks.0")
    ]
    for caller in (ADA, BOB):
        answer = response_to(graphs, caller, UNLOCK, locks=entities(team, house))
        assert answer == {"data": {"unlock": {"locked": False, "minutes": 0}}}


@each_row(
    "query",
    [
        'mutation { lock(locks: [{entityName: Skill, _id: "ID"}]) { locked minutes } }',
        'mutation { lock(locks: [{entityName: Skill, _id: "ID"}], minutes: null) { locked minutes } }',
        'mutation { lock(locks: {entityName: Skill, _id: "ID"}, minutes: 10) { locked minutes } }',
    ],
)
def test_a_lock_lasts_ten_minutes_by_default(graphs: GraphApi, query: str) -> None:
    skill = graphs.create("Skill", name="sing")
    for _ in range(3):  # so that it is compiled
        answer = response_to(graphs, ADA, query.replace("ID", skill))
        assert answer == {"data": {"lock": {"locked": True, "minutes": 10}}}
    assert graphs.ask(f'{{ Skill___get(_id: "{skill}") {{ {INFO} }} }}') == {"_lock": LOCKED}


@each_row(
    ("query", "found"),
    [
        ("mutation { lock { locked } }", "lock.locks"),
        ("mutation { lock(locks: []) { locked } }", "lock.locks"),
        ("mutation { lock(locks: null) { locked } }", "lock.locks"),
        ("mutation { unlock { locked } }", "unlock.locks"),
        ("mutation { unlock(locks: null) { locked } }", "unlock.locks"),
        ('mutation { lock(locks: [{entityName: House, _id: "1"}], minutes: 0) { locked } }', "lock.minutes"),
        (
            'mutation { lock(locks: [{entityName: House, _id: "1"}], minutes: 1441) { locked } }',
            "lock.minutes",
        ),
        ('mutation { x: lock(locks: [{entityName: House, _id: "1"}], minutes: -1) { locked } }', "x.minutes"),
    ],
)
def test_contradicting_arguments_are_refused(graphs: GraphApi, query: str, found: str) -> None:
    assert issues(response_to(graphs, ADA, query)) == [("MALFORMED_REQUEST", None, None, found)]


def test_objects_of_every_class_can_be_locked_and_missing_ones_are_reported(graphs: GraphApi) -> None:
    """Parts, what has no services, and forms, of which nothing is ever kept."""
    for name in graphs.services.model.classes:
        answer = response_to(graphs, ADA, LOCK, locks=entities((name, "none")))
        assert issues(answer) == [("ENTITY_NOT_FOUND", name, "none", "lock.locks.0._id")]
    answer = response_to(graphs, ADA, LOCK, locks=entities(("Vault", "1")))
    assert answer == {"data": {"lock": {"locked": True, "minutes": 10}}}
    (error,) = response_to(graphs, ADA, LOCK, locks=entities(("Nobody", "1")))["errors"]
    assert error["extensions"] == {"classification": "ValidationError"}


def test_a_part_is_locked_by_itself(graphs: GraphApi) -> None:
    person = graphs.person()
    (phone,) = graphs.get("Person", person, "phones { items { _id } }")["phones"]["items"]
    response_to(graphs, ADA, LOCK, locks=entities(("Phone", phone["_id"])))
    query = """mutation($id: ID!, $part: ID!) { Person___update(data: {_id: $id,
      phones: {update: [{_id: $part, digits: "2"}]}}) { _id } }"""
    answer = response_to(graphs, BOB, query, id=person, part=phone["_id"])
    assert issues(answer) == [
        ("ENTITY_LOCK_PERSIST", "Phone", phone["_id"], "Person___update.data.phones.update.0")
    ]
    assert "errors" not in response_to(graphs, ADA, query, id=person, part=phone["_id"])
    shown = graphs.get("Person", person, f"{INFO} phones {{ items {{ digits {INFO} }} }}")
    assert shown == {"_lock": None, "phones": {"items": [{"digits": "2", "_lock": LOCKED}]}}


def test_writes_by_others_are_refused_with_the_reason(graphs: GraphApi) -> None:
    team = graphs.create("Team", name="red")
    response_to(graphs, ADA, LOCK, locks=entities(("Team", team)))
    queries = [
        f'mutation {{ Team___update(data: {{_id: "{team}", name: "blue"}}) {{ name }} }}',
        f'mutation {{ Team___save(data: {{_id: "{team}", name: "blue"}}) {{ name }} }}',
        f'mutation {{ Team___delete(_id: "{team}") {{ deleted }} }}',
    ]
    for query in queries:
        answer = response_to(graphs, ADMINISTRATOR, query)
        assert [issue[:3] for issue in issues(answer)] == [("ENTITY_LOCK_PERSIST", "Team", team)]
        assert answer["errors"][0]["message"] == f'Team "{team}" is locked by ada until 01/01/2020 12:10.'
        assert answer["errors"][0]["extensions"]["issueReferenceType"] == "ENTITY"
    bulk = 'mutation { Team___deleteBulk(options: {filter: {name___eq: "red"}}) { deleted } }'
    assert [issue[0] for issue in issues(response_to(graphs, ADMINISTRATOR, bulk))] == [
        "SERVICE_HANDLER_ERROR",
        "ENTITY_LOCK_PERSIST",
    ]
    query = f'{{ Team___validateDelete(_id: "{team}") {{ isValid issues {{ issueType }} }} }}'
    assert response_to(graphs, BOB, query)["data"]["Team___validateDelete"] == {
        "isValid": False,
        "issues": [{"issueType": "ENTITY_LOCK_PERSIST"}],
    }
    assert response_to(graphs, ADA, queries[0])["data"] == {"Team___update": {"name": "blue"}}


def test_one_request_locks_writes_and_unlocks(graphs: GraphApi) -> None:
    team = graphs.create("Team", name="red")
    named = f'locks: [{{entityName: Team, _id: "{team}"}}]'
    answer = response_to(
        graphs,
        ADA,
        f"""mutation {{ lock({named}) {{ locked }}
          Team___update(data: {{_id: "{team}", name: "blue"}}) {{ name {INFO} }}
          unlock({named}) {{ locked }} }}""",
    )
    assert answer["data"] == {
        "lock": {"locked": True},
        "Team___update": {"name": "blue", "_lock": {**LOCKED, "mine": True}},
        "unlock": {"locked": False},
    }
    assert graphs.get("Team", team, INFO) == {"_lock": None}


def small() -> tuple[GraphApi, EverythingObjects]:
    """Return a person in a team, with a phone and a desk. ada has locked each of them except the desk."""
    objects = EverythingObjects()
    objects.put("Person", "p", last_name="Li", team="t", phones=["h"], desk="d")
    objects.put("Phone", "h", digits="1", person_="p")
    objects.put("Team", "t", name="red", lead="p")
    objects.put("Desk", "d", number=1)
    objects.put("Desk", "e", number=2)
    until = NOON + 600 * SECOND
    for class_name, id_ in (("Person", "p"), ("Phone", "h"), ("Team", "t"), ("Desk", "e"), ("House", "1")):
        objects.locks[Reference(class_name, id_)] = Lock("a", "ada", until)
    return GraphApi(objects), objects


SHOWN: dict[str, tuple[str, Any]] = {
    "get": (f'{{ found: Team___get(_id: "t") {{ {INFO} }} }}', {"_lock": LOCKED}),
    "getBy": (f'{{ found: Team___getByName(name: "red") {{ {INFO} }} }}', {"_lock": LOCKED}),
    "a singleton": (f"{{ found: House___get {{ {INFO} }} }}", {"_lock": LOCKED}),
    "an unlocked object": (f'{{ found: Desk___get(_id: "d") {{ {INFO} }} }}', {"_lock": None}),
    "a page": (
        f"{{ found: Desk___getPage {{ items {{ number {INFO} }} }} }}",
        {"items": [{"number": 1, "_lock": None}, {"number": 2, "_lock": LOCKED}]},
    ),
    "a page under two keys": (
        f"{{ found: Team___getPage {{ items {{ name }} x: items {{ {INFO} }} }} }}",
        {"items": [{"name": "red"}], "x": [{"_lock": LOCKED}]},
    ),
    "roles": (
        f"""{{ found: Person___get(_id: "p") {{ team {{ {INFO} lead {{ {INFO} }} }} desk {{ {INFO} }}
          phones {{ items {{ {INFO} person_ {{ {INFO} }} }} }} leads {{ {INFO} }} }} }}""",
        {
            "team": {"_lock": LOCKED, "lead": {"_lock": LOCKED}},
            "desk": {"_lock": None},
            "phones": {"items": [{"_lock": LOCKED, "person_": {"_lock": LOCKED}}]},
            "leads": {"_lock": LOCKED},
        },
    ),
    "associables": (
        f"""{{ found: Person___get(_id: "p") {{ team___associables {{ items {{ {INFO} }} }}
          desk___associables {{ items {{ number {INFO} }} }} }} }}""",
        {
            "team___associables": {"items": [{"_lock": LOCKED}]},
            "desk___associables": {"items": [{"number": 1, "_lock": None}, {"number": 2, "_lock": LOCKED}]},
        },
    ),
    "a preview of an update": (
        f'{{ found: Team___previewUpdate(data: {{_id: "t", name: "x"}}) {{ name {INFO} }} }}',
        {"name": "x", "_lock": {**LOCKED, "mine": True}},
    ),
    "a preview of a creation": (
        f'{{ found: Team___previewCreate(data: {{name: "x"}}) {{ name {INFO} }} }}',
        {"name": "x", "_lock": None},
    ),
    "a form": (
        f"""{{ found: Complaint___previewCreate(data: {{text: "x", by: "p"}}) {{
          {INFO} by {{ {INFO} }} }} }}""",
        {"_lock": None, "by": {"_lock": LOCKED}},
    ),
    "an updated object": (
        f'mutation {{ found: Team___update(data: {{_id: "t", name: "x"}}) {{ {INFO} lead {{ {INFO} }} }} }}',
        {"_lock": {**LOCKED, "mine": True}, "lead": {"_lock": {**LOCKED, "mine": True}}},
    ),
    "a created object": (
        f'mutation {{ found: Team___create(data: {{name: "x"}}) {{ {INFO} }} }}',
        {"_lock": None},
    ),
    "objects updated in bulk": (
        f"""mutation {{ found: Team___updateBulk(data: {{}},
          options: {{filter: {{_id___not___null: true}}}}) {{ items {{ {INFO} }} }} }}""",
        {"items": [{"_lock": {**LOCKED, "mine": True}}]},
    ),
    "updated parts": (
        f"""mutation {{ found: Person___update(data: {{_id: "p", phones: {{
          update: [{{_id: "h", digits: "2"}}], create: [{{digits: "3"}}]}}}})
          {{ phones {{ items {{ digits {INFO} }} }} }} }}""",
        {
            "phones": {
                "items": [
                    {"digits": "2", "_lock": {**LOCKED, "mine": True}},
                    {"digits": "3", "_lock": None},
                ]
            }
        },
    ),
}


@each_row(("query", "found"), SHOWN.values())
def test_the_lock_is_shown_on_every_object_type(query: str, found: Any) -> None:
    api, _ = small()
    mine = '"mine": true' in json.dumps(found) or "mutation" in query or "previewUpdate" in query
    answer = response_to(api, ADA if mine else BOB, query)
    assert answer == {"data": {"found": found}}


def test_the_lock_field_is_null_when_the_lock_has_ended() -> None:
    api, objects = small()
    clock: Any = api.services.clock
    clock.instant = NOON + 600 * SECOND - 1
    assert api.get("Team", "t", INFO) == {"_lock": LOCKED}
    clock.instant += 1
    assert api.get("Team", "t", INFO) == {"_lock": None}
    assert Reference("Team", "t") in objects.locks


def test_the_end_of_a_lock_is_formatted_by_the_member_or_the_request() -> None:
    api, _ = small()
    query = """query($f: String = "HH:mm:ss z") { Team___get(_id: "t") { _lock {
      lockedUntil plain: lockedUntil(format: "dd-MM-yyyy HH:mm:ss.SSS")
      iso: lockedUntil(format: "iso")
      other: lockedUntil(format: $f) } } }"""
    rosa = Caller("r", "rosa", "Member", formats=Formats("d MMMM yyyy", "HH:mm", "Europe/Rome", "it"))
    for _ in range(3):
        answer = response_to(api, rosa, query)
        assert answer["data"]["Team___get"]["_lock"] == {
            "lockedUntil": "1 gennaio 2020 13:10",
            "plain": "01-01-2020 13:10:00.000",
            "iso": "2020-01-01T13:10:00.000+01:00",
            "other": "13:10:00 CET",
        }


def test_an_invalid_format_is_refused() -> None:
    api, _ = small()
    for _ in range(3):
        answer = response_to(api, ADA, '{ Team___get(_id: "t") { _lock { lockedUntil(format: "jj") } } }')
        assert [issue[0] for issue in issues(answer)] == ["MALFORMED_REQUEST"]
        assert "LockInfo.lockedUntil(format)" in answer["errors"][0]["message"]


def counting(objects: EverythingObjects) -> list[int]:
    """Return a list to which each read adds its number of objects."""
    counted: list[int] = []
    read: Callable[..., Any] = objects.read

    def noted(references: Any, *value: Any) -> Any:
        counted.append(len(references))
        return read(references, *value)

    objects.read = noted  # type: ignore[method-assign, assignment]
    return counted


@each_row(
    ("query", "read"),
    [
        ("{ Skill___getPage { items { name } } }", []),
        ("{ Skill___getPage { items { name _lock { mine } } } }", [10]),
        ("{ Skill___getPage { items { name _lock { mine } } again: items { _lock { lockedBy } } } }", [10]),
        ("{ Skill___getPage(disableCache: true) { items { name _lock { mine } } } }", [10]),
        ("{ Skill___getPage { totalCount } }", []),
        ('{ Skill___get(_id: "s01") { _lock { mine } } }', [1]),
        ("{ Person___getPage { items { favourite { _lock { mine } } } } }", [1]),
        ("{ Person___getPage { items { _lock { mine } favourite { _lock { mine } } } } }", [1, 1]),
    ],
)
def test_selecting_locks_of_a_page_reads_its_objects_in_one_batch(query: str, read: list[int]) -> None:
    objects = EverythingObjects()
    for number in range(10):
        objects.put("Skill", f"s{number:02}", name="sing")
    objects.put("Person", "p", last_name="Li", favourite="s03")
    counted = counting(objects)
    answer = response_to(GraphApi(objects), ADA, query)
    assert "errors" not in answer
    assert counted == read


def test_an_object_deleted_after_the_page_was_read_has_no_lock() -> None:
    objects = EverythingObjects()
    objects.put("Skill", "s", name="sing")
    page = objects.page

    def passing(*value: Any) -> Any:
        found = page(*value)
        objects.objects.clear()
        return found

    objects.page = passing  # type: ignore[method-assign, assignment]
    answer = response_to(GraphApi(objects), ADA, "{ Skill___getPage { items { name _lock { mine } } } }")
    assert answer["data"]["Skill___getPage"]["items"] == [{"name": "sing", "_lock": None}]


def test_lock_services_take_no_diagnostics() -> None:
    api, _ = small()
    for argument in ("insight: LIGHT", "disableCache: true", "forceWarnings: {}"):
        (error,) = response_to(api, ADA, f"mutation {{ unlock({argument}) {{ locked }} }}")["errors"]
        assert error["extensions"] == {"classification": "ValidationError"}
