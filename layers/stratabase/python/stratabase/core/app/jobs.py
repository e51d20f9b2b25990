"""The kinds of job of the core."""

from collections.abc import Sequence
from typing import Any

from stratabase.core.app.app import App
from stratabase.core.jobs.job import JobKind
from stratabase.core.operations.files import sweep


def jobs_of_objects(app: App) -> Sequence[JobKind[Any]]:
    """Return the kinds of job that writes of objects leave."""
    return app.entities.jobs()


def jobs_of_files(app: App) -> Sequence[JobKind[Any]]:
    """Return the kinds of job that remove files."""
    # They remove bytes that the objects do not refer to, so objects and bytes must belong together.
    return sweep.file_jobs(app.files, app.clock, lambda: app.has_marked_stores)
