"""Asks what a first deployment needs, and saves the answers in samconfig.toml, which the SAM CLI reads."""

import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import boto3

from stratabase.terminal.command_error import MISUSED, CommandError
from stratabase.values.wording import nearest_word
from stratabase_aws.deploy.environment import (
    OWN_SECTION,
    DeploymentEnvironment,
    read_environment,
    read_environments,
)
from stratabase_aws.deploy.parameters import format_override
from stratabase_aws.deploy.questions import AnswerCheck, Ask, NoAnswer, ask_until_valid, check_address
from stratabase_aws.deploy.samconfig import CONFIGURATION, Table, save_values
from stratabase_aws.deploy.stack import region_of_machine, translate_aws_errors
from stratabase_aws.deploy.template_functions import require_functions
from stratabase_aws.deploy.template_parameters import (
    TEMPLATE_FILE,
    TemplateParameter,
    find_mistakes,
    read_parameters,
    require_valid,
)

_FIRST_STAGE = "dev"
_SENDER = "MailFrom"
_TOLD_OF_ALARMS = "AlarmEmail"
_REGION = re.compile(r"[a-z]{2,}(?:-[a-z]+)+-\d+")


@dataclass(frozen=True)
class Choices:
    """What the command line or the environment says already. What is None is asked."""

    stage: str | None = None
    region: str | None = None
    administrator: str | None = None
    parameters: Mapping[str, str] | None = None
    """Parameters of the template for this deployment only."""


def complete_environment(
    choices: Choices, ask: Ask, *, yes: bool, path: Path = CONFIGURATION, template: Path = TEMPLATE_FILE
) -> DeploymentEnvironment:
    """Return the environment to deploy, after asking what is missing and saving the answers.

    Raises CommandError.

    Args:
        choices: What is not asked.
        ask: Asks a question with a default answer.
        yes: Ask nothing. What is missing and has no default raises CommandError.
        path: The configuration of the SAM CLI.
        template: The template, which says what parameters there are.
    """
    declared = read_parameters(template)
    require_functions(template)
    given = choices.parameters or {}
    require_valid(given, declared, "--parameter")
    known = read_environments(path)
    asker = _Asker(ask, declared, yes=yes)
    region = choices.region and _checked(choices.region, check_region)
    is_new = not any(each.region for each in known.values())
    if choices.stage is None and region is None and is_new:
        region = asker.region(_region_of_machine(None))
    environment = read_environment(choices.stage or asker.stage(known), path)
    require_valid(environment.parameters, declared, f"{path.name}, {environment.name}")
    region = region or environment.region or asker.region(_region_of_machine(environment.profile))
    administrator = choices.administrator or environment.administrator
    if administrator is None and not {**environment.parameters, **given}.get(_SENDER):
        administrator = asker.administrator()
    saved = replace(
        environment,
        region=region,
        administrator=administrator and _checked(administrator, check_address),
        parameters=_with_addresses(environment.parameters, administrator, declared),
    )
    require_valid(saved.parameters, declared, "The address of the administrator")
    _warn_of_another_region(saved)
    if saved != environment:
        save_values(path, _values(saved, environment))
        print(f"Saved the answers for {saved.name} in {path}.", file=sys.stderr)
    return replace(saved, parameters={**saved.parameters, **given})


class _Asker:
    """Asks for the values that have no saved answer."""

    def __init__(self, ask: Ask, declared: Mapping[str, TemplateParameter], *, yes: bool) -> None:
        self._ask = ask
        self._declared = declared
        self._yes = yes

    def region(self, default: str) -> str:
        missing = "Name it with --region (make: REGION=eu-central-1), or set AWS_REGION."
        return self._answer("AWS Region", default, check_region, missing)

    def stage(self, known: Mapping[str, DeploymentEnvironment]) -> str:
        used = [name for name, each in known.items() if each.region]
        if len(used) == 1:
            return used[0]
        names = ", ".join(known)
        default = _FIRST_STAGE if _FIRST_STAGE in known else ""
        missing = f"Name one of {names} (make: ENV={next(iter(known), _FIRST_STAGE)})."

        def check(answer: str) -> str:
            return "" if answer in known else f'"{answer}" is none of the stages. Choose {names}.'

        return self._answer(f"Stage ({names})", default, check, missing)

    def administrator(self) -> str:
        missing = "Name it with --administrator (make: ADMIN=name@example.com)."

        def check(answer: str) -> str:
            mistakes = find_mistakes(_with_addresses({}, answer, self._declared), self._declared)
            return check_address(answer) or "\n".join(mistakes)

        return self._answer("Email address of the administrator", "", check, missing)

    def _answer(self, question: str, default: str, check: AnswerCheck, missing: str) -> str:
        if self._yes:
            if not default:
                raise CommandError(f"No answer to: {question}. {missing}", MISUSED)
            return _checked(default, check)
        try:
            return ask_until_valid(self._ask, question, default, check)
        except NoAnswer as error:
            raise CommandError(f"{error} {missing}", MISUSED) from error


def check_region(region: str) -> str:
    """Return what is wrong with the name of a Region, or an empty text. A Region may be newer than boto3."""
    session = boto3.Session()
    known = tuple(
        name
        for partition in session.get_available_partitions()
        for name in session.get_available_regions("cloudformation", partition)
    )
    nearest = nearest_word(region, known)
    if region in known or (_REGION.fullmatch(region) and nearest and _place(nearest) == _place(region)):
        return ""
    advice = f"Did you mean {nearest}?" if nearest else "Use one such as eu-central-1 or us-east-1."
    return f'"{region}" is not an AWS Region. {advice}'


def _place(region: str) -> str:
    return region.rpartition("-")[0]


def _checked(value: str, check: AnswerCheck) -> str:
    if problem := check(value):
        raise CommandError(problem, MISUSED)
    return value


def _region_of_machine(profile: str | None) -> str:
    with translate_aws_errors():
        return str(region_of_machine() or boto3.Session(profile_name=profile).region_name or "")


def _warn_of_another_region(environment: DeploymentEnvironment) -> None:
    elsewhere = region_of_machine()
    if elsewhere and elsewhere != environment.region:
        print(
            f"{CONFIGURATION} has the Region {environment.region} for {environment.name}, which counts. "
            f"Your environment has {elsewhere}.",
            file=sys.stderr,
        )


def _with_addresses(
    parameters: Mapping[str, str], administrator: str | None, declared: Collection[str]
) -> Mapping[str, str]:
    """Return the parameters with the address that sends email, and the one that is told of alarms."""
    if administrator is None or parameters.get(_SENDER):
        return parameters
    names = [name for name in (_SENDER, _TOLD_OF_ALARMS) if name in declared]
    return {**parameters, **{name: parameters.get(name) or administrator for name in names}}


def _values(
    environment: DeploymentEnvironment, before: DeploymentEnvironment
) -> Mapping[Table, Mapping[str, str]]:
    """Return what to save of an environment: what differs from before."""
    name = environment.name
    values = dict[Table, Mapping[str, str]]()
    if environment.region != before.region:
        values[name, "global", "parameters"] = {"region": str(environment.region)}
    if environment.parameters != before.parameters:
        overrides = [format_override(*each) for each in environment.parameters.items()]
        values[name, "deploy", "parameters"] = {"parameter_overrides": " ".join(overrides)}
    if environment.administrator != before.administrator:
        values[name, OWN_SECTION, "parameters"] = {"administrator": str(environment.administrator)}
    return values
