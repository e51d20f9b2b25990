"""A new project has all of its files, or none."""

import os
from pathlib import Path

import pytest

from stratabase.cli.project.new_project import ProjectFile, project_name, write_project
from stratabase.cli.terminal.command_error import CommandError

FILES = {"a/b/c.txt": ProjectFile(b"1"), "a/run": ProjectFile(b"2", executable=True)}


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("my-app", "my-app"),
        ("My App!", "my-app"),
        ("2fast", "app-2fast"),
        ("日本", "app"),
        ("x" * 99, "x" * 60),
        ("a\"b'c", "a-b-c"),
    ],
)
def test_the_name_suits_packages_and_stacks(title: str, name: str) -> None:
    assert project_name(title) == name


def test_files_are_written_into_a_folder_that_exists(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()

    write_project(tmp_path, FILES)

    assert (tmp_path / "a/b/c.txt").read_bytes() == b"1"
    assert os.access(tmp_path / "a/run", os.X_OK)
    assert not os.access(tmp_path / "a/b/c.txt", os.X_OK)


@pytest.mark.parametrize("link", [False, True], ids=["file", "broken-link"])
def test_nothing_is_written_if_one_file_exists(link: bool, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    if link:
        (tmp_path / "a/run").symlink_to("nowhere")
    else:
        (tmp_path / "a/run").write_text("mine")

    with pytest.raises(CommandError, match=r"already has a/run\. Nothing was written\."):
        write_project(tmp_path, FILES)

    assert [path.name for path in tmp_path.rglob("*")] == ["a", "run"]


def test_what_was_written_is_removed_if_the_rest_fails(tmp_path: Path) -> None:
    folder = tmp_path / "new"

    with pytest.raises(CommandError, match=r"Writing .* failed"):
        write_project(folder, {**FILES, "a/b/c.txt/d": ProjectFile(b"3")})

    assert list(tmp_path.iterdir()) == []
