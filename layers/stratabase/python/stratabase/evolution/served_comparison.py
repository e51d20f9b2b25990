"""Compare a model with those that serve from a store, or with the one that served before."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stratabase.core.model.model import Model
from stratabase.core.model.reading import InvalidModel, read_model
from stratabase.core.store.catalog.catalog_store import CatalogStore
from stratabase.core.store.engine.port import Engine
from stratabase.evolution.backfill.served_models import ServedModel, ServedModels
from stratabase.evolution.difference import ModelChange, diff_models, with_former_default


class UnreadableModel(Exception):
    """This version of the service can't read the text of a model that served."""

    def __init__(self, served: ServedModel, mistakes: str) -> None:
        super().__init__(mistakes)
        self.served = served


class ServedComparison(NamedTuple):
    """The changes from a model that serves, or served, to another one."""

    served: ServedModel
    changes: Sequence[ModelChange]
    has_previous: bool
    """Whether the store has a model from before."""


def compare_with_served(
    engine: Engine, model: Model, *, previous: bool = False
) -> Iterator[ServedComparison]:
    """Yield the comparison with each model that serves from a store, or with the one before (`previous`).

    Raises UnreadableModel, Unavailable.
    """
    served = ServedModels(engine)
    known = served.all()
    for each in known[1:2] if previous else served.serving():
        removed = CatalogStore(engine).read().removed_names()
        changes = diff_models(_read(served, each), model, removed)
        yield ServedComparison(each, changes, not previous and len(known) > 1)


def _read(served: ServedModels, each: ServedModel) -> Model:
    try:
        model = read_model(served.text(each), "model.graphql")
    except InvalidModel as error:
        raise UnreadableModel(each, str(error)) from error
    return with_former_default(model) if each.predates_access else model


def change_json(change: ModelChange) -> dict[str, Any]:
    """Return a change as JSON."""
    return {
        "severity": change.severity.name,
        "subject": change.subject,
        "change": change.what,
        "reason": change.why,
        "toDo": change.to_do,
    }
