"""Report what an administrator must know of a running service: its stores, indexes, settings and model."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from stratabase import __version__
from stratabase.core.app.app import App
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.model.model import Model
from stratabase.core.model.reading import InvalidModel, read_model_file
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.settings import Settings, settings_in_force
from stratabase.core.store.indexes.entries import BuildState
from stratabase.core.store.indexes.index_states import index_states
from stratabase.core.store.marked_engine import EngineMark
from stratabase.evolution.backfill.class_heads import built_objects
from stratabase.evolution.served_comparison import (
    ServedComparison,
    UnreadableModel,
    change_json,
    compare_with_served,
)

ReportPart = dict[str, Any]
T = TypeVar("T")


def report_service(app: App) -> ReportPart:
    """Return the report of the service that this process serves, as JSON.

    What only the store knows is left out or null if the store can't be reached.
    """
    is_reachable = app.is_store_reachable()
    return {
        "version": __version__,
        "application": app.model.application,
        "health": {
            "store": "reachable" if is_reachable else "unreachable",
            **app.health_problems(),
            **({"stopping": True} if app.is_stopping() else {}),
        },
        "stores": [*_stores(app, is_reachable=is_reachable)],
        "indexes": _from_store(lambda: [*_indexes(app)]) if is_reachable else None,
        "settings": [*_settings(app.settings)],
        "model": _model(app, is_reachable=is_reachable),
    }


def _from_store(read: Callable[[], T]) -> T | None:
    """Return what a function reads from the store, None if the store can't be reached any more."""
    try:
        return read()
    except Unavailable:
        return None


def _indexes(app: App) -> Iterator[ReportPart]:
    names = StoredNames(app.model).classes
    progress = cache(lambda name: built_objects(app.engine, names[name].stored_name))
    for each in index_states(app.engine, app.model):
        built = progress(each.class_name) if each.state is BuildState.BUILDING else None
        yield {
            "class": each.class_name,
            "name": each.label,
            "state": each.state.value,
            **({} if each.since is None else {"since": _instant(each.since)}),
            **({} if built is None else {"builtObjects": built}),
        }


def _stores(app: App, *, is_reachable: bool) -> Iterator[ReportPart]:
    mark = _from_store(EngineMark(app.engine).read_mark) if is_reachable else None
    for each in app.platform.required:
        place = app.platform.places.get(each.setting, each.place)
        is_marked = mark is not None and mark.kind is each.kind
        known = {"instance": mark.instance, "layout": mark.layout} if mark and is_marked else {}
        yield {"kind": each.kind.value, "setting": each.setting, "place": place, **known}


def _settings(settings: Settings) -> Iterator[ReportPart]:
    for variable, value, is_default in settings_in_force(settings):
        known = {"value": _text(value), "isDefault": is_default}
        shown = {"isSet": value is not None} if variable.secret else known
        yield {"name": variable.name, "description": variable.description, **shown}


def _text(value: Any) -> str | None:
    """Return the value of a setting as text, in the spelling of its environment variable."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _model(app: App, *, is_reachable: bool) -> ReportPart:
    """Return the text of the model that serves, and what `model diff` says of the present file."""
    file: Path = app.settings.model
    try:
        model = read_model_file(file)
        compared = _from_store(lambda: [*_comparisons(app, model)]) if is_reachable else None
        found: ReportPart = {"comparisons": compared or []}
        if compared is None:
            found["problem"] = "The store can't be reached. It has the models that serve."
    except (InvalidModel, UnreadableModel) as error:
        found = {"comparisons": [], "problem": str(error)}
    return {"file": str(file), "text": app.model_text, **found}


def _comparisons(app: App, model: Model) -> Iterator[ReportPart]:
    for previous in (False, True):
        for each in compare_with_served(app.engine, model, previous=previous):
            yield {**_comparison(each), "previous": previous}


def _comparison(compared: ServedComparison) -> ReportPart:
    return {
        "lastSeen": _instant(compared.served.last_seen),
        "changes": [change_json(change) for change in compared.changes],
    }


def _instant(milliseconds: int) -> str:
    """Return an instant, in milliseconds since 1970, in ISO 8601."""
    instant = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return instant.isoformat(timespec="seconds").replace("+00:00", "Z")
