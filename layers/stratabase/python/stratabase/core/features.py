"""The features: what each package brings to an app, such as all commands, routes, stores and kinds of job.

A feature names its functions by references such as `"package.module:function"`, which are imported when they
are used: a Lambda function imports its own routes only, and a command only its own module.

To add a feature, write its package, and add its row to FEATURES.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple


class CommandEntry(NamedTuple):
    """A command of `stratabase`."""

    module: str
    """The module that has it, with the functions `configure` and `run`."""
    help: str
    resumes: bool = False
    """Whether a person can interrupt it and run it again, until it is complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What a package brings to an app. Each value is a reference to a function, unless its text says more."""

    routes: Mapping[str, str] = field(default_factory=dict)
    """By the name of a Lambda function: returns the `core.app.routes.Route`s that it serves."""
    commands: Mapping[str, CommandEntry] = field(default_factory=dict)
    """The commands by their names."""
    settings: str | None = None
    """The dataclass with its own settings (see `core.settings`)."""
    stores: Mapping[str, str] = field(default_factory=dict)
    """By a value of STRATABASE_STORE: takes the settings; returns the `Platform` that has this store."""
    mailers: Mapping[str, str] = field(default_factory=dict)
    """By a value of STRATABASE_MAIL: takes the settings; returns a `Mailer`."""
    services: Mapping[str, str] = field(default_factory=dict)
    """By a field of the settings, such as `bucket`: takes the settings; returns what is outside of the data
    folder if the field is set. It works beside every store."""
    sources: str | None = None
    """Takes an app; returns the `ObjectSource`s of its objects that the store does not have, by class."""
    authenticators: str | None = None
    """Takes an app; returns the `Authenticator`s by the name of their scheme."""
    token_issuers: str | None = None
    """Takes an app; returns, by issuer, what returns the caller with a Bearer token of that other service."""
    health: str | None = None
    """Takes an app; returns what keeps it from serving, by the field of the health response that says so."""
    jobs: Sequence[str] = ()
    """Each takes an app; returns `core.jobs.job.JobKind`s whose jobs are in the stores of the instance."""
    local_jobs: str | None = None
    """Takes an app; returns `core.jobs.job.JobKind`s whose jobs are in files of this machine."""


FEATURES: tuple[Feature, ...] = (
    Feature(
        routes={
            "graphql": "stratabase.core.app.routes:graphql_routes",
            "files": "stratabase.core.app.routes:file_routes",
            "download": "stratabase.core.app.routes:download_routes",
            "console": "stratabase.core.app.routes:console_routes",
        },
        jobs=("stratabase.core.app.jobs:jobs_of_objects", "stratabase.core.app.jobs:jobs_of_files"),
    ),
    Feature(
        commands={
            "init": CommandEntry(
                "stratabase.cli.init",
                "create a new project: a model, a README and pyproject.toml, and on request what AWS needs",
            ),
        },
    ),
    Feature(
        commands={
            "serve": CommandEntry(
                "stratabase.server.commands.serve",
                "serve the model on this machine, and reload when the model or the code changes",
            ),
        },
        settings="stratabase.server.settings:ServerSettings",
    ),
    Feature(
        routes={"members": "stratabase.evolution.app.routes:service_routes"},
        commands={
            "model": CommandEntry(
                "stratabase.cli.model", "check the model, or print what Stratabase generates from it"
            ),
            "reindex": CommandEntry(
                "stratabase.evolution.commands.reindex",
                "build the indexes, unique constraints and required roles of a changed model while the "
                "service runs",
                resumes=True,
            ),
            "erase": CommandEntry(
                "stratabase.evolution.commands.erase",
                "erase an object for good, with its parts, versions and files, or list what was erased",
                resumes=True,
            ),
        },
        jobs=(
            "stratabase.evolution.backfill.served_models:served_model_jobs",
            "stratabase.evolution.app.erasures:erasure_jobs",
        ),
    ),
    Feature(
        routes={
            "tokens": "stratabase.members.app.routes:token_routes",
            "signin": "stratabase.members.app.routes:signin_routes",
            "members": "stratabase.members.app.routes:member_routes",
        },
        commands={
            "keys": CommandEntry(
                "stratabase.members.commands.keys", "list or rotate the keys that sign tokens"
            ),
            "members": CommandEntry("stratabase.members.commands.members", "list, create and change members"),
            "providers": CommandEntry(
                "stratabase.members.commands.providers",
                "list and check the identity providers with which members can sign in",
            ),
        },
        settings="stratabase.members.settings:MemberSettings",
        stores={"sqlite": "stratabase.members.app.local_platform:LocalPlatform"},
        mailers={
            "outbox": "stratabase.members.app.mailers:outbox",
            "smtp": "stratabase.members.app.mailers:smtp",
        },
        sources="stratabase.members.app.auth_services:sources_of_users",
        authenticators="stratabase.members.app.auth_services:authenticators",
        health="stratabase.members.app.auth_services:check_keys",
        jobs=("stratabase.members.app.audit_jobs:jobs_of_audit",),
        local_jobs="stratabase.members.app.member_services:jobs_of_mail",
    ),
    Feature(
        routes={"members": "stratabase.core.app.routes:openapi_routes"},
        commands={
            "store": CommandEntry(
                "stratabase.cli.store",
                "show which instance and layout the stores have, adopt a restored store, raise the layout, "
                "or list failed work",
            ),
        },
    ),
    Feature(
        commands={
            "export": CommandEntry(
                "stratabase.transfer.commands.export",
                "write all data of an instance to a folder, or the objects of a class to a CSV file",
                resumes=True,
            ),
            "import": CommandEntry(
                "stratabase.transfer.commands.import",
                "read an export into an empty store, or the rows of a CSV file as objects of a class",
                resumes=True,
            ),
            "audit": CommandEntry(
                "stratabase.transfer.commands.audit",
                "write the audit trail of the members to a CSV file: sign-ins, refusals and changes",
            ),
            "copy": CommandEntry(
                "stratabase.transfer.commands.copy",
                "copy an instance to other stores, such as from SQLite to DynamoDB",
                resumes=True,
            ),
            "backup": CommandEntry(
                "stratabase.transfer.commands.backup",
                "copy all data of a local instance to a folder, also while it is served",
                resumes=True,
            ),
            "restore": CommandEntry(
                "stratabase.transfer.commands.restore", "copy a backup to an empty data folder", resumes=True
            ),
            "files": CommandEntry(
                "stratabase.cli.files",
                "upload files to an instance, download them, and check the stored files",
                resumes=True,
            ),
        },
    ),
    Feature(
        commands={
            "aws": CommandEntry(
                "stratabase_aws.commands.aws", "deploy an instance to AWS, try it, and delete it"
            )
        },
        stores={"dynamodb": "stratabase_aws.app.platform:DynamoDBPlatform"},
        mailers={"ses": "stratabase_aws.app.services:ses"},
        services={
            "bucket": "stratabase_aws.app.services:bucket",
            "signing_keys": "stratabase_aws.app.services:secret_keyring",
            "smtp_secret": "stratabase_aws.app.services:secret_smtp",
            "identity_providers_secret": "stratabase_aws.app.services:secret_providers",
            "mail_function": "stratabase_aws.app.services:mail_function_queue",
        },
    ),
)
"""All features. Commands and routes appear in this order."""

STORES: Mapping[str, str] = {name: each for feature in FEATURES for name, each in feature.stores.items()}
MAILERS: Mapping[str, str] = {name: each for feature in FEATURES for name, each in feature.mailers.items()}
SERVICES: Mapping[str, str] = {name: each for feature in FEATURES for name, each in feature.services.items()}
"""The columns of all features as one table each."""


def load(reference: str) -> Any:
    """Return what a reference such as `"package.module:name"` names."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def open_service(field_name: str, settings: Any) -> Any:
    """Return the service that a field of the settings names, None if the field is not set."""
    return None if getattr(settings, field_name) is None else load(SERVICES[field_name])(settings)


def missing_package(reference: str) -> str | None:
    """Return the name of the package that a reference needs, None if it is installed."""
    package = reference.partition(".")[0]
    is_there = package in sys.modules or find_spec(package) is not None
    return None if is_there else package.replace("_", "-")
