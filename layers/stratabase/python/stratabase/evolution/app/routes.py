"""The route of the report about the service. See `core.app.routes`."""

from stratabase.core.app.app import App
from stratabase.core.app.routes import Route


def service_routes() -> tuple[Route, ...]:
    """Return the route that the function `members` serves, as it does all that is for administrators."""
    from stratabase.evolution.service_endpoint import service_endpoint

    return (Route("/auth/administration/service", lambda app: service_endpoint(lambda: _report(app))),)


def _report(app: App) -> dict[str, object]:
    # The comparison of models is imported when an administrator asks for it.
    from stratabase.evolution.service_report import report_service

    return report_service(app)
