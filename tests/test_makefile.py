"""What the targets of make say and run."""

import os
import re
import subprocess
import sys

import pytest

from tests.repository import ROOT
from tests.rows import each_row

RULE = re.compile(r"^([a-z-]+):[^\n]*## [^\n]*\n((?:\t[^\n]*\n)*)", re.MULTILINE)
QUICK = {"help", "clean", "wheel"}
"""They take no two seconds."""
SPEAKING = {"run", "deploy", "smoke", "destroy", "invoke", "graphiql", "reference"}
"""What they run prints lines of its own from the start."""
TARGETS = {
    name: recipe.splitlines()
    for file in ("Makefile", "tools/sam.mk")
    for name, recipe in RULE.findall((ROOT / file).read_text())
}


INHERITED = {"TESTS", "MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS"}
"""The variables in which make passes its arguments on."""


def test_all_targets_are_found() -> None:
    assert {"test", "validate", "build", "soak"} < TARGETS.keys()
    assert TARGETS.keys() > QUICK | SPEAKING


@each_row("name", sorted(TARGETS.keys() - QUICK - SPEAKING))
def test_a_target_says_what_it_does(name: str) -> None:
    """Its first line prints something, or make prints the line itself."""
    first = TARGETS[name][0].strip()
    assert first.startswith(("@echo", "@for")) or not first.startswith("@"), first
    assert not first.startswith("@for") or "echo" in first


@each_row(
    ("targets", "arguments"),
    [
        (
            ["test", "test-built", "soak"],
            [
                '-n 3 --dist worksteal -m "not built"',
                "-n 2 --dist worksteal -m built",
                "-n 3 --dist worksteal --durations=30 --durations-min=20 -m soak",
            ],
        ),
        (["test", "TESTS=tests/values"], ["-n 3 --dist worksteal tests/values"]),
    ],
)
def test_a_target_runs_its_tests_and_no_others(targets: list[str], arguments: list[str]) -> None:
    # The make that may run these tests has arguments of its own.
    environment = {name: value for name, value in os.environ.items() if name not in INHERITED}
    done = subprocess.run(
        ["make", "--dry-run", *targets], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )

    lines = (line.partition(" -m pytest ") for line in done.stdout.splitlines())
    assert [given.strip() for _, found, given in lines if found] == arguments


def test_a_path_without_tests_is_named() -> None:
    """As `make test TESTS=tests/nothing` runs it: worker processes alone would only say that no tests ran."""
    command = [sys.executable, "-m", "pytest", "-n", "1", "tests/test_rows.py", "tests/nothing"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: file or directory not found: tests/nothing" in done.stderr
