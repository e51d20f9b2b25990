"""`stratabase aws`: deploys an instance to AWS, tries it, and deletes it."""

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping

from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.constraints.file_limits import FileExtensions, FileSize
from stratabase.core.model.model import Model
from stratabase.core.model.reading import InvalidModel, read_model_file
from stratabase.core.setting_values import parse_base_url
from stratabase.core.settings import BadSettings, Settings
from stratabase.core.unusable_store import UnusableStore
from stratabase.terminal.arguments import Argument, Options, Subcommand, add_subcommands
from stratabase.terminal.command_error import FAILED, MISUSED, CommandError
from stratabase.terminal.settings import read_settings
from stratabase.transfer.client.credentials import PASSWORD_VARIABLE, PasswordCredentials, read_credentials
from stratabase_aws.deploy.configure import Choices, complete_environment
from stratabase_aws.deploy.deploy import check_account, deploy, protect
from stratabase_aws.deploy.destroy import destroy
from stratabase_aws.deploy.environment import read_environment
from stratabase_aws.deploy.parameters import parse_parameters, parse_shell_words
from stratabase_aws.deploy.questions import ask
from stratabase_aws.deploy.smoke import FILE_SIZE, SMOKE_CHECKS, TriedInstance, smoke
from stratabase_aws.deploy.stack import Stack, translate_aws_errors
from stratabase_aws.deploy.table_clients import check_table_clients


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands."""
    add_subcommands(parser, _SUBCOMMANDS)


def run(options: Options) -> int:
    """Run the subcommand, and print the lines that it yields."""
    try:
        with translate_aws_errors():
            for line in options.subcommand(options):
                print(line, flush=True)
    except (InvalidModel, BadSettings, UnusableStore) as error:
        raise CommandError(str(error)) from error
    return 0


def _configure(options: Options) -> Iterator[str]:
    """Yield the name of the stage, for `make deploy`. A person reads the rest."""
    environment = complete_environment(_choices(options), ask, yes=options.yes)
    for line in check_account(environment):
        print(line, file=sys.stderr)
    yield environment.name


def _deploy(options: Options) -> Iterator[str]:
    environment = complete_environment(_choices(options), ask, yes=options.yes)
    yield from deploy(environment, ask, yes=options.yes)


def _choices(options: Options) -> Choices:
    parameters = parse_shell_words(options.parameters) | parse_parameters(options.parameter)
    return Choices(options.environment or None, options.region, options.administrator, parameters)


def _destroy(options: Options) -> Iterator[str]:
    yield from destroy(read_environment(options.environment), ask, yes=options.yes)


def _protect(options: Options) -> Iterator[str]:
    stack = Stack(read_environment(options.environment))
    if stack.description is None:
        raise CommandError(f"The stack {stack.name} does not exist in {stack.region}.")
    yield from protect(stack, options.environment)
    yield "The tables of the stack are protected from deletion."


def _settings(options: Options) -> Iterator[str]:
    """Yield the settings as commands of a shell."""
    stack = Stack(read_environment(options.environment))
    print(f"Reading the settings of the functions of {stack.name}", file=sys.stderr)
    for name, value in stack.settings().items():
        yield f"export {name}={shlex.quote(value)}"


def _smoke(options: Options) -> Iterator[str]:
    try:
        base_url = parse_base_url(options.url)
    except ValueError as error:
        raise CommandError(f'"{options.url}" is not a base URL. {error}', MISUSED) from error
    credentials = read_credentials(options.user)
    assert isinstance(credentials, PasswordCredentials)
    instance = TriedInstance(base_url, credentials)
    model = read_model_file(read_settings().model)
    chosen = _named_attribute(model, options.file) if options.file else next(_large_attributes(model), None)
    if chosen is not None:
        instance.file_target, instance.extension = chosen
    failures, checks = 0, dict(SMOKE_CHECKS)
    if options.environment:
        variables = Stack(read_environment(options.environment)).environment_variables()
        settings = Settings.from_environment(variables)
        checks["table"] = lambda _instance: check_table_clients(settings)
    for outcome in smoke(instance, checks):
        failures += outcome.failed
        yield outcome.line
    if failures:
        raise CommandError(f"Failed checks: {failures}.", FAILED)


def _named_attribute(model: Model, name: str) -> tuple[FileTarget, str]:
    """Return the attribute that a text such as Contract.scan names. Raises CommandError."""
    class_name, _, attribute_name = name.partition(".")
    class_ = model.classes.get(class_name)
    attribute = class_.attributes.get(attribute_name) if class_ else None
    if attribute is None or not attribute.type.holds_file:
        raise CommandError(f'"{name}" is not a File attribute of the model. Write CLASS.ATTRIBUTE.', MISUSED)
    return FileTarget(class_name, attribute_name), _extension(attribute)


def _large_attributes(model: Model) -> Iterator[tuple[FileTarget, str]]:
    """Yield the attributes that take a file as large as that of the check, each with a file extension."""
    for class_ in model.classes.values():
        for name, each in class_.attributes.items():
            limits = [limit.maximum for limit in each.constraints if isinstance(limit, FileSize)]
            if each.type.holds_file and min(limits, default=FILE_SIZE) >= FILE_SIZE:
                yield FileTarget(class_.name, name), _extension(each)


def _extension(attribute: Attribute) -> str:
    allowed = [each.extensions for each in attribute.constraints if isinstance(each, FileExtensions)]
    return allowed[0][0] if allowed else "bin"


_ENVIRONMENT: Argument = (
    "environment",
    {"nargs": "?", "default": "dev", "help": "the environment in samconfig.toml; the default is dev"},
)
_YES: Argument = ("--yes", {"action": "store_true", "help": "ask no questions"})
_DEPLOYED: tuple[Argument, ...] = (
    ("environment", {"nargs": "?", "help": "the stage: an environment in samconfig.toml, such as dev"}),
    (
        "--region",
        {"help": "the AWS Region, in place of the one in samconfig.toml, where it is saved"},
    ),
    (
        "--administrator",
        {
            "metavar": "EMAIL",
            "help": "the address of the first administrator, which also gets alarms and sends email unless "
            "MailFrom and AlarmEmail say otherwise",
        },
    ),
    (
        "--parameter",
        {
            "action": "append",
            "default": [],
            "metavar": "NAME=VALUE",
            "help": "a parameter of the template for this deployment, in place of the one in samconfig.toml; "
            "can be repeated",
        },
    ),
    (
        "--parameters",
        {
            "default": "",
            "metavar": "TEXT",
            "help": "several such parameters in one text, with quotes as in a shell: "
            "'Basic=off MailFromName=\"HR Team\"'",
        },
    ),
    _YES,
)
_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "configure": Subcommand(
        _configure,
        "ask what a first deployment needs, save it in samconfig.toml, check the account, and print the name "
        "of the stage",
        _DEPLOYED,
        example="stratabase aws configure dev --region eu-central-1 --administrator rosa@example.com",
    ),
    "deploy": Subcommand(
        _deploy,
        "deploy what `make build` has built, after it shows what the change of the model means, and create "
        "the first administrator",
        _DEPLOYED,
        example="stratabase aws deploy prod --parameter Basic=off",
    ),
    "smoke": Subcommand(
        _smoke,
        "try an instance: health, headers, clock, methods, tokens, GraphQL, and a file of 20 MB",
        (
            ("url", {"metavar": "URL", "help": "the base URL of the instance"}),
            (
                "--user",
                {
                    "metavar": "NAME",
                    "required": True,
                    "help": f"the member to sign in as; the password comes from {PASSWORD_VARIABLE}, or the "
                    "command asks for it",
                },
            ),
            (
                "--file",
                {
                    "metavar": "CLASS.ATTRIBUTE",
                    "help": "the attribute for which a file is uploaded; the default is the first in the "
                    "model that takes 20 MB",
                },
            ),
            (
                "--environment",
                {
                    "metavar": "STAGE",
                    "help": "also compare the two clients of DynamoDB on the table of this stage; nothing is "
                    "written",
                },
            ),
        ),
        example="stratabase aws smoke https://api.example.com --user admin",
    ),
    "settings": Subcommand(
        _settings,
        "print the settings with which other commands use the deployed instance",
        (_ENVIRONMENT,),
        example='eval "$(stratabase aws settings prod)"',
    ),
    "protect": Subcommand(
        _protect,
        "protect the tables from deletion, which `deploy` does, too",
        (_ENVIRONMENT,),
        example="stratabase aws protect prod",
    ),
    "destroy": Subcommand(
        _destroy,
        "delete the stack, and say what stays: tables, bucket, secret",
        (_ENVIRONMENT, _YES),
        example="stratabase aws destroy dev",
    ),
}
