"""Every engine stores checkpoints of long tasks under any name."""

from pathlib import Path

import pytest

from stratabase.core.store.repository import Repository
from tests.contract.engine.engines import KINDS, EngineImplementation
from tests.models import THINGS


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize(
    "work", ["id#id#Class", "x" * 5_000, "\ud800"], ids=["usual", "long", "half a character"]
)
def test_a_checkpoint_is_found_again_until_it_is_forgotten(
    tmp_path: Path, kind: EngineImplementation, work: str
) -> None:
    engine = kind.open(tmp_path)
    entities = Repository(engine, THINGS)
    assert entities.checkpoint(work) is None
    entities.set_checkpoint(work, "at 7")
    assert (entities.checkpoint(work), entities.checkpoint("other")) == ("at 7", None)
    entities.set_checkpoint(work, None)
    assert entities.checkpoint(work) is None
    engine.close()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_of_several_who_begin_a_task_all_get_the_position_of_the_first(
    tmp_path: Path, kind: EngineImplementation
) -> None:
    engine = kind.open(tmp_path)
    entities = Repository(engine, THINGS)
    assert entities.begin_checkpoint("work", "mine") == "mine"
    assert entities.begin_checkpoint("work", "yours") == "mine"
    assert entities.checkpoint("work") == "mine"
    engine.close()
