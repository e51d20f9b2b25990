"""Restoration under the present model, and parts of deleted wholes that are not purged yet."""

from dataclasses import replace
from pathlib import Path

import pytest

from stratabase.core.domain.issues.issue import IssueType, Level
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.versions import get_version
from stratabase.core.operations.write.options import WriteOptions
from stratabase.core.operations.write.services import delete, restore, save
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.write import cleanup
from tests.fakes import ADMINISTRATOR, NOON, fake_services, request_of
from tests.graphs.commands import create, create_command, delete_command, update_command
from tests.graphs.nested_views import view_of

BOX = """extend schema @application(name: "Retyped")
type Box @class(versioned: true) {{ name: String {} }}"""
SIZES = ("size: String", "size: Int", "size: String @domain(maxLength: 2)")
OLD, NEW, STRICT = (read_model(BOX.format(size), "m") for size in SIZES)


def test_a_value_that_its_attribute_no_longer_allows_is_omitted(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "store.db")
    old, _, clock = fake_services(OLD)
    old = replace(old, entities=Repository(engine, OLD))
    box = save(old, create_command("Box", name="a", size="large"), ADMINISTRATOR).reference
    clock.instant += 1000
    save(old, update_command("Box", box.id, name="b", size=None), ADMINISTRATOR)
    clock.instant += 1000
    new = replace(fake_services(NEW)[0], entities=Repository(engine, NEW), clock=clock, ids=old.ids)
    with pytest.raises(Refused) as refusal:
        restore(new, box, [NOON], ADMINISTRATOR)
    (issue,) = refusal.value.issues
    assert (issue.type, issue.level, issue.attribute_names) == (IssueType.DATA_TYPE, Level.WARNING, ("size",))
    state = restore(new, box, [NOON], ADMINISTRATOR, WriteOptions(force=True)).state
    assert (state["name"], state.get("size")) == ("a", None)
    engine.close()


def test_a_value_outside_the_present_domain_is_refused(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "store.db")
    old, _, clock = fake_services(OLD)
    old = replace(old, entities=Repository(engine, OLD))
    box = save(old, create_command("Box", name="a", size="large"), ADMINISTRATOR).reference
    clock.instant += 1000
    save(old, update_command("Box", box.id, size="s"), ADMINISTRATOR)
    clock.instant += 1000
    new = replace(fake_services(STRICT)[0], entities=Repository(engine, STRICT), clock=clock, ids=old.ids)
    with pytest.raises(Refused) as refusal:
        restore(new, box, [NOON], ADMINISTRATOR, WriteOptions(force=True))
    assert [issue.type for issue in refusal.value.issues] == [IssueType.ATTRIBUTE_STRING_LENGTH]
    engine.close()


ORDERS = """extend schema @application(name: "Orders")
type Order {} {{ name: String lines: [Line!] @composition }}
type Line @class(versioned: true, exposed: true) {{ name: String }}"""


@pytest.mark.parametrize("directive", ["", "@class(versioned: true)"])
def test_a_part_existed_until_its_whole_was_deleted_even_before_the_purge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, directive: str
) -> None:
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)
    engine, model = SqliteEngine(tmp_path / "store.db"), read_model(ORDERS.format(directive), "m")
    services, _, clock = fake_services(model)
    entities = Repository(engine, model)
    services = replace(services, entities=entities)
    order = save(services, create_command("Order", name="a"), ADMINISTRATOR).reference
    for _ in range(6):
        clock.instant += 1000
        save(
            services,
            update_command("Order", order.id, lines=create(*(create_command("Line") for _ in range(20)))),
            ADMINISTRATOR,
        )
    (read,) = entities.read([order])
    assert read is not None
    lines = read.state["lines"]
    assert isinstance(lines, list)
    line = Reference("Line", lines[-1])
    clock.instant += 1000
    assert delete(services, delete_command("Order", order.id), ADMINISTRATOR)
    ended = clock.instant
    assert entities.pending_purges([order]) == [ended]
    for _ in range(2):
        shown = [_is_shown(services, line, ended + beside) for beside in (-1, 0, 1)]
        assert shown == [True, False, False]
        entities.sweep()
    engine.close()


def _is_shown(services: Services, part: Reference, at: Instant) -> bool:
    """Return whether a part is readable as of an instant, through its whole or alone."""
    request = request_of(services.model, services.entities)
    found = get_version(request, part, at)
    return found is not None and view_of(Reader(request, at), found, 0) is not None
