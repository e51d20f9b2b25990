"""The application that an address names."""

from collections.abc import Mapping

from stratabase.edge.operation import Parameter, Told
from stratabase.edge.refusals import NotFound
from stratabase.edge.request import Request

UNKNOWN = Told("There is no such application.")


def parameter(name: str) -> Mapping[str, Parameter]:
    """Return what an address's parameter `application` is where the application is called so."""
    return {"application": Parameter("The name of the application, in whatever case.", example=name)}


def require(request: Request, application: str) -> None:
    """Raise NotFound unless the request's address names the application, in whatever case."""
    named = request.parameters.get("application", "")
    if named.casefold() != application.casefold():
        raise NotFound(f'There is no application "{named}" here; there is "{application}".')
