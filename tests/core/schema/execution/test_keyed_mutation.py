"""Mutations with an idempotency key: the first answer is kept, and a repetition writes nothing."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from threading import Barrier, Thread
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.idempotency import KEY_LIFETIME, MAX_ANSWER_BYTES, IdempotencyKeyReused
from stratabase.core.domain.write.limits import BulkLimits
from stratabase.core.model.reading import read_model
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine
from tests.contract.engine.engines import STORING, engine_fixture
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.graph_api import OrderedIds
from tests.core.schema.keyed_api import CREATE, KeyedApi
from tests.core.store.engine_items import object_items
from tests.core.store.failing import GET, RANGE, FailingEngine, Fault
from tests.fakes import ADMINISTRATOR, NOON
from tests.soak import FULL, count, mostly

LIFETIME = KEY_LIFETIME / 1000
ORDERS = read_model(
    """extend schema @application(name: "Orders")
    type Order @class(versioned: true) { name: String notes: [Note!] @composition }
    type Note @class(versioned: true) { text: String }""",
    "orders.graphql",
)
RACES = count(12, 500)

PERSON = """_id last_name number label team { name members { items { last_name } } } mentor { last_name }
  skills { items { name } } contract { starts_on } phones { items { digits } }
  _versionStart _createdby own past headcount: team_size"""
NEEDS = 'team: "TEAM", skills: ["SKILL"], contract: {starts_on: "2020-01-31"}, phones: [{digits: "1"}]'
MUTATIONS = {
    "create": 'Person___create(data: {last_name: "Wu", _clientId: "c", NEEDS}) { _clientId SHOWN }',
    "create without effect on others": 'Skill___create(data: {name: "dance"}) { _id name }',
    "update": 'Person___update(data: {_id: "PERSON", last_name: "Wu"}) { SHOWN }',
    "update that changes nothing": 'Person___update(data: {_id: "PERSON", last_name: "Li"}) { SHOWN }',
    "update of parts": """Person___update(data: {_id: "PERSON", phones: {create: [{digits: "2"}]}}) {
        phones { items { digits } } }""",
    "save": 'Person___save(data: {_id: "PERSON", last_name: "Wu"}) { SHOWN }',
    "delete": 'Skill___delete(_id: "SPARE") { deleted }',
    "delete of nothing": 'Skill___delete(_id: "nothing") { deleted }',
    "delete of a required object": 'Team___delete(_id: "TEAM") { deleted }',
    "unique value taken": 'Team___create(data: {name: "A"}) { _id }',
    "value not allowed": 'Person___update(data: {_id: "PERSON", born: "tomorrow"}) { _id }',
    "object not found": 'Person___update(data: {_id: "nobody", last_name: "Wu"}) { _id }',
    "format with a warning": 'Person___update(data: {_id: "PERSON", born: "1999-12-31"}) '
    '{ born(format: "dd YYYY") }',
    "restore": 'Person___restoreVersion(_id: "PERSON", atVersion: "01-01-2020 12:00:00.000") { SHOWN }',
    "lock": 'lock(locks: [{entityName: Person, _id: "PERSON"}], minutes: 5) { locked minutes }',
    "unlock": 'unlock(locks: [{entityName: Person, _id: "PERSON"}]) { locked minutes }',
    "bulk update": 'Person___updateBulk(data: {salary: 5}, options: {filter: {last_name___eq: "Li"}}) '
    "{ totalCount items { SHOWN } }",
    "bulk delete": 'Skill___deleteBulk(options: {filter: {name___eq: "spare"}}) { deleted }',
    "several fields": """
        a: Team___create(data: {name: "B"}) { _id name }
        b: Team___create(data: {name: "B"}) { _id name }
        kind: __typename
        ...More""",
}
MORE = 'fragment More on Mutation { c: Team___delete(_id: "nothing") { deleted } }'


class Filled(KeyedApi):
    """With a person, and what mutations refer to."""

    def __init__(self) -> None:
        super().__init__(ReferenceEngine(), OrderedIds())
        self._names = {"NEEDS": NEEDS, "SHOWN": PERSON}
        for name, class_name, text in (
            ("TEAM", "Team", "A"),
            ("SKILL", "Skill", "sing"),
            ("SPARE", "Skill", "spare"),
        ):
            self._names[name] = self.create(class_name, name=text)
        self._names["PERSON"] = self.ask(
            self._mutation('Person___create(data: {last_name: "Li", NEEDS}) { _id }')
        )["_id"]
        self.at(60)

    def query(self, name: str) -> str:
        """Return one of the mutations for the objects of this store."""
        return self._mutation(MUTATIONS[name]) + (MORE if "...More" in MUTATIONS[name] else "")

    def _mutation(self, text: str) -> str:
        for name, meant in self._names.items():
            text = text.replace(name, meant)
        return f"mutation {{ {text} }}"


@pytest.mark.parametrize("name", MUTATIONS)
def test_the_first_answer_is_that_without_a_key_and_is_repeated(name: str) -> None:
    plain, keyed = Filled(), Filled()
    query = keyed.query(name)

    first = keyed.send(query)
    after = keyed.items()
    keyed.at(120)
    again = keyed.send(query)

    assert json.loads(first.body) == plain.body(plain.query(name))
    assert object_items(keyed.objects()) == object_items(plain.objects())
    assert again.body == first.body
    assert keyed.items() == after
    assert (first.replayed, again.replayed) == (False, True)


@pytest.mark.parametrize(
    "query", ["mutation { __typename }", 'mutation { Skill___delete(_id: "x") @skip(if: true) { deleted } }']
)
def test_a_mutation_that_does_nothing_is_not_repeated(api: KeyedApi, query: str) -> None:
    for _ in range(2):
        answer = api.send(query)
        assert b"errors" not in answer.body
        assert not answer.replayed


def test_a_refusal_is_kept_even_if_it_would_not_be_repeated(api: KeyedApi) -> None:
    team = api.create("Team", name="A")
    first = api.send(CREATE, name="A")
    api.ask("mutation($id: ID!) { Team___delete(_id: $id) { deleted } }", id=team)

    assert b"ENTITY_UNIQUE" in first.body
    assert api.send(CREATE, name="A").body == first.body
    assert b"ENTITY_UNIQUE" not in api.send(CREATE, "new", name="A").body


def test_another_request_with_the_key_is_refused_and_writes_nothing(api: KeyedApi) -> None:
    api.send(CREATE, name="A")
    before = api.items()

    with pytest.raises(IdempotencyKeyReused):
        api.send(CREATE, name="B")

    assert api.items() == before


def test_members_have_keys_of_their_own(api: KeyedApi) -> None:
    api.send(CREATE, name="A")
    api.caller = replace(ADMINISTRATOR, id="m2")

    assert b"ENTITY_UNIQUE" in api.send(CREATE, name="A").body


STAFF = """extend schema @application(name: "Staff") @profile(name: "Administrator", administrator: true)
    @profile(name: "Manager", access: FULL) @profile(name: "Clerk", access: FULL)
    type Person { salary: Int @grant(profile: "Clerk", allow: []) name: String %s }"""
CREATE_PERSON = "mutation { Person___create(data: {salary: 5}) { _id salary } }"


def test_an_answer_is_not_repeated_after_the_rights_have_changed() -> None:
    engine = ReferenceEngine()

    def send(profile: str, grant: str = "") -> dict[str, Any]:
        api = KeyedApi(engine, model=read_model(STAFF % grant, "staff.graphql"))
        api.caller = Caller("m1", "ada", profile)
        return dict(json.loads(api.send(CREATE_PERSON).body))

    first = send("Manager")
    stored = KeyedApi(engine).items()

    assert first["data"]["Person___create"]["salary"] == 5
    assert send("Manager") == send("Administrator") == first
    assert send("Manager", '@grant(profile: "Clerk", allow: [EDIT])') == first
    for changed in (send("Clerk"), send("Manager", '@grant(profile: "Manager", allow: [EDIT])')):
        (error,) = changed["errors"]
        assert changed["data"] == {"Person___create": None}
        assert error["path"] == ["Person___create"]
        assert error["extensions"]["issueType"] == "ENTITY_ACCESS_FORBIDDEN"
        assert "your permissions changed" in error["message"]
    assert KeyedApi(engine).items() == stored


def test_a_key_is_kept_for_24_hours(api: KeyedApi) -> None:
    first = api.send(CREATE, name="A")

    api.at(LIFETIME - 1)
    assert api.send(CREATE, name="A").body == first.body

    api.at(LIFETIME + 1)  # although the record is still there
    assert b"ENTITY_UNIQUE" in api.send(CREATE, name="A").body
    with pytest.raises(IdempotencyKeyReused):
        api.send(CREATE, name="B")

    api.at(2 * LIFETIME + 2)
    assert b'"name":"B"' in api.send(CREATE, name="B").body


def test_a_sweep_removes_expired_records() -> None:
    api = KeyedApi(ReferenceEngine())
    for number in range(120):
        api.send(CREATE, f"key{number}", name=str(number))
    api.at(60)
    last = api.send(CREATE, "last", name="last")

    api.at(LIFETIME + 30)
    api.entities.sweep()  # type: ignore[attr-defined]  # a Repository

    assert api.records() == 1
    assert api.send(CREATE, "last", name="last").body == last.body


def test_queries_ignore_a_key() -> None:
    api = KeyedApi(ReferenceEngine())

    api.send("{ Team___getPage { totalCount } }")

    assert api.records() == 0


def test_requests_with_wrong_variables_are_not_kept(api: KeyedApi) -> None:
    assert not api.send(CREATE, of="same").began
    assert b'"name":"A"' in api.send(CREATE, of="same", name="A").body


def test_an_answer_that_is_too_large_is_refused_before_the_write() -> None:
    api = Filled()
    query = api.query("update").replace(PERSON, " ".join(f"a{number}: about" for number in range(40)))
    query = query.replace('last_name: "Wu"', f'last_name: "Wu", about: "{"x" * (MAX_ANSWER_BYTES // 40)}"')
    before = object_items(api.objects())

    (error,) = json.loads(api.send(query).body)["errors"]

    assert error["extensions"]["issueType"] == "MALFORMED_REQUEST"
    assert "nothing was written. The maximum is 350,000 bytes" in error["message"]
    assert object_items(api.objects()) == before


engine = engine_fixture(mostly(STORING, "dynamodb-ministack"))


@pytest.fixture
def api(engine: Engine) -> KeyedApi:
    return KeyedApi(engine)


TWO = """mutation($name: String!) {
  a: Team___create(data: {name: $name}) { _id name }
  b: Person___create(data: {last_name: $name, team: "TEAM", skills: ["SKILL"],
    contract: {starts_on: "2020-01-31"}, phones: [{digits: "1"}]}) { _id number }
  c: Team___create(data: {name: $name}) { _id }
}"""
"""Two fields that write, and one that is refused."""


@pytest.mark.soak
def test_a_fault_at_any_call_of_the_store_leaves_one_write_for_all_repetitions(
    engine: Engine, request: pytest.FixtureRequest
) -> None:
    """Before a call: the process ended there. After it: the answer of the store was lost."""
    calm = KeyedApi(engine)
    query = TWO.replace("TEAM", calm.create("Team", name="T")).replace(
        "SKILL", calm.create("Skill", name="S")
    )
    without_faults = FailingEngine(engine)
    KeyedApi(without_faults).send(query, "calm", name="calm")
    faults = [Fault(call, after) for call in range(len(without_faults.calls)) for after in (False, True)]
    assert len(faults) > 14
    if "reference" not in request.node.name and not FULL:
        faults = faults[::3]
    for number, fault in enumerate(faults):
        key = f"key{number}"
        with pytest.raises(Unavailable):
            KeyedApi(FailingEngine(engine, fault)).send(query, key, name=key)

        answers = [KeyedApi(engine).send(query, key, name=key).body for _ in range(2)]

        assert answers[0] == answers[1]
        data = json.loads(answers[0])["data"]
        assert data["a"]["name"] == key
        assert data["c"] is None
        for class_name, attribute, id_ in (("Team", "name", "a"), ("Person", "last_name", "b")):
            found = calm.ask(
                f"query($key: String!) {{ {class_name}___getPage(options: {{filter: "
                f"{{{attribute}___eq: $key}}}}) {{ items {{ _id }} }} }}",
                key=key,
            )
            assert [item["_id"] for item in found["items"]] == [data[id_]["_id"]]


@pytest.mark.soak
def test_of_concurrent_requests_with_one_key_one_writes(engine: Engine) -> None:
    """Skills have no unique values, so nothing but the key prevents the second write."""
    query = "mutation($name: String!) { Skill___create(data: {name: $name}) { _id name } }"
    apis = [KeyedApi(engine), KeyedApi(engine)]
    for number in range(RACES):
        answers: list[bytes] = []
        together = Barrier(2)

        def send(api: KeyedApi, name: str = f"race{number}") -> None:
            together.wait()  # noqa: B023 - the threads end in this round
            answers.append(api.send(query, name, name=name).body)  # noqa: B023

        threads = [Thread(target=send, args=(api,)) for api in apis]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(answers) == 2
        assert answers[0] == answers[1]
    found = apis[0].ask("{ Skill___getPage { totalCount } }")
    assert found["totalCount"] == RACES


BULK = {
    "update": """mutation($name: String!) {
      Person___updateBulk(data: {about: "done", phones: {create: [{digits: "2"}]}},
        options: {filter: {last_name___eq: $name}}) { totalCount items { _id about } } }""",
    "update of what the filter tests": """mutation($name: String!) {
      Person___updateBulk(data: {last_name: "done", phones: {create: [{digits: "2"}]}},
        options: {filter: {last_name___eq: $name}}) { totalCount items { _id last_name } } }""",
    "delete": """mutation($name: String!) {
      Person___deleteBulk(options: {filter: {last_name___eq: $name}}) { deleted } }""",
}


class Crowd(KeyedApi):
    """With three persons of each last name."""

    def people(self, name: str, needs: dict[str, Any]) -> None:
        for number in range(3):
            self.create("Person", last_name=name, born=f"2000-01-0{number + 1}", **needs)

    def needs(self) -> dict[str, Any]:
        return {key: value for key, value in super().needs().items() if key != "last_name"}

    def updated(self) -> list[int]:
        """Return the number of phones of each person that a bulk service has updated, and delete them."""
        done = '{filter: {OR: [{about___eq: "done"}, {last_name___eq: "done"}]}}'
        found = self.ask(
            f"{{ Person___getPage(options: {done}) {{ items {{ phones {{ items {{ digits }} }} }} }} }}"
        )
        self.ask(f"mutation {{ Person___deleteBulk(options: {done}) {{ deleted }} }}")
        return [len(item["phones"]["items"]) for item in found["items"]]


@pytest.mark.soak
@pytest.mark.parametrize("name", mostly(BULK, "update of what the filter tests"))
def test_a_repeated_bulk_service_completes_each_object_once(name: str) -> None:
    engine = ReferenceEngine()
    calm = Crowd(engine)
    needs = calm.needs()
    calm.people("calm", needs)
    without_faults = FailingEngine(engine)
    first = Crowd(without_faults).send(BULK[name], "calm", name="calm")
    assert b"errors" not in first.body, first.body
    calm.updated()
    for call in range(0, len(without_faults.calls), count(5, 1)):
        for after in (False, True):
            key = f"key{call}{after}"
            calm.people(key, needs)
            with pytest.raises(Unavailable):
                Crowd(FailingEngine(engine, Fault(call, after))).send(BULK[name], key, name=key)

            answers = [Crowd(engine).send(BULK[name], key, name=key).body for _ in range(2)]

            assert answers[0] == answers[1]
            (result,) = json.loads(answers[0])["data"].values()
            assert result.get("totalCount", result.get("deleted")) == 3
            if name != "delete":
                assert len({item["_id"] for item in result["items"]}) == 3
                assert calm.updated() == [2, 2, 2]


@pytest.mark.parametrize("service", ["lock", "unlock"])
def test_locks_are_recorded_in_their_commit(service: str, api: KeyedApi) -> None:
    """So a repetition after a lost answer leaves what others have done since."""
    other = "unlock" if service == "lock" else "lock"
    team = api.create("Team", name="A")
    text = 'mutation {{ {0}(locks: [{{entityName: Team, _id: "{1}"}}]) {{ locked }} }}'
    probe = FailingEngine(api.engine)
    KeyedApi(probe).send(text.format(service, team), "probe")
    (commit,) = (number for number, call in enumerate(probe.calls) if call not in {GET, RANGE})

    with pytest.raises(Unavailable):
        KeyedApi(FailingEngine(api.engine, Fault(commit, after=True))).send(text.format(service, team))
    api.ask(text.format(other, team))
    answer = api.send(text.format(service, team))

    assert answer.replayed
    assert json.loads(answer.body)["data"] == {service: {"locked": service == "lock"}}
    assert (api.get("Team", team, "_lock { lockedBy }")["_lock"] is None) == (service == "lock")


def test_a_bulk_answer_that_is_too_large_is_not_repeated_but_the_write_is_not_done_again() -> None:
    api = Filled()
    shown = " ".join(f"a{number}: about" for number in range(40))
    query = api.query("bulk update").replace(PERSON, shown)
    query = query.replace("salary: 5", f'about: "{"x" * (MAX_ANSWER_BYTES // 40)}"')

    first, before = api.send(query), api.items()
    again = json.loads(api.send(query).body)

    assert len(first.body) > MAX_ANSWER_BYTES
    assert "The request is done, but its answer was too large to be kept" in again["errors"][0]["message"]
    assert again["data"] == {"Person___updateBulk": None}
    assert api.items() == before


def test_a_bulk_service_that_reached_its_time_limit_continues() -> None:
    api = Crowd(ReferenceEngine())
    api.people("slow", api.needs())
    ticks = iter(range(10**6))
    limits = replace(api.services, bulk=BulkLimits(objects=100, seconds=1))
    hurried = KeyedApi(api.engine)
    hurried.executor = SchemaExecutor(
        replace(limits, clock=_Ticking(ticks), ids=hurried.services.ids), lambda error, _: None
    )

    stopped = json.loads(hurried.send(BULK["delete"], name="slow").body)
    done = json.loads(api.send(BULK["delete"], name="slow").body)

    assert "Send the request again to continue" in stopped["errors"][0]["message"]
    assert done == {"data": {"Person___deleteBulk": {"deleted": 3}}}


@pytest.mark.soak
def test_a_large_deletion_and_its_restoration_are_done_once() -> None:
    """The restoration takes several commits, of which only the last one is recorded."""
    engine = ReferenceEngine()
    api = KeyedApi(engine, model=ORDERS)
    order = api.create("Order", name="large")
    for _ in range(2):
        notes = {"create": [{"text": str(number)} for number in range(70)]}
        api.update("Order", "_id", _id=order, notes=notes)
    api.at(60)
    at = "01-01-2020 12:00:30.000"
    requests = {
        "delete": (f'mutation {{ Order___delete(_id: "{order}") {{ deleted }} }}', {"deleted": True}),
        "restore": (
            f"""mutation {{ Order___restoreVersion(_id: "{order}", atVersion: "{at}") {{
              name notes {{ totalCount }} }} }}""",
            {"name": "large", "notes": {"totalCount": 140}},
        ),
    }
    for number in range(0, count(40, 200), count(9, 1)):
        for name, (text, expected) in requests.items():
            key = f"{name}{number}"
            faulty = KeyedApi(FailingEngine(engine, Fault(number, after=True)), model=ORDERS)
            faulty.clock.instant = api.clock.instant
            with suppress(Unavailable):
                faulty.send(text, key)
            api.at(60 + 120 * (number + 1))  # the lease of the restoration has ended
            api.entities.sweep()  # type: ignore[attr-defined]  # a Repository

            answers = [api.send(text, key).body for _ in range(2)]

            assert answers[0] == answers[1]
            assert [*json.loads(answers[0])["data"].values()] == [expected], (key, answers[0])


class _Ticking:
    """A clock that advances by 300 ms at each look."""

    def __init__(self, ticks: Iterator[int]) -> None:
        self._ticks = ticks

    def now(self) -> int:
        return NOON + 300 * next(self._ticks)
