"""What a query reads is of the same order in stores that differ only in values hidden from the caller.

Answers never depend on what is hidden (test_random_plans.py, tests/core/schema/grants/test_random_grants.py).
Costs do to some degree: a plan reads all objects in the range of an index, and hidden ones lie there too.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.objects.change import Change, Modification
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.domain.query.read_budget import Consumption
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import ReadContext, evaluation_context
from stratabase.core.operations.read.reader import Reader
from stratabase.core.store.engine.wrappers import MeteredEngine, record_consumption
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.core.operations.read.test_random_plans import CALLER, ROLES, filled, queries, seen, text
from tests.fakes import unlimited_budget
from tests.soak import seed

GROUPS = 60
"""Of teams and mates: about 1,300 objects."""
CHUNK = 20
"""How many hidden objects are changed together."""
FACTOR, FEW_UNITS = 2, 16
"""How much more a query may read in one of the stores than in the other.

The few units are those of the two mates that the condition of a grant can name, and of their parts. They may
be hidden from the caller, and exist in only one of the stores.
"""

Objects = Mapping[Reference, Mapping[str, Any]]


class World:
    """Many random objects on SQLite, as a member sees them."""

    def __init__(self, model: Model, path: Path, chance: random.Random) -> None:
        self._engine = SqliteEngine(path)
        self.entities = filled(chance, MeteredEngine(self._engine), model, GROUPS)
        evaluation = evaluation_context(CALLER, 0)
        self.context = ReadContext(model, self.entities, unlimited_budget(), evaluation)
        self._admin = ReadContext(
            model, self.entities, unlimited_budget(), evaluation_context(replace(CALLER, profile="Admin"), 0)
        )
        self._changes = 0

    def visible(self) -> Objects:
        """Return the states of the objects that the member sees."""
        return _everything(self.context)

    def change_hidden(self, chance: random.Random) -> int:
        """Give other names and sizes to hidden objects, as far as that shows nowhere; return their number."""
        before, changed = self.visible(), 0
        hidden = [each for each in _everything(self._admin) if each not in before]
        for start in range(0, len(hidden), CHUNK):
            old = [each for each in self.entities.read(hidden[start : start + CHUNK]) if each is not None]
            new = [replace(each, state={**each.state, **_other_values(each, chance)}) for each in old]
            self._change(old, new)
            if self.visible() == before:
                changed += len(old)
            else:  # a condition follows roles through these objects
                now = [
                    each for each in self.entities.read([each.reference for each in old]) if each is not None
                ]
                self._change(now, old)
        assert self.visible() == before
        return changed

    def _change(self, old: Sequence[Entity], new: Sequence[Entity]) -> None:
        self._changes += 1
        effects = [
            Modification(one, replace(one, state=other.state)) for one, other in zip(old, new, strict=True)
        ]
        self.entities.commit(Change(f"c{self._changes}", self._changes, tuple(effects)))

    def ask(self, query: Query) -> tuple[Any, float]:
        """Return the content of a page, and the read units it took."""
        consumed: list[Consumption] = []
        with record_consumption(consumed.append):
            found = seen(self.context, query)
        return found, sum(each.read_units for each in consumed)

    def close(self) -> None:
        """Close the store."""
        self._engine.close()


def _other_values(entity: Entity, chance: random.Random) -> dict[str, Any]:
    return {
        "size": chance.randint(0, 3),
        "name": chance.choice([entity.reference.id, f"x{entity.reference.id}"]),
    }


def _everything(context: ReadContext) -> Objects:
    pages = [Reader(context).page(Query(name, Order(), window=Window(10_000))) for name in ROLES]
    return {each.reference: each.state for page in pages for each in page.items}


def two_worlds(folder: Path, number: int) -> Iterator[World]:
    """Yield two stores with the same objects."""
    for name in ("plain", "other"):
        chance = random.Random(number)
        yield World(read_model(text(chance), "plans"), folder / f"{name}.db", chance)


@dataclass
class Compared:
    """What the comparison of two stores has seen."""

    hidden: int
    """The number of hidden objects that differ."""
    queries: int = 0
    different: int = 0
    """The number of queries that read more in one of the stores."""


def compare_costs(folder: Path, number: int) -> Compared:
    """Ask two stores the same, and hold the answers and the read units against one another."""
    chance = random.Random(number)
    plain, other = two_worlds(folder, chance.randrange(2**32))
    compared = Compared(other.change_hidden(chance))
    with closing(plain), closing(other):
        for profile, query in (each for _ in range(4) for each in queries(chance, plain.context.model)):
            if profile == "Member":
                (one, units), (two, other_units) = plain.ask(query), other.ask(query)
                assert one == two, query
                assert max(units, other_units) <= FACTOR * min(units, other_units) + FEW_UNITS, query
                compared.queries += 1
                compared.different += units != other_units
    return compared


@pytest.mark.thorough
@pytest.mark.parametrize("turn", range(50))
def test_what_is_read_hardly_depends_on_what_is_hidden(tmp_path: Path, turn: int) -> None:
    """Random grants along roles, indexes, filters, objects, and stored names."""
    compare_costs(tmp_path, seed() + turn)


def test_much_is_hidden_and_read(tmp_path: Path) -> None:
    """One turn of the test above. Without this, it would compare a store with itself."""
    compared = compare_costs(tmp_path, 3)
    assert compared.hidden > 100
    assert compared.queries > 10
    assert compared.different > 0
