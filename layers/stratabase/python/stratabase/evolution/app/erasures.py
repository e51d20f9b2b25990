"""The erasures of an app, their kind of job, and what their receipts show."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from stratabase.core.app.app import App
from stratabase.core.data_folder import OBJECTS
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.jobs.job import JobKind
from stratabase.core.store.sqlite.vacuum import vacuum
from stratabase.core.waiting import offload
from stratabase.evolution.erasure.complete import Receipt
from stratabase.evolution.erasure.erase import Erasures

_RECOVERY = 35 * 24 * 60 * 60 * 1000
"""The milliseconds for which point-in-time recovery of a table of DynamoDB reaches back at most."""


def erasures(app: App) -> Erasures:
    """Return the erasures of an app."""
    is_local = app.platform.is_local(StoreKind.OBJECTS)
    rebuild = partial(offload, vacuum, app.settings.home / OBJECTS)
    return Erasures(
        app.services,
        app.model,
        app.engine,
        app.files,
        parallel_map=app.platform.parallel_map,
        vacuum=rebuild if is_local else None,
    )


def erasure_jobs(app: App) -> Sequence[JobKind[Any]]:
    """Return the kind of job that finishes erasures which were interrupted."""
    return app.part(erasures).kinds()


def render_receipt(app: App, receipt: Receipt) -> dict[str, Any]:
    """Return a receipt as JSON, with the copies of the data that the service can't reach."""
    return {
        "class": receipt.reference.class_name,
        "id": receipt.reference.id,
        "complete": receipt.is_complete,
        "erasedOn": format_instant(receipt.erased_on),
        "removed": dict(receipt.removed),
        "references": [{"class": each.class_name, "id": each.id} for each in receipt.referrers],
        "hasMoreReferences": receipt.has_more_referrers,
        "copies": _copies(is_local=app.platform.is_local(StoreKind.OBJECTS), erased_on=receipt.erased_on),
    }


def _copies(*, is_local: bool, erased_on: Instant) -> list[Mapping[str, str | None]]:
    """Return where the object can still be, and until when; None: until somebody deletes it."""
    copies: list[Mapping[str, str | None]] = []
    if not is_local:
        until = format_instant(erased_on + _RECOVERY)
        copies.append({"kind": "POINT_IN_TIME_RECOVERY", "until": until})
    kinds = ("BACKUPS", "EXPORTS") if is_local else ("TABLE_BACKUPS", "EXPORTS")
    return [*copies, *({"kind": kind, "until": None} for kind in kinds)]
