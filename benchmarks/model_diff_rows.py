"""`stratabase model diff --data`: the time to count what a change concerns, with 20,000 objects."""

import io
import os
from contextlib import redirect_stdout
from pathlib import Path
from time import perf_counter
from unittest.mock import patch

from benchmarks.table import Figure, print_table
from stratabase.cli.main import main as run_command
from stratabase.core.app.app import App
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.settings import Settings

OBJECTS = 20_000
_BATCH = 20
_HEAD = 'extend schema @application(name: "Hr") @profile(name: "Boss", administrator: true)\n'
_CLASSES = 14
"""The number of classes that share the objects."""
OLD = (
    _HEAD
    + "\n".join(
        f"type C{number} {{ name: String nickname: String age: String status: S "
        f"next: C{(number + 1) % _CLASSES} }}"
        for number in range(_CLASSES)
    )
    + "\nenum S { NEW DONE LOST }"
)
NEW = (
    _HEAD
    + "\n".join(
        f'type C{number} @unique(attributes: ["name"]) {{ name: String! age: Int status: S }}'
        for number in range(_CLASSES)
    )
    + "\nenum S { NEW DONE }"
)


def main(folder: Path) -> None:
    """Fill a store, and compare two models with five questions for each class."""
    old, new, home = folder / "old.graphql", folder / "new.graphql", folder / "home"
    old.write_text(OLD)
    new.write_text(NEW)
    home.mkdir()
    environment = {"STRATABASE_MODEL": str(old), "STRATABASE_HOME": str(home)}
    with patch.dict(os.environ, environment):
        fill(App(Settings.from_environment(os.environ)))
        figures = [
            Figure("compare two files", _seconds("diff", str(old), str(new)), "s", 2),
            Figure(
                f"count {OBJECTS:,} objects",
                _seconds("diff", str(old), str(new), "--data"),
                "s",
                5,
                "our aim",
            ),
        ]
    print_table("stratabase model diff", figures)


def fill(instance: App) -> None:
    """Create the objects, a third of which have values that the new model refuses."""
    for first in range(0, OBJECTS, _BATCH):
        created = tuple(Creation(_entity(number)) for number in range(first, first + _BATCH))
        instance.entities.commit(Change(f"fill{first}", 0, created))
    instance.close()


def _entity(number: int) -> Entity:
    state = {
        "name": f"name {number // 3}",
        "nickname": "nick" if number % 3 else None,
        "age": str(number) if number % 3 else "old",
        "status": ("NEW", "DONE", "LOST")[number % 3],
    }
    return Entity(Reference(f"C{number % _CLASSES}", f"{number:026d}"), state)


def _seconds(*arguments: str) -> float:
    began = perf_counter()
    with redirect_stdout(io.StringIO()) as printed:
        run_command(["model", *arguments])
    assert "Needs a decision" in printed.getvalue()
    return perf_counter() - began
