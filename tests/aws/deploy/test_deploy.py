"""A deployment asks first if the change of the model needs it, and then switches all requests at once."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy import deploy
from stratabase_aws.deploy.environment import DeploymentEnvironment
from stratabase_aws.deploy.stack import Resource
from stratabase_aws.deploy.template_parameters import DATA_PARAMETERS, FIRST_VALUES, read_parameters
from tests.repository import ROOT
from tests.rows import each_row

CANARY = {"Deployment": "Canary10Percent5Minutes"}
ENVIRONMENT = DeploymentEnvironment("dev", "hr-dev", "eu-central-1", None, CANARY)
DECISION, FAILED = 1, 2


class ExistingStack:
    """A stack that exists."""

    name, region = "hr-dev", "eu-central-1"
    description: Mapping[str, Any] = {}
    status = "UPDATE_COMPLETE"
    outputs: Mapping[str, str] = {}
    parameters: Mapping[str, str] = {"Basic": "off", "LogDays": "90", "InstanceId": "kept", "Removed": "x"}

    def __init__(self, _environment: DeploymentEnvironment) -> None:
        pass

    def account(self) -> str:
        return "123456789012"

    def forget(self) -> None:
        pass

    def protect_tables(self) -> list[str]:
        return ["objects"]

    def invoke(self, _logical_id: str) -> None:
        """The function succeeds."""

    def environment_variables(self) -> Mapping[str, str]:
        return {}


class Commands:
    """Notes the commands that a deployment runs. The comparison of the models ends with an exit code."""

    def __init__(self, exit_code: int) -> None:
        self.exit_code = exit_code
        self.deployed: list[str] = []

    def run(self, command: Sequence[str], **_: object) -> "subprocess.CompletedProcess[str]":
        if "diff" in command:
            return subprocess.CompletedProcess(command, self.exit_code)
        self.deployed.append(" ".join(command))
        return subprocess.CompletedProcess(command, 0)


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Commands]:
    """Returns the commands of a deployment whose comparison ends with an exit code."""

    def prepare(exit_code: int) -> Commands:
        commands = Commands(exit_code)
        monkeypatch.setattr(deploy, "BUILT_TEMPLATE", ROOT / "template.yaml")
        monkeypatch.setattr(deploy, "find_sam", lambda: "sam")
        monkeypatch.setattr(deploy, "Stack", ExistingStack)
        monkeypatch.setattr(deploy, "check_reserved_concurrency", lambda *_: "")
        monkeypatch.setattr(deploy, "choose_log_role", lambda *_: iter(()))
        monkeypatch.setattr(deploy, "check_failure_alarm", lambda *_: None)
        monkeypatch.setattr(deploy, "has_administrator", lambda _: True)
        monkeypatch.setattr(subprocess, "run", commands.run)
        return commands

    return prepare


@pytest.mark.parametrize(("exit_code", "asked"), [(DECISION, "need a decision"), (FAILED, "not be compared")])
def test_nothing_is_deployed_without_a_yes(
    exit_code: int, asked: str, commands: Callable[[int], Commands]
) -> None:
    run, questions = commands(exit_code), list[str]()

    def refuse(question: str, default: str) -> str:
        questions.append(question)
        return default

    with pytest.raises(CommandError, match="Nothing is deployed"):
        list(deploy.deploy(ENVIRONMENT, refuse, yes=False))
    assert run.deployed == []
    assert asked in questions[0]


@pytest.mark.parametrize("exit_code", [DECISION, FAILED])
@pytest.mark.parametrize("yes", [False, True])
def test_models_that_may_not_serve_side_by_side_switch_at_once(
    exit_code: int, commands: Callable[[int], Commands], *, yes: bool
) -> None:
    run = commands(exit_code)
    list(deploy.deploy(ENVIRONMENT, lambda *_: "yes", yes=yes))
    (command,) = run.deployed
    assert "Deployment=AllAtOnce" in command


def test_a_change_without_decisions_is_deployed_without_a_question(
    commands: Callable[[int], Commands],
) -> None:
    run = commands(0)
    list(deploy.deploy(ENVIRONMENT, lambda *_: "no", yes=False))
    (command,) = run.deployed
    assert "Deployment=AllAtOnce" not in command


def test_a_deployment_passes_every_parameter_and_says_which_ones_change(
    commands: Callable[[int], Commands],
) -> None:
    """What is not passed would keep the value of an earlier deployment."""
    run = commands(0)
    lines = list(deploy.deploy(ENVIRONMENT, lambda *_: "", yes=True))
    (command,) = run.deployed
    declared = read_parameters(ROOT / "template.yaml").keys()
    passed = {each.partition("=")[0] for each in command.partition("--parameter-overrides ")[2].split()}
    assert declared - passed == {"MailFrom", *DATA_PARAMETERS, *FIRST_VALUES}
    assert "Basic=on" in command
    changes = lines[lines.index("Parameters that change:") + 1 :]
    assert [each for each in changes if "becomes" in each] == [
        '  Basic: "off" becomes "on"',
    ]


def test_a_build_that_is_older_than_a_parameter_is_named(
    commands: Callable[[int], Commands], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = commands(0)
    built = tmp_path / "built.yaml"
    built.write_text("Parameters: {Basic: {Type: String}}")
    monkeypatch.setattr(deploy, "BUILT_TEMPLATE", built)
    with pytest.raises(CommandError, match=r"built\.yaml, which `make build` writes: Deployment=.* sets no"):
        list(deploy.deploy(ENVIRONMENT, lambda *_: "", yes=True))
    assert run.deployed == []


class AccountWithRole:
    """A stack, and its clients of API Gateway and CloudWatch."""

    def __init__(
        self, role: str = "", alarm: str = "OK", *, is_own: bool = False, exists: bool = True
    ) -> None:
        self.description: Mapping[str, Any] | None = {} if exists else None
        self._role, self._alarm, self._is_own = role, alarm, is_own

    def client(self, _service: str) -> "AccountWithRole":
        return self

    def get_account(self) -> Mapping[str, str]:
        return {"cloudwatchRoleArn": self._role} if self._role else {}

    def resources(self) -> list[Resource]:
        own = [Resource("ApiLogAccountSetting", "AWS::ApiGateway::Account", "1")] if self._is_own else []
        return [Resource("FailedRequestsAlarm", "AWS::CloudWatch::Alarm", "hr-dev-alarm"), *own]

    def describe_alarms(self, **_: object) -> Mapping[str, Any]:
        return {"MetricAlarms": [{"StateValue": self._alarm}]}


@each_row(
    ("account", "chosen"),
    [
        (AccountWithRole(exists=False), {}),
        (AccountWithRole("arn:role/other", exists=False), {"ApiLogAccount": "off"}),
        (AccountWithRole("arn:role/other"), {"ApiLogAccount": "off"}),
        (AccountWithRole("arn:role/own", is_own=True), {}),
    ],
)
def test_the_role_for_logs_of_the_account_is_not_overwritten(account: Any, chosen: Mapping[str, str]) -> None:
    parameters = dict[str, str]()
    list(deploy.choose_log_role(account, parameters))
    assert parameters == chosen
    given = {"ApiLogAccount": "on"}
    list(deploy.choose_log_role(account, given))
    assert given == {"ApiLogAccount": "on"}


def test_a_correction_is_deployed_at_once_while_the_alarm_fires() -> None:
    """CodeDeploy would stop a gradual deployment, and so the correction of what the alarm fires for."""
    firing: Any = AccountWithRole(alarm="ALARM")
    with pytest.raises(CommandError, match=r"hr-dev-alarm fires.*--parameter Deployment=AllAtOnce"):
        deploy.check_failure_alarm(firing, "dev", CANARY)
    deploy.check_failure_alarm(firing, "dev", {"Deployment": "AllAtOnce"})
    deploy.check_failure_alarm(firing, "dev", {})
    quiet: Any = AccountWithRole()
    deploy.check_failure_alarm(quiet, "dev", CANARY)
