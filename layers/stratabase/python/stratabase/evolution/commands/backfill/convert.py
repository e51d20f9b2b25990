"""`stratabase model convert`: converts stored values to the types and defaults of the model."""

import argparse
import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stratabase.core.app.app import App
from stratabase.core.app.platform import platform_of
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.model.attribute import Origin
from stratabase.core.model.model import Model
from stratabase.core.model.stored_names import ClassNames, StoredNames
from stratabase.core.store.indexes.listing import count_objects
from stratabase.evolution.backfill.convert import Conversion, Unconverted
from stratabase.evolution.commands.backfill.drop import run_on_store
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.confirm import confirm
from stratabase.terminal.progress import ProgressBar
from stratabase.values.wording import nearest_word, pluralize

_MAX_NAMED = 10
"""The maximum number of unconverted values that are printed for each class."""


def convert(options: argparse.Namespace) -> int:
    """Convert class by class. You can stop the command at any time and run it again."""
    return run_on_store(lambda instance: _convert(instance, options))


def _convert(instance: App, options: argparse.Namespace) -> int:
    model = instance.model
    chosen = _chosen(model, options.name)
    names = StoredNames(model)
    engine, settings = instance.engine, instance.settings
    task = Conversion(
        engine,
        names.stored_model,
        local=platform_of(settings).is_local(StoreKind.OBJECTS),
        parallel_map=platform_of(settings).parallel_map,
    )
    totals = {name: count_objects(engine, names.classes[name].stored_name) for name in chosen}
    confirm(f"Convert the values of {pluralize(sum(totals.values()), 'object')} in place?", yes=options.yes)
    wanted = {
        name: [names.classes[name].to_stored[each] for each in attributes]
        for name, attributes in chosen.items()
    }
    goes_on = any(
        task.is_under_way(names.classes[name].stored_name, stored) for name, stored in wanted.items()
    )
    with _report(options.report, append=goes_on) as writer:
        for name, stored in wanted.items():
            kept = _Kept(names.classes[name], writer)
            progress = ProgressBar(name, totals[name])
            outcome = task.run(names.classes[name].stored_name, stored, kept.note, progress)
            left = pluralize(outcome.unconverted, "value")
            progress.end(f"converted {pluralize(outcome.objects, 'object')}, kept {left}")
            for line in kept.lines:
                print(line)
            if outcome.unconverted > len(kept.lines):
                more = outcome.unconverted - len(kept.lines)
                print(f"  and {more:,} more (to list all, use --report FILE)")
    return 0


class _Kept:
    """The values of a class that are not converted: in the report, and as lines for the first ones."""

    def __init__(self, names: ClassNames, writer: Any) -> None:
        """`writer`: of the report, None if there is none."""
        self._names = names
        self._writer = writer
        self.lines: list[str] = []

    def note(self, each: Unconverted) -> None:
        """Add a value."""
        attribute = self._names.from_stored[each.attribute]
        if self._writer is not None:
            self._writer.writerow([self._names.name, each.id, attribute, each.value, each.reason])
        if len(self.lines) < _MAX_NAMED:
            self.lines.append(f"  {self._names.name}.{attribute} of {each.id}: {each.value} ({each.reason})")


def _chosen(model: Model, name: str | None) -> dict[str, Sequence[str]]:
    """Return the attributes to convert by class, none of them for all. Raises CommandError."""
    stored = {each.name: each for each in model.classes.values() if each.is_stored}
    if name is None:
        return dict.fromkeys(stored, ())
    class_name, dot, attribute = name.partition(".")
    if class_name not in stored:
        raise CommandError(_unknown("class", class_name, list(stored)))
    if not dot:
        return {class_name: ()}
    attributes = stored[class_name].attributes.values()
    native = [each.name for each in attributes if each.origin is Origin.NATIVE]
    if attribute not in native:
        raise CommandError(_unknown(f"attribute of {class_name}", attribute, native))
    return {class_name: (attribute,)}


def _unknown(kind: str, name: str, known: Sequence[str]) -> str:
    near = nearest_word(name, tuple(known))
    hint = f"Did you mean {near}?" if near else f"Use one of: {', '.join(known)}."
    return f'There is no {kind} "{name}". {hint}'


@contextmanager
def _report(file: Path | None, *, append: bool) -> Iterator[Any]:
    """Open the report, and return its writer; None without a file. Raises CommandError.

    `append`: an earlier run was stopped, so its lines stay in the file.
    """
    if file is None:
        yield None
        return
    try:
        with file.open("a" if append else "w", encoding="utf-8", newline="") as lines:
            writer = csv.writer(lines)
            if not lines.tell():
                writer.writerow(["class", "id", "attribute", "value", "reason"])
            yield writer
    except OSError as error:
        raise CommandError(f"Writing {file} failed: {error.strerror}.") from error
