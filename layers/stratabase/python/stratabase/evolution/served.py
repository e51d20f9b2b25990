"""Notes which model an app serves, for `stratabase model diff`."""

from contextlib import suppress

from stratabase.core.app.app import App
from stratabase.evolution.backfill.served_models import ModelTextTooLarge, ServedModels


def record_served_model(app: App, replaced: str | None = None) -> None:
    """Keep the text of the model in the store. Most calls only read an item.

    `replaced` is the text of the model that this process served before. Raises ModelTextTooLarge,
    Unavailable.
    """
    if app.model_text is not None:
        ServedModels(app.engine).record(app.model_text, app.clock.now(), replaced)


def note_served_model(app: App) -> None:
    """Keep the text of the model unless it is too large. Raises Unavailable.

    A sweep does so for functions on AWS, which have no start of their own.
    """
    with suppress(ModelTextTooLarge):
        record_served_model(app)
