"""Random requests on random models agree with the reference graph."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.engine_items import all_items, object_items
from tests.fakes import DictEntities, fake_services
from tests.graphs.item_faults import item_faults
from tests.graphs.models import OF_KINDS, models
from tests.graphs.random_session import RandomSession, run_session
from tests.soak import count, seed

REQUESTS = 12
"""The requests of a history."""
HISTORIES = count(25, 400)
"""The histories with random models."""
STORIES = count(2, 50)
"""The histories of each kind of association."""


def owners_of_links(entities: DictEntities) -> set[Reference]:
    """Return the objects from which links lead. A one-way link is not known at its target."""
    return {Reference(role.class_name, owner) for role, owner, _ in entities.graph.links}


@settings(max_examples=HISTORIES)
@given(models(), st.randoms(use_true_random=False))
def test_random_requests_agree_with_the_reference_graph(model: Model, chance: Random) -> None:
    services, entities, _ = fake_services(model)
    session = run_session(services, chance, REQUESTS)
    event(f"{session.done} of {REQUESTS} were done")
    session.delete_everything()
    assert entities.objects.keys() == session.graph.objects.keys()
    assert owners_of_links(entities) - entities.objects.keys() == set()


def write_and_delete(engine: Engine, model: Model, chance: Random) -> RandomSession:
    """Run a random session over a store, and delete all objects at the end as far as possible."""
    services, _, _ = fake_services(model)
    entities = Repository(engine, model)
    session = run_session(replace(services, entities=entities), chance, REQUESTS)
    assert len(object_items(all_items(engine))) >= len(session.graph.objects)
    session.delete_everything()
    entities.sweep()
    return session


@settings(max_examples=HISTORIES)
@given(models(), st.randoms(use_true_random=False))
def test_a_store_keeps_only_the_items_of_objects_that_exist(model: Model, chance: Random) -> None:
    engine = ReferenceEngine()
    session = write_and_delete(engine, model, chance)
    event(f"{'some objects need' if session.graph.objects else 'no objects need'} each other")
    assert item_faults(model, all_items(engine)) == []
    assert bool(object_items(all_items(engine))) is bool(session.graph.objects)


@pytest.mark.soak
@pytest.mark.parametrize("kind", OF_KINDS)
def test_sqlite_keeps_no_item_of_deleted_objects(kind: str, tmp_path: Path) -> None:
    chance, done = Random(seed()), 0
    for number in range(STORIES):
        engine = SqliteEngine(tmp_path / f"{number}.db")
        done += write_and_delete(engine, OF_KINDS[kind], chance).done
        assert object_items(all_items(engine)) == {}
        engine.close()
    assert done
