"""What `make deploy` asks before the first deployment, and what it saves."""

import io
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy.configure import Choices, check_region, complete_environment
from stratabase_aws.deploy.environment import DeploymentEnvironment, read_environment
from tests.repository import ROOT

NOTHING_KNOWN = Choices()
ADDRESS = "rosa@example.com"


class Person:
    """Answers questions, and notes them."""

    def __init__(self, *answers: str) -> None:
        self._answers: Iterator[str] = iter(answers)
        self.questions: list[str] = []

    def __call__(self, question: str, default: str) -> str:
        self.questions.append(f"{question} [{default}]" if default else question)
        return next(self._answers) or default


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration of the project, on a machine without an AWS configuration."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setattr("sys.stdin", io.StringIO())  # it is not a terminal
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "template.yaml", tmp_path)
    return Path(shutil.copy(ROOT / "samconfig.toml", tmp_path))


def test_three_questions_lead_to_a_deployment(path: Path) -> None:
    person = Person("eu-central-1", "", ADDRESS)
    found = complete_environment(NOTHING_KNOWN, person, yes=False, path=path)
    assert person.questions == [
        "AWS Region",
        "Stage (dev, staging, prod) [dev]",
        "Email address of the administrator",
    ]
    assert found == read_environment("dev", path)
    assert (found.name, found.region, found.administrator) == ("dev", "eu-central-1", ADDRESS)
    assert found.parameters["MailFrom"] == found.parameters["AlarmEmail"] == ADDRESS
    assert found.parameters["LogLevel"] == "DEBUG"


def test_nothing_is_asked_with_a_template_of_an_earlier_version(path: Path) -> None:
    template = path.with_name("template.yaml")
    template.write_text(template.read_text().replace("CodeUri: functions/signin", "CodeUri: functions/other"))
    with pytest.raises(CommandError, match="it has no function signin"):
        complete_environment(NOTHING_KNOWN, Person(), yes=False, path=path)


def test_saved_answers_are_not_asked_again(path: Path) -> None:
    complete_environment(NOTHING_KNOWN, Person("eu-central-1", "", ADDRESS), yes=False, path=path)
    saved, nobody = path.read_text(), Person()
    again = complete_environment(NOTHING_KNOWN, nobody, yes=False, path=path)
    assert (again.name, nobody.questions, path.read_text()) == ("dev", [], saved)


def test_another_stage_is_asked_for_what_it_lacks(path: Path) -> None:
    complete_environment(NOTHING_KNOWN, Person("eu-central-1", "", ADDRESS), yes=False, path=path)
    person = Person("us-east-1", "ops@example.com")
    prod = complete_environment(Choices("prod"), person, yes=False, path=path)
    assert (prod.region, prod.parameters["WebAcl"]) == ("us-east-1", "make")
    assert person.questions == ["AWS Region", "Email address of the administrator"]
    # With two stages, only a person knows which one is meant.
    person = Person("prod")
    assert complete_environment(NOTHING_KNOWN, person, yes=False, path=path) == prod
    assert person.questions == ["Stage (dev, staging, prod) [dev]"]


def test_a_pipeline_needs_no_answers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    nobody = Person()
    found = complete_environment(
        Choices("staging", administrator=ADDRESS, parameters={"Basic": "off"}), nobody, yes=True, path=path
    )
    assert (found.region, found.parameters["Basic"], nobody.questions) == ("eu-west-1", "off", [])
    # A parameter of one deployment is not saved.
    assert "Basic" not in read_environment("staging", path).parameters


