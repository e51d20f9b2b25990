"""A stack is built, deployed, changed, deleted, and made again over what stayed, in an emulator of AWS.

SAM builds and deploys as it does for an account. The emulator has CloudFormation with the SAM transform,
and runs the functions, but can't route requests to them (docs/deploy.md says what was not run).
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import boto3
import pytest

from stratabase_aws.commands.emulator import emulator
from stratabase_aws.deploy.environment import read_environment
from tests.repository import ROOT
from tests.service import PASSWORD, basic

SAM = ROOT / ".venv-sam/bin/sam"
COPIED = (
    "events",
    "functions",
    "layers",
    "requirements",
    "samconfig.toml",
    "template.yaml",
    "tools",
    "pyproject.toml",
)

ARCHITECTURES = {"x86_64": "x86_64", "aarch64": "arm64"}
"""How AWS calls the architectures of machines."""

pytestmark = [
    pytest.mark.built,
    pytest.mark.thorough,
    pytest.mark.skipif(not SAM.exists(), reason="run `make .venv-sam/.done`"),
]


class Project:
    """A copy of the project, with the settings of the emulator."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, folder / name)
        (folder / ".venv-sam").symlink_to(ROOT / ".venv-sam")
        template = folder / "template.yaml"
        # The packages in the layer must fit this machine, which runs the functions.
        text = template.read_text().replace("arm64", ARCHITECTURES[os.uname().machine])
        # The emulator has the layers on the path, but not in /opt.
        text = text.replace("/opt/model.graphql", str(folder / ".aws-sam/build/ModelLayer/model.graphql"))
        # The emulator has no CodeDeploy, and no alarms on an expression of metrics.
        text = re.sub(r" +DeploymentPreference:\n +Type: .*\n +Alarms: .*\n", "", text)
        template.write_text(re.sub(r"^  \w+Alarm:\n(?: {4}.*\n|\n)+?(?=^  \S)", "", text, flags=re.MULTILINE))
        self.model = folder / "layers/model/model.graphql"
        self._environment = {
            **os.environ,
            "AWS_ENDPOINT_URL": address,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "PATH": f"{sys.base_prefix}/bin:{os.environ['PATH']}",
            "SAM_CLI_TELEMETRY": "0",
            "STRATABASE": str(Path(sys.executable).parent / "stratabase"),
        }

    def client(self, service: str) -> Any:
        """Return a client of boto3 for the emulator."""
        return boto3.client(
            service,
            endpoint_url=self._environment["AWS_ENDPOINT_URL"],
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )

    def build(self) -> None:
        """Build the layers and the functions."""
        self._run(str(SAM), "build", "--no-cached")

    def aws(self, *arguments: str, typed: str = "") -> str:
        """Run `stratabase aws`, and return its output."""
        return self._run(sys.executable, "-m", "stratabase.cli", "aws", *arguments, typed=typed)

    def command(self, settings: Mapping[str, str], *arguments: str, typed: str = "") -> str:
        """Run another command with the settings of the stack."""
        return self._run(sys.executable, "-m", "stratabase.cli", *arguments, typed=typed, settings=settings)

    def settings(self) -> dict[str, str]:
        """Return what `stratabase aws settings` prints, as a shell would set it."""
        lines = [line.removeprefix("export ") for line in self.aws("settings").splitlines()]
        return {name: value.strip("'") for name, _, value in (line.partition("=") for line in lines)}

    def stays_configured(self) -> None:
        """Check that the answers of a deployment are those of the next one."""
        found = read_environment("dev", self.folder / "samconfig.toml")
        assert (found.region, found.administrator) == ("us-east-1", "admin@example.com")
        assert found.parameters["MailFrom"] == "admin@example.com"

    def invoke(self, logical_id: str, event: Mapping[str, Any]) -> Any:
        """Return the answer of a deployed function."""
        found = self.client("cloudformation").describe_stack_resource(
            StackName="stratabase-dev", LogicalResourceId=logical_id
        )
        name = found["StackResourceDetail"]["PhysicalResourceId"]
        answer = self.client("lambda").invoke(FunctionName=name, Payload=json.dumps(event))
        return json.loads(answer["Payload"].read())

    def _run(self, *command: str, typed: str = "", settings: Mapping[str, str] | None = None) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**self._environment, **(settings or {})},
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with emulator("") as address:
        yield Project(tmp_path_factory.mktemp("project"), address)


