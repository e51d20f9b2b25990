"""The application that an address names."""

from stratabase.edge.refusals import NotFound
from stratabase.edge.request import Request


def require(request: Request, application: str) -> None:
    """Raise NotFound unless the request's address names the application, in whatever case."""
    named = request.parameters.get("application", "")
    if named.casefold() != application.casefold():
        raise NotFound(f'There is no application "{named}" here; there is "{application}".')
