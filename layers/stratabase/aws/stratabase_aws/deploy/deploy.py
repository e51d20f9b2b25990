"""Deploys the stack of an environment with the SAM CLI, and prepares the instance for its first member."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from stratabase.core.app.app import App
from stratabase.core.domain.caller import CONSOLE
from stratabase.core.model.reading import read_model_file
from stratabase.core.settings import Settings
from stratabase.members.app.member_services import MemberServices
from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy.environment import DeploymentEnvironment
from stratabase_aws.deploy.parameters import format_override
from stratabase_aws.deploy.questions import Ask, ask_until_valid, check_address
from stratabase_aws.deploy.stack import Stack, translate_aws_errors
from stratabase_aws.deploy.states import describe_obstacle, last_failures, require_deployable
from stratabase_aws.deploy.template_parameters import read_parameters, require_valid, with_defaults

BUILT_TEMPLATE = Path(".aws-sam/build/template.yaml")
"""What `sam build` writes."""
FIRST_USERNAME = "admin"
"""The username of the first administrator."""
_NEEDS_DECISION = 1
"""The exit code of `model diff` if a change needs a decision."""
_SWEEP = "SweepFunction"
"""The function that marks new stores, and keeps the text of the model that serves."""
_RESERVED = "Concurrency"
"""The end of the names of the parameters that reserve concurrency."""
_UNRESERVED = 100
"""How many executions must stay for functions that reserve none. AWS demands that."""
_DEPLOYMENT = "Deployment"
_ALL_AT_ONCE = "AllAtOnce"
_LOG_ACCOUNT = "ApiLogAccount"
_FAILURE_ALARM = "FailedRequestsAlarm"
"""The alarm with which CodeDeploy takes a new version back."""


def check_account(environment: DeploymentEnvironment) -> Iterator[str]:
    """Yield a line that says where the environment is. Raises CommandError if it can't be deployed there."""
    stack = Stack(environment)
    yield f"Account {stack.account()}, Region {stack.region}, stack {stack.name} ({environment.name})."
    require_deployable(stack, environment.name)


def deploy(environment: DeploymentEnvironment, ask: Ask, *, yes: bool) -> Iterator[str]:
    """Deploy the stack, and yield lines that say what happens. Raises CommandError.

    Args:
        environment: Where to deploy.
        ask: Asks a question with a default answer.
        yes: Deploy without questions.
    """
    sam = find_sam()
    if not BUILT_TEMPLATE.exists():
        raise CommandError(f"{BUILT_TEMPLATE} is missing. Run `make build` first.")
    yield from check_account(environment)
    stack = Stack(environment)
    exists = stack.description is not None
    declared = read_parameters(BUILT_TEMPLATE)
    require_valid(environment.parameters, declared, f"{BUILT_TEMPLATE}, which `make build` writes")
    chosen = dict(environment.parameters)
    yield from choose_log_role(stack, chosen)
    parameters = with_defaults(chosen, declared, exists=exists)
    yield check_reserved_concurrency(stack, parameters)
    if exists:
        yield "The model of this folder, compared with the one that the deployed instance serves:"
        if question := _compare_models(stack):
            if not yes and ask(f"{question} Type yes to go on", "no") != "yes":
                raise CommandError("Nothing is deployed.")
            # Functions with the old and the new model would serve side by side.
            parameters[_DEPLOYMENT] = _ALL_AT_ONCE
            yield "All requests switch to the new model at once."
        check_failure_alarm(stack, environment.name, parameters)
    yield from _describe_changes(stack, parameters)
    # A person confirms the changes of what exists. To a first creation, there is nothing to compare.
    confirm = exists and not yes and sys.stdin.isatty()
    _run_sam([sam, "deploy"], environment, stack, parameters, confirm=confirm)
    stack.forget()
    yield from protect(stack, environment.name)
    if (failure := stack.invoke(_SWEEP)) is not None:
        yield f"The function {_SWEEP} failed: {failure}. It runs again within minutes. Its log has the cause."
    variables = stack.environment_variables()
    if not has_administrator(variables):
        create_administrator(environment, variables, ask, yes=yes)
    yield from _where_to_go(stack, environment)


