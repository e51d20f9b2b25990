"""Processes that share a store."""

from dataclasses import replace

from stratabase.core.model.model import Model
from stratabase.core.operations.context import Services
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.repository import Repository
from tests.fakes import fake_services


def process(engine: Engine, model: Model) -> Services:
    """Return the services of a new process over a shared engine."""
    services, _, _ = fake_services(model)
    return replace(services, entities=Repository(engine, model), ids=TimeOrderedIds())
