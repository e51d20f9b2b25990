"""Random requests on random models: what is done, and what is refused, is what the plain rules say."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from stratabase.model.model import Model
from stratabase.store.engine.port import Engine
from stratabase.store.layout import keys
from stratabase.store.repository import Repository
from stratabase.store.sqlite.engine import SqliteEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.graphs.models import OF_KINDS, models
from tests.graphs.story import Story, tell
from tests.soak import count, seed
from tests.worlds import world_of

REQUESTS = 12
STORIES = count(2, 100)


@given(models(), st.randoms(use_true_random=False))
def test_requests_come_to_what_the_plain_rules_say(model: Model, chance: Random) -> None:
    world, entities, _ = world_of(model)
    story = tell(world, chance, REQUESTS)
    event(f"{story.done} of {REQUESTS} were done")
    story.end()
    assert entities.objects.keys() == story.graph.objects.keys()
    assert story.graph.objects or not entities.graph.links


@pytest.mark.soak
@pytest.mark.parametrize("kind", OF_KINDS)
def test_requests_on_each_kind_of_association_do_so_too(kind: str) -> None:
    chance = Random(seed())
    for _ in range(10 * STORIES):
        tell(world_of(OF_KINDS[kind])[0], chance, REQUESTS).end()


def told_over(engine: Engine, model: Model, chance: Random) -> Story:
    """Return a story of which a store keeps the objects, in which all was deleted in the end."""
    world, _, _ = world_of(model)
    entities = Repository(engine, model)
    story = tell(replace(world, entities=entities), chance, REQUESTS)
    story.end()
    entities.sweep()
    return story


@given(models(), st.randoms(use_true_random=False))
def test_a_store_keeps_nothing_of_what_was_deleted(model: Model, chance: Random) -> None:
    engine = ReferenceEngine()
    story = told_over(engine, model, chance)
    left = [key for key in engine._items if key != keys.REGISTRY and not key.partition.startswith("N#")]
    assert story.graph.objects or left == []


@pytest.mark.soak
@pytest.mark.parametrize("kind", OF_KINDS)
def test_so_it_is_over_sqlite(kind: str, tmp_path: Path) -> None:
    chance = Random(seed())
    for number in range(STORIES):
        engine = SqliteEngine(tmp_path / f"{number}.db")
        told_over(engine, OF_KINDS[kind], chance)
        engine.close()