def protect(stack: Stack, environment: str) -> Iterator[str]:
    """Switch on the deletion protection of the tables, and yield a line for each. Raises CommandError."""
    try:
        yield from (f"Protected the table {name} from deletion." for name in stack.protect_tables())
    except CommandError as error:
        raise CommandError(
            f"The tables of {stack.name} are not protected from deletion: {error} "
            f"Correct the cause, and run `stratabase aws protect {environment}`."
        ) from error


def find_sam() -> str:
    """Return the command of the SAM CLI: that of the project, or the one on the path. Raises CommandError."""
    own = Path(".venv-sam/bin/sam")
    found = str(own) if own.exists() else shutil.which("sam")
    if found is None:
        raise CommandError("The SAM CLI is not installed. Run `make build`, which installs it.")
    return found


def _describe_changes(stack: Stack, parameters: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each parameter that gets another value."""
    previous = stack.parameters
    changed = [name for name, value in parameters.items() if previous.get(name, value) != value]
    if changed:
        yield "Parameters that change:"
        yield from (f'  {name}: "{previous[name]}" becomes "{parameters[name]}"' for name in changed)


def _compare_models(stack: Stack) -> str:
    """Print what the change of the model means. Return the question to ask before, empty if there is none."""
    command = [sys.executable, "-m", "stratabase.cli", "model", "diff"]
    compared = subprocess.run(command, env=stack.environment_variables(), check=False)  # noqa: S603
    if compared.returncode == _NEEDS_DECISION:
        return "Deploy a model with changes that need a decision?"
    return "Deploy although the models could not be compared?" if compared.returncode else ""


def _run_sam(
    command: Sequence[str],
    environment: DeploymentEnvironment,
    stack: Stack,
    parameters: Mapping[str, str],
    *,
    confirm: bool,
) -> None:
    """Run `sam deploy`. Raises CommandError if it fails."""
    # Without changes, which is not a failure, there can still be an administrator to create.
    options = ["--config-env", environment.name, "--region", stack.region, "--no-fail-on-empty-changeset"]
    options += [] if confirm else ["--no-confirm-changeset"]
    if parameters:
        options += ["--parameter-overrides", *(format_override(*each) for each in parameters.items())]
    region = {"AWS_REGION": stack.region, "AWS_DEFAULT_REGION": stack.region}
    # With colors and questions, as if SAM was run by hand.
    done = subprocess.run(  # noqa: S603 - the SAM CLI
        [*command, *options], env={**os.environ, **region, "SAM_CLI_TELEMETRY": "0"}, check=False
    )
    if done.returncode:
        raise CommandError(_explain_failure(stack, environment), done.returncode)


def _explain_failure(stack: Stack, environment: DeploymentEnvironment) -> str:
    """Return what the failure of the SAM CLI has left, and what to do."""
    stack.forget()
    if text := describe_obstacle(stack, environment.name):
        return text
    if not stack.status:
        return "The SAM CLI failed. No stack was created."
    failures = last_failures(stack) if "ROLLBACK" in stack.status else []
    lines = "".join(f"\n  {each}" for each in failures)
    return f"The SAM CLI failed. The stack is as it was before ({stack.status})." + (
        f" What failed:{lines}" if failures else ""
    )


def _where_to_go(stack: Stack, environment: DeploymentEnvironment) -> Sequence[str]:
    address = stack.outputs.get("Address", "")
    return (
        "",
        f"The service:  {address}",
        f"To try it:    stratabase aws smoke {address} --user NAME",
        f"Its settings: stratabase aws settings {environment.name}",
        f"To delete it: stratabase aws destroy {environment.name}",
    )


def check_reserved_concurrency(stack: Stack, parameters: Mapping[str, str]) -> str:
    """Return a line about the concurrency of the account.

    Raises CommandError if the parameters reserve more than the account has. New accounts have 10.
    """
    with translate_aws_errors():
        answer = stack.client("lambda").get_account_settings()
    limit = int(answer["AccountLimit"]["ConcurrentExecutions"])
    wanted = {
        name: int(value) for name, value in parameters.items() if name.endswith(_RESERVED) and value.isdigit()
    }
    reserved = sum(wanted.values())
    if reserved and reserved > limit - _UNRESERVED:
        names = ", ".join(f"{name}={value}" for name, value in wanted.items())
        raise CommandError(
            f"The account can run {limit} functions at the same time in this Region, of which {_UNRESERVED} "
            f"can't be reserved. The parameters reserve {reserved} ({names}). Leave them empty, or request a "
            "higher limit in Service Quotas (Lambda, Concurrent executions)."
        )
    return f"Concurrent executions: the account has {limit}, and {reserved} of them are reserved."


def choose_log_role(stack: Stack, parameters: dict[str, str]) -> Iterator[str]:
    """Leave the role with which API Gateway writes logs as it is, if the account has one from elsewhere.

    The account has one such role per Region, which a stack would overwrite for all others.
    """
    if _LOG_ACCOUNT in parameters:
        return
    with translate_aws_errors():
        role = stack.client("apigateway").get_account().get("cloudwatchRoleArn")
    own = stack.description is not None and any(
        each.logical_id == "ApiLogAccountSetting" for each in stack.resources()
    )
    if role and not own:
        parameters[_LOG_ACCOUNT] = "off"
        yield f"API Gateway already has a role for logs in this account, which stays: {role}"


def check_failure_alarm(stack: Stack, environment: str, parameters: Mapping[str, str]) -> None:
    """Raise CommandError if a gradual deployment can't begin, because the alarm that would stop it fires."""
    if parameters.get(_DEPLOYMENT, _ALL_AT_ONCE) == _ALL_AT_ONCE:
        return
    names = [each.physical_id for each in stack.resources() if each.logical_id == _FAILURE_ALARM]
    with translate_aws_errors():
        found = stack.client("cloudwatch").describe_alarms(AlarmNames=names)["MetricAlarms"] if names else []
    if any(each["StateValue"] == "ALARM" for each in found):
        raise CommandError(
            f"The alarm {names[0]} fires, so CodeDeploy would stop a gradual deployment at once. If this "
            "deployment corrects the cause, send all requests to it: stratabase aws deploy "
            f"{environment} --parameter {_DEPLOYMENT}={_ALL_AT_ONCE} "
            f'(make: PARAMETERS="{_DEPLOYMENT}={_ALL_AT_ONCE}"). Otherwise, wait until it is over.'
        )


def has_administrator(variables: Mapping[str, str]) -> bool:
    """Return whether an enabled administrator exists. `variables`: the settings of the instance."""
    settings = Settings.from_environment(variables)
    profiles = read_model_file(settings.model).profiles
    instance = App(settings)
    try:
        members = instance.part(MemberServices).list(CONSOLE)
    finally:
        instance.close()
    administrators = {name for name, profile in profiles.items() if profile.administrator}
    return any(member.profile in administrators and not member.disabled for member in members)


def create_administrator(
    environment: DeploymentEnvironment, variables: Mapping[str, str], ask: Ask, *, yes: bool
) -> None:
    """Create the first administrator, with a link to set the password. Raises CommandError.

    A terminal shows the link. Otherwise, it is emailed: the output of a pipeline is not a place for it.
    """
    email = environment.administrator
    if email is None and yes:
        print("No administrator exists yet. Run the command with --administrator to create one.")
        return
    email = email or ask_until_valid(ask, "Email address of the administrator", "", check_address)
    profile = read_model_file(Settings.from_environment(variables).model).administrator_profile()
    shows = sys.stdin.isatty() and sys.stdout.isatty() and not yes
    command = ["members", "create", FIRST_USERNAME, email, profile, *(["--print-link"] if shows else [])]
    created = subprocess.run(  # noqa: S603 - a command of this program
        [sys.executable, "-m", "stratabase.cli", *command], env={**os.environ, **variables}, check=False
    )
    if created.returncode:
        raise CommandError(
            "The stack is deployed, but the administrator has no password yet. On a terminal, run:\n"
            f'  eval "$(stratabase aws settings {environment.name})"\n'
            "  stratabase members list\n"
            f"  stratabase members reset-password {FIRST_USERNAME} --print-link\n"
            "If the list is empty, run:\n"
            f"  stratabase members create {FIRST_USERNAME} {email} {profile} --print-link"
        )
