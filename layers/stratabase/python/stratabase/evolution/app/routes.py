"""The routes of the report about the service, and of erasures. See `core.app.routes`."""

from typing import TYPE_CHECKING, Any

from stratabase.core.app.app import App
from stratabase.core.app.routes import Route

if TYPE_CHECKING:
    from stratabase.core.domain.caller import Caller
    from stratabase.core.domain.objects.entity import Reference

_RESERVE = 5.0
"""The seconds before the deadline of a request at which it leaves an erasure to a job."""


def service_routes() -> tuple[Route, ...]:
    """Return the routes that the function `members` serves, as it does all that is for administrators."""
    from stratabase.evolution.erasure.endpoint import erasure_endpoint
    from stratabase.evolution.service_endpoint import service_endpoint

    return (
        Route("/auth/administration/service", lambda app: service_endpoint(lambda: _report(app))),
        Route(
            "/auth/administration/erasure/{class}/{id}",
            lambda app: erasure_endpoint(lambda *given: _erase(app, *given)),
        ),
    )


def _report(app: App) -> dict[str, object]:
    # The comparison of models is imported when an administrator asks for it.
    from stratabase.evolution.service_report import report_service

    return report_service(app)


def _erase(app: App, reference: "Reference", caller: "Caller") -> dict[str, Any]:
    """Begin to erase an object, and go on for a while if its store is on this machine."""
    from stratabase.core.waiting import remaining_seconds
    from stratabase.evolution.app.erasures import erasures, render_receipt

    part = app.part(erasures)
    root = part.begin(reference, caller)
    # A function has not the time to scan a table, nor the permission. The sweep has both.
    for _step in part.steps(root) if app.engine.is_embedded else ():
        if remaining_seconds() < _RESERVE:
            break
    receipt = part.receipt(root)
    if not receipt.is_complete:
        part.leave_to_job(root)
    return render_receipt(app, receipt)
