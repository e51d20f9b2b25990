"""The settings of an instance; this is the only file that reads the environment."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from stratabase.setting_values import (
    LOG_LEVELS,
    MAILERS,
    STORES,
    Variable,
    one_of,
    parse_base_url,
    parse_log_level,
    parse_origins,
    parse_password,
    parse_port,
    parse_smtp_address,
    parse_switch,
    whole_number,
)

LAMBDA_MODEL = Path("/opt/model.graphql")
"""Where the model is on Lambda: in a layer."""


class BadSettings(ValueError):
    """Invalid settings; a line for each, with its variable, its value and what would be right."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = tuple(mistakes)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an instance, checked. An empty variable counts as one that is not set."""

    host: Annotated[str, Variable("HOST", str, "The address that the local server listens on.")] = "127.0.0.1"
    port: Annotated[int, Variable("PORT", parse_port, "The port that the local server listens on.")] = 8000
    home: Annotated[
        Path, Variable("STRATABASE_HOME", Path, "The folder in which the embedded store keeps its files.")
    ] = Path(".stratabase")
    model: Annotated[Path, Variable("STRATABASE_MODEL", Path, "The model that this instance serves.")] = Path(
        "layers/model/model.graphql"
    )
    admin_password: Annotated[
        str | None,
        Variable(
            "STRATABASE_ADMIN_PASSWORD",
            parse_password,
            "The password of `admin`, who is made when there is no member. Without it a random one is made.",
            secret=True,
        ),
    ] = field(default=None, repr=False)
    store: Annotated[
        str,
        Variable("STRATABASE_STORE", one_of(STORES), f"What keeps the objects: {' or '.join(STORES)}."),
    ] = "sqlite"
    table: Annotated[str, Variable("STRATABASE_TABLE", str, "The table in DynamoDB.")] = "stratabase"
    endpoint: Annotated[
        str | None,
        Variable(
            "STRATABASE_ENDPOINT",
            parse_base_url,
            "Where DynamoDB is, if it is not AWS's own in its region.",
        ),
    ] = None
    region: Annotated[str, Variable("AWS_REGION", str, "The region of AWS; Lambda sets it.")] = "us-east-1"
    introspection: Annotated[
        bool,
        Variable(
            "STRATABASE_INTROSPECTION", parse_switch, "Whether a client may ask for the GraphQL schema."
        ),
    ] = True
    suggestions: Annotated[
        bool, Variable("STRATABASE_SUGGESTIONS", parse_switch, 'Whether GraphQL errors say "did you mean".')
    ] = True
    graphiql: Annotated[
        bool, Variable("STRATABASE_GRAPHIQL", parse_switch, "Whether there is a GraphiQL page.")
    ] = True
    base_url: Annotated[
        str | None,
        Variable(
            "STRATABASE_BASE_URL",
            parse_base_url,
            "The root of all links. Without it, the gateway's own address.",
        ),
    ] = None
    basic: Annotated[
        bool, Variable("STRATABASE_BASIC", parse_switch, "Whether HTTP Basic authentication is on offer.")
    ] = True
    allowed_origins: Annotated[
        tuple[str, ...],
        Variable(
            "STRATABASE_ALLOWED_ORIGINS",
            parse_origins,
            "The origins whose web pages may call the service, with commas between them; `*` is any.",
        ),
    ] = ()
    members_table: Annotated[
        str, Variable("STRATABASE_MEMBERS_TABLE", str, "The table of the members in DynamoDB.")
    ] = "stratabase-members"
    signing_keys: Annotated[
        str | None,
        Variable(
            "STRATABASE_SIGNING_KEYS",
            str,
            "The secret in Secrets Manager that holds the keys of tokens. Without it, a file in the home.",
        ),
    ] = None
    token_minutes: Annotated[
        int,
        Variable("STRATABASE_TOKEN_MINUTES", whole_number(1, 1440), "For how long a token is good."),
    ] = 30
    session_hours: Annotated[
        int,
        Variable(
            "STRATABASE_SESSION_HOURS",
            whole_number(1, 720),
            "How long after a password was given its tokens can be refreshed.",
        ),
    ] = 12
    password_length: Annotated[
        int,
        Variable(
            "STRATABASE_PASSWORD_LENGTH", whole_number(8, 64), "The fewest characters that a password has."
        ),
    ] = 12
    mail: Annotated[
        str,
        Variable("STRATABASE_MAIL", one_of(MAILERS), f"What delivers mail: {', '.join(MAILERS)}."),
    ] = "outbox"
    mail_from: Annotated[
        str, Variable("STRATABASE_MAIL_FROM", str, "The sender of mail, such as Hr <no-reply@example.com>.")
    ] = "Stratabase <no-reply@localhost>"
    smtp: Annotated[
        str | None,
        Variable(
            "STRATABASE_SMTP",
            parse_smtp_address,
            "The SMTP server: smtp://[user:password@]host[:port] (STARTTLS where it is offered) or smtps://.",
            secret=True,
        ),
    ] = field(default=None, repr=False)
    query_depth: Annotated[
        int,
        Variable("STRATABASE_QUERY_DEPTH", whole_number(1, 1000), "How deep a query may select."),
    ] = 15
    query_aliases: Annotated[
        int,
        Variable("STRATABASE_QUERY_ALIASES", whole_number(0, 10_000), "How many aliases a query may have."),
    ] = 50
    query_directives: Annotated[
        int,
        Variable(
            "STRATABASE_QUERY_DIRECTIVES",
            whole_number(0, 1000),
            "How many directives may stand at one place of a query.",
        ),
    ] = 10
    query_cost: Annotated[
        int,
        Variable(
            "STRATABASE_QUERY_COST",
            whole_number(100, 100_000_000),
            "What a query may cost, as it is estimated: an object that is read counts 1, one written 10.",
        ),
    ] = 100_000
    query_kilobytes: Annotated[
        int,
        Variable("STRATABASE_QUERY_KILOBYTES", whole_number(1, 1024), "How long the text of a query may be."),
    ] = 64
    read_megabytes: Annotated[
        int,
        Variable(
            "STRATABASE_READ_MEGABYTES",
            whole_number(1, 10_000),
            "How much one GraphQL request may read from the store, in megabytes.",
        ),
    ] = 20
    read_seconds: Annotated[
        int,
        Variable(
            "STRATABASE_READ_SECONDS",
            whole_number(1, 900),
            "How long one GraphQL request may go on reading from the store, in seconds.",
        ),
    ] = 10
    bulk_objects: Annotated[
        int,
        Variable(
            "STRATABASE_BULK_OBJECTS",
            whole_number(1, 100_000),
            "How many objects one updateBulk or deleteBulk may be for.",
        ),
    ] = 1000
    bulk_seconds: Annotated[
        int,
        Variable(
            "STRATABASE_BULK_SECONDS",
            whole_number(1, 900),
            "After how many seconds an updateBulk or deleteBulk ends, and says how far it has come.",
        ),
    ] = 20
    lock_minutes: Annotated[
        int,
        Variable(
            "STRATABASE_LOCK_MINUTES",
            whole_number(10, 10_080),
            "For how many minutes an object may be locked at most.",
        ),
    ] = 1440
    worker_timeout_seconds: Annotated[
        int,
        Variable(
            "STRATABASE_WORKER_TIMEOUT_SECONDS",
            whole_number(0, 3600),
            "After how many seconds in which its event loop stands still `serve` ends a worker; 0: never.",
        ),
    ] = 30
    log_level: Annotated[
        str,
        Variable(
            "STRATABASE_LOG_LEVEL", parse_log_level, f"The least that is logged: {', '.join(LOG_LEVELS)}."
        ),
    ] = "INFO"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """Return the settings in environment variables. Raises BadSettings, with all mistakes."""
        values: dict[str, Any] = {"model": LAMBDA_MODEL} if "AWS_LAMBDA_FUNCTION_NAME" in environment else {}
        mistakes: list[str] = []
        for name, variable in variables():
            text = environment.get(variable.name)
            try:
                values.update({name: variable.parse(text)} if text else {})
            except ValueError as error:
                mistakes.append(variable.error_message(text or "", error))
        if mistakes:
            raise BadSettings(mistakes)
        return cls(**values)


def variables() -> Iterator[tuple[str, Variable]]:
    """Yield every setting's name with its variable."""
    for name, annotation in Settings.__annotations__.items():
        yield name, annotation.__metadata__[0]