def test_a_stack_is_deployed_changed_deleted_and_made_again(project: Project) -> None:
    project.build()
    output = project.aws(
        "deploy", "--yes", "--parameter", "MailFrom=hr@example.com", "--parameter", "Basic=off"
    )
    assert "Account 000000000000, Region us-east-1, stack stratabase-dev (dev)." in output
    assert "No administrator exists yet." in output
    assert "The service:  https://" in output
    assert "The function SweepFunction failed" not in output
    settings = project.settings()
    assert settings["STRATABASE_BASIC"] == "off"
    secret = project.client("secretsmanager").get_secret_value(SecretId=settings["STRATABASE_SIGNING_KEYS"])

    # The first administrator gets an email. Only a terminal shows the link.
    project.client("sesv2").create_email_identity(EmailIdentity="admin@example.com")
    output = project.aws("deploy", "--administrator", "admin@example.com")
    assert "No changes." in output
    # The parameters were those of one deployment.
    assert 'Basic: "off" becomes "on"' in output
    assert 'MailFrom: "hr@example.com" becomes "admin@example.com"' in output
    settings = project.settings()
    assert settings["STRATABASE_BASIC"] == "on"
    assert 'Created the member "admin"' in output
    assert "Sent an email to admin@example.com." in output
    assert "setPassword" not in output
    assert "admin@example.com" in project.command(settings, "members", "list")
    project.command(settings, "members", "set-password", "admin", typed=f"{PASSWORD}\n")
    project.stays_configured()

    # The functions run with the layers that SAM built.
    health = json.loads((ROOT / "events/health.json").read_text())
    answer = project.invoke("GraphqlFunction", health)
    assert json.loads(answer["body"])["store"] == "reachable", answer
    query = json.loads((ROOT / "events/graphql_query.json").read_text())
    query["headers"]["Authorization"] = basic("admin", PASSWORD)
    query["multiValueHeaders"]["Authorization"] = [basic("admin", PASSWORD)]
    answer = project.invoke("GraphqlFunction", query)
    assert "errors" not in json.loads(answer["body"]), answer

    # A change of the model is shown before it is deployed, and the secret stays.
    project.model.write_text(
        project.model.read_text().replace("type Company", "type Visit { day: Date }\n\ntype Company")
    )
    project.build()
    output = project.aws("deploy", "--yes")
    assert "class Visit" in output
    assert secret == project.client("secretsmanager").get_secret_value(
        SecretId=settings["STRATABASE_SIGNING_KEYS"]
    ) | {"ResponseMetadata": secret["ResponseMetadata"]}

    # What has data stays, and another stack uses it.
    output = project.aws("destroy", "--yes")
    tables = project.client("dynamodb").list_tables()["TableNames"]
    assert {settings["STRATABASE_TABLE"], settings["STRATABASE_MEMBERS_TABLE"]} <= set(tables)
    # On AWS, a reference to a secret is its ARN. In the emulator, it is its name.
    given = [
        f"SigningKeysArn={secret['ARN']}" if "SigningKeysArn=" in line else line.strip()
        for line in output.splitlines()
        if "=" in line
    ]
    same = ("STRATABASE_TABLE", "STRATABASE_MEMBERS_TABLE", "STRATABASE_BUCKET", "STRATABASE_INSTANCE")
    # A later deployment doesn't name the data again.
    for parameters in ([*given, "MailFrom=hr@example.com"], ["LogDays=14"]):
        options = [option for each in parameters for option in ("--parameter", each)]
        output = project.aws("deploy", "--yes", *options)
        assert "No administrator exists yet." not in output
        again = project.settings()
        assert {name: again[name] for name in same} == {name: settings[name] for name in same}
