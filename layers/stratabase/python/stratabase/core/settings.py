"""The settings of an instance, which come from environment variables.

`Settings` has those of the core and of the platforms. A feature declares its own in a dataclass like it, and
names it in the table of features. Each field has a `Variable` and a default. `Settings.of` reads them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from stratabase.core.features import FEATURES, MAILERS, STORES, load, missing_package
from stratabase.core.setting_values import (
    AWS_CLIENTS,
    LOG_LEVELS,
    Variable,
    one_of,
    parse_base_url,
    parse_instance,
    parse_log_level,
    parse_origins,
    parse_page_url,
    parse_password,
    parse_path,
    parse_port,
    parse_smtp_address,
    parse_switch,
    whole_number,
)
from stratabase.values.frozen import frozen

LAMBDA_MODEL = Path("/opt/model.graphql")
"""The path of the model on Lambda, where a layer contains it."""
MODEL_FILES = (Path("model.graphql"), Path("layers/model/model.graphql"))
"""Where the model of a project is. In a project that is deployed to AWS, it is in a layer."""


def find_model() -> Path:
    """Return the model of the current folder: the first of MODEL_FILES, or of those that exist."""
    return next((file for file in MODEL_FILES if file.exists()), MODEL_FILES[0])


class BadSettings(ValueError):
    """Some settings are invalid. `mistakes` has a line for each: its variable, its value and a correction."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = tuple(mistakes)


T = TypeVar("T")


