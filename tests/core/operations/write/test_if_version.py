"""A write with `ifVersion` is refused also after a concurrent write between read and commit."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from stratabase.core.domain.issues.issue import IssueType
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write.commands import Delete, Update
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.services import delete, save
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.fakes import ADMINISTRATOR, CountedIds, fake_services
from tests.graphs.commands import add, create, create_command, update_command
from tests.graphs.commands import update as parts

MODEL = read_model(
    """
    extend schema @application(name: "Relying")
    type Order @class(versioned: true) {
      name: String
      tags: [Tag!] @association(opposite: "orders")
      lines: [Line!] @composition
    }
    type Tag { name: String  orders: [Order!] @association(opposite: "tags") }
    type Line { name: String }
    """,
    "m",
)


class InterruptingIds(CountedIds):
    """IDs that call a function once when the next one is generated, right before a commit."""

    act: Callable[[], object] | None = None

    def new(self) -> str:
        act, self.act = self.act, None
        if act is not None:
            act()
        return super().new()


@pytest.fixture(params=["dict", "sqlite"])
def services(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Services]:
    created, _, _ = fake_services(MODEL)
    if request.param == "dict":
        yield replace(created, ids=InterruptingIds())
        return
    with closing(SqliteEngine(tmp_path / "store.db")) as engine:
        yield replace(created, ids=InterruptingIds(), entities=Repository(engine, MODEL))


def relying(command: Update | Delete, start: Instant | None) -> Update | Delete:
    assert start is not None
    return replace(command, if_version=(start,))


@pytest.mark.parametrize("asked", ["value", "links", "parts", "end"])
@pytest.mark.parametrize("is_rivalled", [False, True])
def test_a_write_with_if_version_succeeds_only_on_that_version(
    services: Services, asked: str, *, is_rivalled: bool
) -> None:
    tag = save(services, create_command("Tag", name="t"), ADMINISTRATOR).reference.id
    order = save(
        services, create_command("Order", name="o", lines=create(create_command("Line"))), ADMINISTRATOR
    ).reference
    (read,) = services.entities.read([order])
    assert read is not None
    lines = read.state["lines"]
    assert isinstance(lines, list)
    (line,) = lines
    commands: dict[str, Update | Delete] = {
        "value": update_command("Order", order.id, name="mine"),
        "links": update_command("Order", order.id, tags=add(tag)),
        "parts": update_command("Order", order.id, lines=parts(update_command("Line", line, name="mine"))),
        "end": Delete(order),
    }
    command = relying(commands[asked], read.start)
    if not is_rivalled:
        write(services, command)
        return
    assert isinstance(services.ids, InterruptingIds)
    services.ids.act = lambda: save(services, update_command("Order", order.id, name="rival"), ADMINISTRATOR)
    with pytest.raises(Refused) as refusal:
        write(services, command)
    assert [issue.type for issue in refusal.value.issues] == [IssueType.ENTITY_LOCK_PERSIST]
    (kept, part) = services.entities.read([order, Reference("Line", line)])
    assert kept is not None
    assert part is not None
    assert kept.state["name"] == "rival"
    assert "name" not in part.state


def write(services: Services, command: Update | Delete) -> None:
    if isinstance(command, Delete):
        assert delete(services, command, ADMINISTRATOR)
    else:
        save(services, command, ADMINISTRATOR)
