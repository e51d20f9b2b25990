"""What a model requires and stored objects lack, told to people."""

from collections.abc import Iterator

from cli.fault import Fault
from cli.server import configuration
from stratabase.bootstrap.storage import open_engine, parallel_reads_of
from stratabase.domain.issues.refusals import Unavailable
from stratabase.model.model import Model
from stratabase.store.read.required_values import MissingValues, RequiredValues
from stratabase.store.sqlite.errors import UnusableStore


def missing_values(model: Model) -> Iterator[str]:
    """Yield a line for each required attribute and role that objects in the store lack. Raises Fault."""
    settings = configuration.read_settings()
    try:
        engine = open_engine(settings)
        found = [*RequiredValues(engine, model, parallel_reads_of(settings)).missing_values()]
        engine.close()
    except (UnusableStore, Unavailable) as error:
        raise Fault(str(error)) from error
    yield from map(_line, found)
    if not found:
        yield "All stored objects have what the model requires.\n"


def _line(lack: MissingValues) -> str:
    return (
        f"{lack.class_name}.{lack.name}: required, and empty in {lack.missing:,} of "
        f"{lack.total:,} {lack.class_name} objects\n"
    )
