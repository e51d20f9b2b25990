"""Fixtures for a project folder and a terminal that serves it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.terminal import Project, Terminal, serving


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def terminal(project: Project) -> Iterator[Terminal]:
    yield from serving(project)
