"""The lines that the service prints when it is ready: its addresses, hints, and an example request."""

import json
import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from stratabase import __version__
from stratabase.core.app.routes import CONSOLE_PATH
from stratabase.core.model.api_names import service_name
from stratabase.core.model.model import Model
from stratabase.core.schema.services import get_page
from stratabase.core.settings import Settings
from stratabase.core.store.indexes.entries import REQUIRED_ROLE, ROLE_ENTRY
from stratabase.members.operations.first_administrator import (
    ADMIN_USERNAME,
    AdministratorState,
    NewAdministrator,
    PasswordMismatch,
)
from stratabase.server.documentation.endpoints import DOCUMENTATION_PATH
from stratabase.terminal.settings import EMULATOR_CREDENTIALS

_MAX_NAMED = 3
"""The maximum number of names in one line."""
_MISMATCH_TEXTS: Mapping[PasswordMismatch, str] = {
    PasswordMismatch.OTHER_PASSWORD: f"{ADMIN_USERNAME} has a different password",
    PasswordMismatch.NO_PASSWORD: f"{ADMIN_USERNAME} has no password",
    PasswordMismatch.DISABLED: f"{ADMIN_USERNAME} is disabled",
    PasswordMismatch.NO_MEMBER: f"the member {ADMIN_USERNAME} does not exist",
}
_PLACEHOLDER = "YOUR PASSWORD"
_STORE_SETTINGS = (
    "STRATABASE_HOME",
    "STRATABASE_MODEL",
    "STRATABASE_STORE",
    "STRATABASE_TABLE",
    "STRATABASE_MEMBERS_TABLE",
    "STRATABASE_BUCKET",
    "STRATABASE_INSTANCE",
    "STRATABASE_ENDPOINT",
    "STRATABASE_CREATE_TABLES",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_DYNAMODB",
)
"""The settings that locate the objects and members. None of them is a secret."""

Administrator = NewAdministrator | AdministratorState


def welcome_lines(
    address: str, settings: Settings, model: Model, administrator: Administrator
) -> Iterator[str]:
    """Yield the lines for a user who has just started the service. `address` is its base URL."""
    graphql = f"{address}/auth/api/graphql/{model.application}"
    yield f"Stratabase {__version__} serves the application {model.application}."
    yield ""
    if settings.console:
        yield f"  Console  {address}{CONSOLE_PATH}/"
    else:
        yield f"  Start    {address}/"
    yield f"  GraphQL  {graphql}"
    if settings.graphiql:
        yield f"  GraphiQL {address}/public/graphiql"
    yield f"  Docs     {settings.documentation or address + DOCUMENTATION_PATH}"
    yield f"  Schema   {address}/auth/api/schema/{model.application}"
    yield f"  Health   {address}/public/health"
    yield f"  Model    {settings.model}"
    yield f"  Data     {settings.home}"
    yield ""
    yield from _password_mismatch_lines(administrator)
    yield from _example_lines(address, graphql, settings, model, administrator)


def new_password_lines(administrator: Administrator) -> Iterator[str]:
    """Yield lines with the password of a new administrator, if Stratabase generated it."""
    if password := _unseen_password(administrator):
        yield f"Created the member {administrator.username}. Its password is shown only once:"
        yield f"  {password}"


def describe_unbuilt(unbuilt: Sequence[str], *, refuses_writes: bool) -> Iterator[str]:
    """Yield lines on indexes and constraints that are not built for all existing objects.

    `refuses_writes` says that the store refuses writes of values whose unique constraints are not built.
    """
    if unbuilt:
        shown = ", ".join(unbuilt[:_MAX_NAMED])
        more = f" and {len(unbuilt) - _MAX_NAMED} more" if len(unbuilt) > _MAX_NAMED else ""
        yield (
            f"Not ready for existing objects: {shown}{more}. "
            f"To build them while the service runs: {_command()} reindex"
        )
        if refuses_writes and any("@unique" in each for each in unbuilt):
            yield "Until a unique constraint is built, Stratabase refuses writes that set its values."
        if any(REQUIRED_ROLE in each for each in unbuilt):
            yield "Until a required role is built, you cannot delete the objects that it leads to."
        if any(f" {ROLE_ENTRY} " in each and REQUIRED_ROLE not in each for each in unbuilt):
            yield "Until a role is built, Stratabase refuses it, or reads more objects to answer it."


def _password_mismatch_lines(administrator: Administrator) -> Iterator[str]:
    """Yield lines on why the password in the settings has no effect, and what to do."""
    if isinstance(administrator, AdministratorState) and administrator.mismatch:
        username = administrator.username
        yield f"STRATABASE_ADMIN_PASSWORD has no effect: {_MISMATCH_TEXTS[administrator.mismatch]}."
        yield f"Stratabase reads it only on the first start, to create the member {ADMIN_USERNAME}."
        yield f"Sign in with the password of {username}, or set a new password:"
        yield f"  {_command()} members set-password {shlex.quote(username)}"
        yield ""


def _command() -> str:
    """Return the command line that runs `stratabase` on the same store in another terminal.

    It has the path of the command, because the virtual environment may not be active there.
    """
    settings = [name for name in _STORE_SETTINGS if name in os.environ]
    settings += [name for name, value in EMULATOR_CREDENTIALS.items() if os.environ.get(name) == value]
    command, here = Path(sys.executable).parent / "stratabase", Path.cwd()
    if not command.exists():
        command = Path(command.name)
    elif command.is_relative_to(here):
        command = command.relative_to(here)
    return " ".join(
        [*(f"{name}={shlex.quote(os.environ[name])}" for name in settings), shlex.quote(str(command))]
    )


def _example_lines(
    address: str, graphql: str, settings: Settings, model: Model, administrator: Administrator
) -> Iterator[str]:
    """Yield an example command. If only the user knows the password, curl asks for it."""
    username, password = administrator.username, _unseen_password(administrator)
    if settings.basic:
        body = {"query": _example_query(model)}
        credentials = f"{username}:{password}" if password else username
        yield "Try this first:" if password else f"Try this first (curl asks for the password of {username}):"
        url = f"-u {shlex.quote(credentials)} {graphql}"
    else:
        body = {"username": username, "password": password or _PLACEHOLDER}
        yield "Get a token first:"
        url = f"{address}/public/token/getJwtToken"
    yield ""
    yield f"  curl {url} \\"
    yield "    -H 'Content-Type: application/json' \\"
    yield f"    -d {shlex.quote(json.dumps(body))}"


def _unseen_password(administrator: Administrator) -> str | None:
    """Return the generated password of a new administrator, or None."""
    if isinstance(administrator, NewAdministrator) and administrator.is_generated:
        return administrator.password
    return None


def _example_query(model: Model) -> str:
    """Return a query that is valid for the model, if possible about its own objects."""
    for class_ in model.classes.values():
        if get_page.GET_PAGE.serves(class_):
            return f"{{ {service_name(class_.name, get_page.GET_PAGE.verb)} {{ totalCount }} }}"
    return "{ __typename }"