@frozen
class Settings:
    """The validated settings of an instance. An empty variable counts as unset."""

    host: Annotated[str, Variable("HOST", str, "The address that the local server listens on.")] = "127.0.0.1"
    port: Annotated[int, Variable("PORT", parse_port, "The port that the local server listens on.")] = 8000
    home: Annotated[
        Path,
        Variable("STRATABASE_HOME", parse_path, "The folder in which the embedded store keeps its files."),
    ] = Path(".stratabase")
    model: Annotated[
        Path, Variable("STRATABASE_MODEL", parse_path, "The model that this instance serves.")
    ] = field(default_factory=find_model)
    admin_password: Annotated[
        str | None,
        Variable(
            "STRATABASE_ADMIN_PASSWORD",
            parse_password,
            "The password of `admin`, the first member. Without it, Stratabase generates a password.",
            secret=True,
        ),
    ] = field(default=None, repr=False)
    store: Annotated[
        str,
        Variable("STRATABASE_STORE", one_of(STORES), f"The store of the objects: {' or '.join(STORES)}."),
    ] = "sqlite"
    table: Annotated[str, Variable("STRATABASE_TABLE", str, "The DynamoDB table of the objects.")] = (
        "stratabase"
    )
    instance: Annotated[
        str | None,
        Variable(
            "STRATABASE_INSTANCE",
            parse_instance,
            "The ID of the instance to which all stores must belong. The default is that of the objects.",
        ),
    ] = None
    endpoint: Annotated[
        str | None,
        Variable(
            "STRATABASE_ENDPOINT",
            parse_base_url,
            "The URL of all AWS services, such as an emulator. The default is that of the region.",
        ),
    ] = None
    create_tables: Annotated[
        bool,
        Variable(
            "STRATABASE_CREATE_TABLES",
            parse_switch,
            "Whether Stratabase creates missing tables and buckets. This is for emulators.",
        ),
    ] = False
    aws_client: Annotated[
        str,
        Variable(
            "STRATABASE_AWS_CLIENT",
            one_of(AWS_CLIENTS),
            f"The client for the DynamoDB table of the objects: {' or '.join(AWS_CLIENTS)}.",
        ),
    ] = "signed"
    region: Annotated[
        str,
        Variable("AWS_REGION", str, "The AWS region. Lambda sets it.", instead_if_unset="AWS_DEFAULT_REGION"),
    ] = "us-east-1"
    function: Annotated[
        str | None,
        Variable("AWS_LAMBDA_FUNCTION_NAME", str, "The name of the Lambda function. Lambda sets it."),
    ] = None
    stack: Annotated[
        str,
        Variable(
            "STRATABASE_STACK", str, "The name of the stack, a dimension of metrics. The template sets it."
        ),
    ] = ""
    introspection: Annotated[
        bool,
        Variable(
            "STRATABASE_INTROSPECTION",
            parse_switch,
            "Whether clients can read the GraphQL schema by introspection, and the description of the model.",
        ),
    ] = True
    suggestions: Annotated[
        bool,
        Variable(
            "STRATABASE_SUGGESTIONS",
            parse_switch,
            'Whether GraphQL errors suggest names ("Did you mean …?").',
        ),
    ] = True
    graphiql: Annotated[
        bool, Variable("STRATABASE_GRAPHIQL", parse_switch, "Whether the service has a GraphiQL page.")
    ] = True
    console: Annotated[
        bool,
        Variable(
            "STRATABASE_CONSOLE",
            parse_switch,
            "Whether the service has a console, a page to work with the objects.",
        ),
    ] = True
    base_url: Annotated[
        str | None,
        Variable(
            "STRATABASE_BASE_URL",
            parse_base_url,
            "The root URL of all links. The default is the address of API Gateway, or of `serve`.",
        ),
    ] = None
    documentation: Annotated[
        str | None,
        Variable(
            "STRATABASE_DOCUMENTATION_URL",
            parse_base_url,
            "The URL of the documentation, to which the page at the root address leads.",
        ),
    ] = None
    app_url: Annotated[
        str | None,
        Variable(
            "STRATABASE_APP_URL",
            parse_page_url,
            "The URL of your application, to which the page leads after a member has set a password.",
        ),
    ] = None
    basic: Annotated[
        bool,
        Variable("STRATABASE_BASIC", parse_switch, "Whether the service accepts HTTP Basic authentication."),
    ] = True
    allowed_origins: Annotated[
        tuple[str, ...],
        Variable(
            "STRATABASE_ALLOWED_ORIGINS",
            parse_origins,
            "The origins whose web pages can call the service, separated by commas. `*` allows all.",
        ),
    ] = ()
    bucket: Annotated[
        str | None,
        Variable(
            "STRATABASE_BUCKET",
            str,
            "The S3 bucket of the files. The default is the folder `files` in the data folder.",
        ),
    ] = None
    file_megabytes: Annotated[
        int,
        Variable(
            "STRATABASE_FILE_MEGABYTES",
            whole_number(1, 2047),
            "The maximum size of a file in megabytes.",
        ),
    ] = 200
    file_recovery_days: Annotated[
        int,
        Variable(
            "STRATABASE_FILE_RECOVERY_DAYS",
            whole_number(0, 3650),
            "For how many days the folder of the files keeps deleted ones. A bucket has a rule for that.",
        ),
    ] = 0
    open_downloads: Annotated[
        int,
        Variable(
            "STRATABASE_OPEN_DOWNLOADS",
            whole_number(0, 50),
            "How many downloads of more than 5 MB a member can have open at the same time. 0: any number.",
        ),
    ] = 0
    pending_megabytes: Annotated[
        int,
        Variable(
            "STRATABASE_PENDING_MEGABYTES",
            whole_number(1, 1_000_000),
            "The maximum number of megabytes of a member's uploads that no object has taken yet.",
        ),
    ] = 1024
    pending_files: Annotated[
        int,
        Variable(
            "STRATABASE_PENDING_FILES",
            whole_number(1, 100_000),
            "The maximum number of a member's uploads that no object has taken yet.",
        ),
    ] = 500
    members_table: Annotated[
        str, Variable("STRATABASE_MEMBERS_TABLE", str, "The DynamoDB table of the members.")
    ] = "stratabase-members"
    signing_keys: Annotated[
        str | None,
        Variable(
            "STRATABASE_SIGNING_KEYS",
            str,
            "The secret in Secrets Manager with the token signing keys. "
            "The default is a file in the data folder.",
        ),
    ] = None
    mail: Annotated[
        str,
        Variable("STRATABASE_MAIL", one_of(MAILERS), f"How Stratabase sends email: {', '.join(MAILERS)}."),
    ] = "outbox"
    mail_from: Annotated[
        str, Variable("STRATABASE_MAIL_FROM", str, "The sender of emails, such as Hr <no-reply@example.com>.")
    ] = "Stratabase <no-reply@localhost>"
    smtp: Annotated[
        str | None,
        Variable(
            "STRATABASE_SMTP",
            parse_smtp_address,
            "The SMTP server: smtp://[user:password@]host[:port] (STARTTLS if offered) or smtps://.",
            secret=True,
        ),
    ] = field(default=None, repr=False)
    smtp_secret: Annotated[
        str | None,
        Variable(
            "STRATABASE_SMTP_SECRET",
            str,
            "The secret of AWS Secrets Manager whose text is the SMTP server, in place of STRATABASE_SMTP.",
        ),
    ] = None
    mail_function: Annotated[
        str | None,
        Variable(
            "STRATABASE_MAIL_FUNCTION",
            str,
            "The Lambda function that emails links for forgotten passwords. "
            "The default is a thread of the local server.",
        ),
    ] = None
    identity_providers_secret: Annotated[
        str | None,
        Variable(
            "STRATABASE_IDENTITY_PROVIDERS_SECRET",
            str,
            "The secret of AWS Secrets Manager whose text is the document of the identity providers, "
            "in place of STRATABASE_IDENTITY_PROVIDERS.",
        ),
    ] = None
    query_depth: Annotated[
        int,
        Variable("STRATABASE_QUERY_DEPTH", whole_number(1, 1000), "The maximum depth of a query."),
    ] = 15
    query_aliases: Annotated[
        int,
        Variable(
            "STRATABASE_QUERY_ALIASES", whole_number(0, 10_000), "The maximum number of aliases in a query."
        ),
    ] = 50
    query_directives: Annotated[
        int,
        Variable(
            "STRATABASE_QUERY_DIRECTIVES",
            whole_number(0, 1000),
            "The maximum number of directives at one location of a query.",
        ),
    ] = 10
    query_cost: Annotated[
        int,
        Variable(
            "STRATABASE_QUERY_COST",
            whole_number(100, 100_000_000),
            "The maximum estimated cost of a query. Each object read costs 1, each object written 10.",
        ),
    ] = 100_000
    query_kilobytes: Annotated[
        int,
        Variable(
            "STRATABASE_QUERY_KILOBYTES", whole_number(1, 1024), "The maximum size of a query in kilobytes."
        ),
    ] = 64
    read_megabytes: Annotated[
        int,
        Variable(
            "STRATABASE_READ_MEGABYTES",
            whole_number(1, 10_000),
            "The maximum number of megabytes that a GraphQL request reads from the store.",
        ),
    ] = 20
    read_seconds: Annotated[
        int,
        Variable(
            "STRATABASE_READ_SECONDS",
            whole_number(1, 900),
            "The maximum number of seconds that a GraphQL request spends reading from the store.",
        ),
    ] = 10
    totals_objects: Annotated[
        int,
        Variable(
            "STRATABASE_TOTALS_OBJECTS",
            whole_number(1, 100_000_000),
            "The maximum number of objects that a GraphQL request reads for totals from a local store.",
        ),
    ] = 1_000_000
    totals_seconds: Annotated[
        int,
        Variable(
            "STRATABASE_TOTALS_SECONDS",
            whole_number(1, 900),
            "The maximum number of seconds that a GraphQL request spends on totals from a local store.",
        ),
    ] = 10
    request_seconds: Annotated[
        int,
        Variable(
            "STRATABASE_REQUEST_SECONDS",
            whole_number(1, 900),
            "After how many seconds a request gives up waiting for the store.",
        ),
    ] = 26
    bulk_objects: Annotated[
        int,
        Variable(
            "STRATABASE_BULK_OBJECTS",
            whole_number(1, 100_000),
            "The maximum number of objects in an updateBulk or deleteBulk.",
        ),
    ] = 1000
    bulk_seconds: Annotated[
        int,
        Variable(
            "STRATABASE_BULK_SECONDS",
            whole_number(1, 900),
            "After how many seconds an updateBulk or deleteBulk stops and reports its progress.",
        ),
    ] = 20
    require_bulk_condition: Annotated[
        bool,
        Variable(
            "STRATABASE_REQUIRE_BULK_CONDITION",
            parse_switch,
            "Whether an updateBulk or deleteBulk without any condition is an error.",
        ),
    ] = True
    lock_minutes: Annotated[
        int,
        Variable(
            "STRATABASE_LOCK_MINUTES",
            whole_number(10, 10_080),
            "The maximum number of minutes of a lock.",
        ),
    ] = 1440
    log_level: Annotated[
        str,
        Variable(
            "STRATABASE_LOG_LEVEL",
            parse_log_level,
            f"The minimum level of log messages: {', '.join(LOG_LEVELS)}.",
        ),
    ] = "INFO"
    others: tuple[object, ...] = ()
    """Settings of features that do not come from the environment."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """The variables from which features read their own settings."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """Return the settings in environment variables. Raises BadSettings, which lists all mistakes.

        A Lambda function reads the settings of a feature when it uses them first, so that it imports nothing
        of the others, some of which it doesn't have.
        """
        on_lambda = "AWS_LAMBDA_FUNCTION_NAME" in environment
        mistakes: list[str] = []
        values = _values(cls, environment, mistakes)
        for declared in () if on_lambda else feature_settings():
            _values(declared, environment, mistakes)
        if mistakes:
            raise BadSettings(mistakes)
        defaults = {"model": LAMBDA_MODEL} if on_lambda else {}
        return cls(**{**defaults, **values}, environment=dict(environment))

    def of(self, declared: type[T]) -> T:
        """Return the settings that a feature declares in a dataclass. Raises BadSettings."""
        for each in self.others:
            if isinstance(each, declared):
                return each
        mistakes: list[str] = []
        values = _values(declared, self.environment, mistakes)
        if mistakes:
            raise BadSettings(mistakes)
        return declared(**values)


def feature_settings() -> Iterator[type]:
    """Yield the dataclasses with the settings of the features whose packages are installed."""
    for feature in FEATURES:
        if feature.settings is not None and missing_package(feature.settings) is None:
            yield load(feature.settings)


class SettingInForce(NamedTuple):
    """A setting with its value, and whether that is the default."""

    variable: Variable
    value: Any
    is_default: bool


def settings_in_force(settings: Settings) -> Iterator[SettingInForce]:
    """Yield all settings with their values, also those of the features in this process."""
    for each in (Settings, *(load(name) for name in _settings_references() if _is_installed(name))):
        values = settings if each is Settings else settings.of(each)
        defaults = each()
        for name, variable in _variables(each):
            value = getattr(values, name)
            yield SettingInForce(variable, value, value == getattr(defaults, name))


def _settings_references() -> Iterator[str]:
    return (feature.settings for feature in FEATURES if feature.settings is not None)


def _is_installed(reference: str) -> bool:
    """Return whether this process has what a reference names. Lambda functions have no server."""
    try:
        return find_spec(reference.partition(":")[0]) is not None
    except ModuleNotFoundError:
        return False


def variables() -> Iterator[tuple[str, Variable]]:
    """Yield the field name and the variable of each setting, also of those of the features."""
    for declared in (Settings, *feature_settings()):
        yield from _variables(declared)


def _variables(declared: type) -> Iterator[tuple[str, Variable]]:
    for name, annotation in declared.__annotations__.items():
        for variable in getattr(annotation, "__metadata__", ()):
            yield name, variable


def _values(declared: type, environment: Mapping[str, str], mistakes: list[str]) -> dict[str, Any]:
    """Return the values that an environment has for the fields of a dataclass, and add the mistakes in it."""
    values: dict[str, Any] = {}
    for name, variable in _variables(declared):
        text = environment.get(variable.name) or environment.get(variable.instead_if_unset)
        try:
            values.update({name: variable.parse(text)} if text else {})
        except ValueError as error:
            mistakes.append(variable.error_message(text or "", error))
    return values
