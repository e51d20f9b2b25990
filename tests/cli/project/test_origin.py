"""A new project installs the package that created it."""

from pathlib import Path
from typing import Any

import pytest

from stratabase import __version__
from stratabase.cli.project.new_project import PackageOrigin, parse_origin
from stratabase.terminal.command_error import CommandError
from tests.rows import each_row


@each_row(
    ("recorded", "requirement"),
    [
        (
            {"url": "https://example.com/s.whl", "archive_info": {}},
            "stratabase @ https://example.com/s.whl",
        ),
        (
            {"url": "https://example.com/s.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "stratabase @ git+https://example.com/s.git@abc",
        ),
        (
            {"url": "file:///src/stratabase", "dir_info": {"editable": True}},
            "stratabase @ file:///src/stratabase",
        ),
    ],
)
def test_the_requirement_names_the_recorded_address(recorded: dict[str, Any], requirement: str) -> None:
    assert parse_origin("stratabase", recorded) == PackageOrigin("stratabase", requirement)


def test_a_package_in_a_folder_of_a_repository_is_named_with_the_folder() -> None:
    commit = {"vcs": "git", "commit_id": "abc"}
    recorded = {"url": "https://example.com/s.git", "vcs_info": commit, "subdirectory": "layers/aws"}
    requirement = "stratabase-aws @ git+https://example.com/s.git@abc#subdirectory=layers/aws"
    assert parse_origin("stratabase-aws", recorded).requirement == requirement


def test_a_wheel_of_this_machine_is_copied(tmp_path: Path) -> None:
    wheel = tmp_path / "my wheels" / "stratabase.whl"
    recorded = {"url": wheel.as_uri(), "archive_info": {}}

    with pytest.raises(CommandError, match=r"stratabase\.whl, which does not exist any more"):
        parse_origin("stratabase", recorded)
    wheel.parent.mkdir()
    wheel.touch()
    assert parse_origin("stratabase", recorded) == PackageOrigin(
        "stratabase", f"stratabase=={__version__}", wheel
    )
