"""What the targets of make pass to the commands, with stubs in place of the command and of the SAM CLI."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository import ROOT

MAKEFILE = """
VENV := .venv
BIN := $(VENV)/bin
PYTHON := false
include tools/sam.mk
$(VENV)/.run: ;
"""
COMMAND = f"""#!{sys.executable}
import json, sys
print(json.dumps(sys.argv[1:]), file=open("calls", "a"))
print("dev")
"""
SAM = """#!/bin/sh
mkdir -p .aws-sam/build/DependenciesLayer .aws-sam/build/ProvidersLayer
echo "[*] Deploy: sam deploy --guided"
"""

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose commands note their arguments."""
    files = {
        "Makefile": MAKEFILE,
        "tools/sam.mk": (ROOT / "tools/sam.mk").read_text(),
        "tools/find-python": f"#!/bin/sh\necho {sys.executable}\n",
        ".venv/bin/stratabase": COMMAND,
        ".venv-sam/bin/sam": SAM,
        "requirements/sam.txt": "",
        ".venv-sam/.done": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    os.utime(tmp_path / "requirements/sam.txt", (0, 0))
    return tmp_path


def make(project: Path, *arguments: str) -> tuple[list[list[str]], str]:
    """Run make, and return the arguments of each command that it ran, and its output."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
    }
    done = subprocess.run(
        ["make", *arguments], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    calls = project / "calls"
    lines = calls.read_text().splitlines() if calls.exists() else []
    return [json.loads(line)[1:] for line in lines], done.stdout


def test_values_with_quotes_spaces_and_dollar_signs_arrive_as_they_are(project: Path) -> None:
    given = ["--region=eu-central-1", "--administrator=o'brien@x.org", '--parameters=MailFromName="HR $Team"']
    calls, output = make(
        project,
        "deploy",
        "ENV=dev",
        "REGION=eu-central-1",
        "ADMIN=o'brien@x.org",
        'PARAMETERS=MailFromName="HR $Team"',
        "YES=1",
    )
    assert calls == [["configure", *given, "--yes", "dev"], ["deploy", *given, "--yes", "dev"]]
    assert "Next:" not in output


def test_what_is_not_given_is_not_passed(project: Path) -> None:
    assert make(project, "deploy")[0] == [["configure"], ["deploy", "dev"]]


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (["smoke", "URL=http://x"], ["smoke", "http://x", "--user=admin"]),
        (
            ["smoke", "URL=http://x", "MEMBER=o'neill", "FILE=Contract.scan", "ENV=dev"],
            ["smoke", "http://x", "--user=o'neill", "--file=Contract.scan", "--environment=dev"],
        ),
        (["destroy"], ["destroy"]),
        (["destroy", "ENV=prod"], ["destroy", "prod"]),
    ],
)
def test_a_target_passes_what_it_is_given(arguments: list[str], call: list[str], project: Path) -> None:
    assert make(project, *arguments)[0] == [call]


def test_a_build_ends_with_the_next_step_of_this_project(project: Path) -> None:
    """The advice of the SAM CLI leads to commands that this project does not support."""
    assert make(project, "build")[1].splitlines()[-1].startswith("Next: run make deploy, in place of")
