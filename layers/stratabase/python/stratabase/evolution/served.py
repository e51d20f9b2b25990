"""Notes which model an app serves, for `stratabase model diff`."""

from collections.abc import Iterator
from contextlib import suppress

from stratabase.core.app.app import App
from stratabase.core.jobs.job import EachRound, Job, JobKind
from stratabase.evolution.backfill.served_models import ModelTextTooLarge, ServedModels


def record_served_model(app: App, replaced: str | None = None) -> None:
    """Keep the text of the model in the store. Most calls only read an item.

    `replaced` is the text of the model that this process served before. Raises ModelTextTooLarge,
    Unavailable.
    """
    if app.model_text is not None:
        ServedModels(app.engine).record(app.model_text, app.clock.now(), replaced)


def served_model_jobs(app: App) -> tuple[JobKind[None]]:
    """Return the kind of job that keeps the text of the model in each round, unless it is too large.

    Functions on AWS have no start of their own that could do it.
    """

    def note(_job: Job[None]) -> Iterator[None]:
        with suppress(ModelTextTooLarge):
            record_served_model(app)
        return iter(())

    return (JobKind("served model", EachRound(), note, lease=None),)
