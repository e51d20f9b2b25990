"""What is printed when the service is ready: where it is, and what to try first."""

import json
from collections.abc import Iterator, Sequence

from stratabase import __version__
from stratabase.model.model import Model
from stratabase.operations.first_administrator import USERNAME, NewAdministrator
from stratabase.schema.names import service
from stratabase.schema.services import get_page
from stratabase.settings import Settings

_SHOWN = 3
"""How many things are named in one line."""


def welcome(
    address: str, settings: Settings, model: Model, administrator: NewAdministrator | None
) -> Iterator[str]:
    """Yield the lines for a person who has just started the service."""
    graphql = f"{address}/auth/api/graphql/{model.application}"
    yield f"Stratabase {__version__} serves the application {model.application}."
    yield ""
    yield f"  GraphQL  {graphql}"
    if settings.graphiql:
        yield f"  GraphiQL {address}/public/graphiql"
    yield f"  Schema   {address}/auth/api/schema/{model.application}"
    yield f"  Health   {address}/public/health"
    yield f"  Model    {settings.model}"
    yield f"  Data     {settings.home}"
    yield ""
    yield "Try first:"
    yield ""
    yield f"  curl -u {_credentials(settings, administrator)} {graphql} \\"
    yield "    -H 'Content-Type: application/json' \\"
    yield f"    -d '{json.dumps({'query': _query(model)})}'"


def password_shown(administrator: NewAdministrator | None) -> Iterator[str]:
    """Yield what must be told of an administrator who was just made: the password, if nobody knows it."""
    if administrator is not None and administrator.made_up:
        yield f"The member {administrator.username} was made. The password is shown only this once:"
        yield f"  {administrator.password}"


def left_to_build(lacking: Sequence[str], *, refusing: bool) -> Iterator[str]:
    """Yield what to do about indexes and constraints that not all objects keep to.

    `refusing`: unique constraints among them may not be built at all yet.
    """
    if lacking:
        shown = ", ".join(lacking[:_SHOWN])
        more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
        yield f"Not ready for older objects: {shown}{more}. While this serves, run: stratabase reindex"
        if refusing and any("@unique" in each for each in lacking):
            yield "Until a unique constraint is built, writes that set its values are refused."


def _credentials(settings: Settings, administrator: NewAdministrator | None) -> str:
    """Return what curl needs to sign in; it asks for a password that it is not given."""
    if administrator is not None and administrator.made_up:
        return f"{administrator.username}:{administrator.password}"
    return f'"{USERNAME}:$STRATABASE_ADMIN_PASSWORD"' if settings.admin_password else USERNAME


def _query(model: Model) -> str:
    """Return a query that any model answers, one about its own objects if it can be."""
    for class_ in model.classes.values():
        if get_page.SERVICE.serves(class_):
            return f"{{ {service(class_.name, get_page.SERVICE.verb)} {{ totalCount }} }}"
    return "{ __typename }"
