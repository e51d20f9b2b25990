"""The validation of a bulk service finds what the service then does, and writes nothing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import chain
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

import pytest

from stratabase.core.store.engine.port import Engine, Item
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from tests.contract.engine.engines import DISTANT
from tests.core.schema.evolving_api import EvolvingApi
from tests.soak import count, mostly, seed

ROUNDS = count(40, 3_000)
ROUNDS_OF_A_STORE = 50
"""Each round compares the whole store, and a store grows with each round."""
MODEL = """
type Mem @class(versioned: true)
  @unique(attributes: ["code"])
  @warning(name: "large", condition: "team_size > 3", message: "A large team.")
{
  name: String code: String size: Int @domain(max: "9")
  groups: [Group!] @association(opposite: "members")
  desk: Desk @association(opposite: "owner", holds: true)
  boss: Mem @association(opposite: "team")
  team: [Mem!] @association(opposite: "boss")
  notes: [Note!] @composition
  team_size: Int @derived(path: "team", aggregate: COUNT)
}
type Note @unique(attributes: ["text"]) { text: String! }
type Group { name: String members: [Mem!]! @association(opposite: "groups") }
type Desk { name: String owner: Mem @association(opposite: "desk") }
type Pass { name: String holder: Mem! @association }
"""
FILTERS: tuple[Mapping[str, Any], ...] = (
    {"_id___not___null": True},
    {"size___gt": 1},
    {"boss___null": False},
    {"boss": {"size___gt": 1}},
    {"team___some": {"name___ne": "m1"}},
    {"team_size___lt": 2},
    {"groups___none": {}},
    {"desk___null": True},
)


@pytest.fixture(params=mostly(DISTANT, "dynamodb-ministack"), ids=lambda kind: kind.name)
def new_api(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], EvolvingApi]]:
    """A function that closes the store before, and returns an empty one."""
    opened = ExitStack()

    def make() -> EvolvingApi:
        opened.close()
        engine = opened.enter_context(closing(request.param.open(Path(mkdtemp(dir=tmp_path)))))
        return EvolvingApi(engine, MODEL)

    with opened:
        yield make


class World:
    """A few objects of each class, and random requests for them."""

    def __init__(self, api: EvolvingApi, chance: Random) -> None:
        self._api = api
        self._chance = chance

    def fill(self) -> None:
        """Create objects until there are enough of each class. What is refused is left out."""
        chance = self._chance
        for number in range(6 - len(self.ids("Mem"))):
            boss = chance.choice([None, *self.ids("Mem")])
            self._try("Mem", name=f"m{number}", size=chance.randrange(4), boss=boss)
        mems = self.ids("Mem")
        for class_name, most in (("Desk", 2), ("Group", 2), ("Pass", 1)):
            for number in range(most - len(self.ids(class_name))):
                roles: Mapping[str, Mapping[str, Any]] = {
                    "Desk": {},
                    "Group": {"members": chance.sample(mems, 2)},
                    "Pass": {"holder": chance.choice(mems)},
                }
                self._try(class_name, name=f"{number}", **roles[class_name])

    def ids(self, class_name: str) -> Sequence[str]:
        """Return the ids of the objects of a class."""
        found = self._api.ask(f"{{ {class_name}___getPage(options: {{next: 100}}) {{ items {{ _id }} }} }}")
        return [each["_id"] for each in found["items"]]

    def options(self) -> dict[str, Any]:
        """Return options that select some members."""
        return {"filter": self._chance.choice(FILTERS), "orderBy": self._chance.choice([[], ["size___DESC"]])}

    def data(self) -> Mapping[str, Any]:
        """Return an update of members."""
        chance = self._chance
        one = {name: chance.choice([*self.ids(name), "none"]) for name in ("Mem", "Desk", "Group")}
        kinds: tuple[Mapping[str, Any], ...] = (
            {"code": chance.choice(["same", "other", None])},
            {"size": chance.choice([0, 5, 99])},
            {"desk": chance.choice([{"set": one["Desk"]}, {"remove": True}])},
            {"boss": chance.choice([{"set": one["Mem"]}, {"remove": True}])},
            {
                "groups": chance.choice(
                    [{"remove": [one["Group"]]}, {"removeAll": True}, {"add": [one["Group"]]}]
                )
            },
            {"team": {"add": [one["Mem"]]}},
            {"notes": chance.choice([{"create": [{"text": "note"}]}, {"deleteAll": True}])},
        )
        return dict(chain.from_iterable(each.items() for each in chance.sample(kinds, chance.randint(1, 2))))

    def _try(self, class_name: str, **data: Any) -> None:
        query = f"mutation($d: {class_name}Create!) {{ {class_name}___create(data: $d) {{ _id }} }}"
        self._api.body(query, d=data)


def items_of(engine: Engine) -> Sequence[Item]:
    """Return all items that are stored."""
    return sorted(chain.from_iterable(engine.scan()), key=lambda item: item.key)


UPDATE = "$o: MemPageOptions!, $d: Mem{}UpdateBulk!"
VALIDATE = "it: Mem___validate{}Bulk(options: $o{}) {{ isValid issues {{ userMessage entityID issueType }} }}"


def test_a_bulk_validation_finds_what_the_service_refuses(new_api: Callable[[], EvolvingApi]) -> None:
    chance = Random(seed())
    api = new_api()
    world = World(api, chance)
    partly = 0
    rounds = ROUNDS // 10 if isinstance(api.engine, DynamoDBEngine) else ROUNDS
    for number in range(1, rounds + 1):
        if number % ROUNDS_OF_A_STORE == 0:
            api = new_api()
            world = World(api, chance)
        world.fill()
        options, data = world.options(), world.data()
        given: dict[str, Any] = {"o": options, "d": data}
        if chance.random() < 0.3:
            given = {"o": options}
            validation = f"query($o: MemPageOptions!) {{ {VALIDATE.format('Delete', '')} }}"
            service = "mutation($o: MemPageOptions!) { it: Mem___deleteBulk(options: $o) { n: deleted } }"
        else:
            validation = f"query({UPDATE.format('Draft')}) {{ {VALIDATE.format('Update', ', data: $d')} }}"
            service = f"""mutation({UPDATE.format("")}) {{
              it: Mem___updateBulk(options: $o, data: $d) {{ n: totalCount items {{ _id }} }} }}"""
        before = items_of(api.engine)
        verdict = api.ask(validation, **given)
        assert items_of(api.engine) == before, given

        matches = api.ask(
            "query($o: MemPageOptions!) { Mem___getPage(options: $o) { totalCount } }", o=options
        )["totalCount"]
        response = api.body(service, **given)

        errors = [error["extensions"] for error in response.get("errors", ())]
        blocking = [
            (each["userMessage"], each["entityID"])
            for each in verdict["issues"]
            if each["issueType"] != "ATTRIBUTE_REQUIRED"
        ]
        refused = [(each["userMessage"], each["entityID"]) for each in errors[1:]]
        assert blocking == refused, given
        assert verdict["isValid"] == (not errors)
        done = response["data"]["it"]
        if errors:
            progress = errors[0]["userMessage"]
            assert progress.startswith(f"{done['n'] if done else 0} of {matches} Mem object")
        if errors and done:
            partly += 1
            assert done["n"] == len(done.get("items", "x" * done["n"])) > 0
    assert partly > rounds / 40