def test_the_region_of_the_environment_is_offered(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    person = Person("", "", ADDRESS)
    assert complete_environment(NOTHING_KNOWN, person, yes=False, path=path).region == "eu-west-1"
    assert person.questions[0] == "AWS Region [eu-west-1]"


def test_the_saved_region_counts(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    complete_environment(NOTHING_KNOWN, Person("eu-central-1", "", ADDRESS), yes=False, path=path)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    assert complete_environment(NOTHING_KNOWN, Person(), yes=False, path=path).region == "eu-central-1"
    note = capsys.readouterr().err
    assert "the Region eu-central-1 for dev, which counts. Your environment has us-east-1" in note


def test_who_has_set_the_sender_is_not_asked_for_an_administrator(path: Path) -> None:
    given = Choices("dev", "eu-central-1", parameters={"MailFrom": "hr@example.com"})
    found = complete_environment(given, Person(), yes=False, path=path)
    assert (found.administrator, found.parameters["MailFrom"]) == (None, "hr@example.com")


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (Choices(), r"No answer to: AWS Region\. Name it with --region .*or set AWS_REGION"),
        (Choices("dev", "eu-central-1"), "No answer to: Email address .*--administrator"),
        (Choices("dev", "eu-centrl-1"), r'"eu-centrl-1" is not an AWS Region\. Did you mean eu-central-1\?'),
        (Choices("dev", "Frankfurt"), "Use one such as eu-central-1"),
        (Choices("dev", "eu-central-1", "rosa"), '"rosa" is not an email address'),
        (Choices("test", "eu-central-1", ADDRESS), "has no environment test"),
    ],
)
def test_what_is_missing_or_wrong_is_named(choices: Choices, message: str, path: Path) -> None:
    before = path.read_text()
    with pytest.raises(CommandError, match=message):
        complete_environment(choices, Person(), yes=True, path=path)
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "Basc",
            "off",
            r"Basc=off sets no parameter, because the template has no Basc\. Did you mean Basic\?",
        ),
        ("Basic", "maybe", r'Basic: "maybe" is not valid\. Use one of: on, off\.'),
        ("LogDays", "", 'LogDays: "" is not valid. Use one of: 1, 3, 5'),
        ("PasswordLength", "3", 'PasswordLength: "3" is not valid. Use a whole number from 8 to 64'),
    ],
)
def test_a_parameter_that_the_template_refuses_is_named_before_a_question(
    name: str, value: str, message: str, path: Path
) -> None:
    nobody = Person()
    with pytest.raises(CommandError, match=f"^--parameter: {message}"):
        complete_environment(Choices(parameters={name: value}), nobody, yes=False, path=path)
    text = path.read_text().replace("LogDays=7", f"LogDays=7 {name}='{value}'")
    path.write_text(text)
    with pytest.raises(CommandError, match=rf"^samconfig.toml, dev: {message}"):
        complete_environment(Choices("dev"), nobody, yes=False, path=path)
    assert (nobody.questions, path.read_text()) == ([], text)


def test_the_template_also_says_which_addresses_are_valid(path: Path) -> None:
    template = path.parent / "template.yaml"
    ours = "[^@<> ]+@[^@<> ]+"
    template.write_text(
        template.read_text().replace(f'AllowedPattern: "{ours}"', 'AllowedPattern: ".+@hr.example"')
    )
    with pytest.raises(CommandError, match=r'^MailFrom: "rosa@example\.com" is not valid'):
        complete_environment(Choices("dev", "eu-central-1"), Person(ADDRESS), yes=False, path=path)
    with pytest.raises(
        CommandError, match=r'^The address of the administrator: MailFrom: "rosa@example\.com" is not valid'
    ):
        complete_environment(Choices("dev", "eu-central-1", ADDRESS), Person(), yes=False, path=path)
    assert path.read_text() == (ROOT / "samconfig.toml").read_text()


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (("Mars", "", ADDRESS), '"Mars" is no'),
        (("eu-west-1", "prd"), '"prd" is none of the stages. Choose dev'),
    ],
)
def test_a_wrong_answer_from_a_pipe_ends_the_command(
    answers: tuple[str, ...], message: str, path: Path
) -> None:
    with pytest.raises(CommandError, match=message):
        complete_environment(NOTHING_KNOWN, Person(*answers), yes=False, path=path)


@pytest.mark.parametrize("region", ["eu-central-1", "us-gov-west-1", "cn-north-1", "eu-central-9"])
def test_a_region_may_be_newer_than_this_program(region: str) -> None:
    assert check_region(region) == ""


def test_a_terminal_is_asked_three_questions_and_again_after_a_wrong_answer(path: Path) -> None:
    """The command itself, at a pseudo-terminal. Without credentials, it ends with advice."""
    controller, terminal = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "stratabase.cli", "aws", "configure"],
        cwd=path.parent,
        env={
            **environment,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": str(path.parent / "config"),
            "AWS_SHARED_CREDENTIALS_FILE": str(path.parent / "credentials"),
        },
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    shown = ""
    for question, answer in (
        ("AWS Region: ", "eu-central1"),
        ("AWS Region: ", "eu-central-1"),
        ("[dev]: ", ""),
        ("administrator: ", ADDRESS),
    ):
        part = ""
        while not part.endswith(question):
            part += os.read(controller, 4096).decode()
        shown += part
        os.write(controller, f"{answer}\n".encode())
    try:
        while part := os.read(controller, 4096).decode():
            shown += part
    except OSError:  # the process has ended
        pass
    os.close(controller)
    assert process.wait() == 1
    assert '"eu-central1" is not an AWS Region. Did you mean eu-central-1?' in shown
    assert "Unable to locate credentials. Sign in with" in shown
    saved: DeploymentEnvironment = read_environment("dev", path)
    assert (saved.region, saved.administrator) == ("eu-central-1", ADDRESS)
