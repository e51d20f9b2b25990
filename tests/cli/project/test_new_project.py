"""A new project has all of its files, or none."""

import os
import tomllib
from pathlib import Path

import pytest
from graphql import build_schema

from stratabase.cli.project.new_project import (
    PackageOrigin,
    ProjectFile,
    application_name,
    project_files,
    project_name,
    write_project,
)
from stratabase.core.model.reading import read_model
from stratabase.terminal.command_error import CommandError
from tests.repository import ROOT
from tests.rows import each_row

FILES = {"a/b/c.txt": ProjectFile(b"1"), "a/run": ProjectFile(b"2", executable=True)}
ORIGINS = [PackageOrigin("stratabase", "stratabase==0.1.0")]


@each_row(
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


@each_row(
    ("title", "name"),
    [
        ("my-app", "MyApp"),
        ("hr", "Hr"),
        ("HR portal_2", "HRPortal2"),
        ("2fast", "App2fast"),
        ("日本", "App"),
        ("x" * 99, "X" + "x" * 59),
        ('a"b', "AB"),
    ],
)
def test_the_application_is_named_after_the_folder(title: str, name: str) -> None:
    assert application_name(title) == name
    for blank in (False, True):
        files = project_files(title, ORIGINS, aws=False, blank=blank)
        model = read_model(files["model.graphql"].content.decode(), "model.graphql")
        assert model.application == name
        assert f"/auth/api/graphql/{name} " in files["README.md"].content.decode()


@pytest.mark.parametrize("aws", [False, True])
@pytest.mark.parametrize("blank", [False, True])
def test_an_editor_finds_the_model_and_its_directives(aws: bool, blank: bool) -> None:
    """With both files of the configuration, a GraphQL library finds an unknown directive."""
    files = project_files("my-app", ORIGINS, aws=aws, blank=blank)
    lines = files[".graphqlrc.yml"].content.decode().splitlines()
    named = [line.removeprefix("  - ") for line in lines if line.startswith("  - ")]
    text = "".join(files[name].content.decode() for name in named)
    assert build_schema(text).type_map
    with pytest.raises(TypeError, match="Unknown directive '@aplication'"):
        build_schema(text.replace("  @application(", "  @aplication("))


def test_the_events_of_a_project_are_about_its_own_model() -> None:
    def events(*, blank: bool) -> list[str]:
        files = project_files("my-app", ORIGINS, aws=True, blank=blank)
        return [each.content.decode() for name, each in files.items() if name.startswith("events/")]

    assert any("Employee" in event for event in events(blank=False))
    assert not any("Employee" in event for event in events(blank=True))
    for event in (*events(blank=False), *events(blank=True)):
        assert '/graphql/Hr"' not in event
        assert '"application": "Hr"' not in event


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


def test_a_new_project_begins_with_longer_passwords_in_each_stage() -> None:
    """The repository's own configuration has no length, because its stacks exist."""
    files = project_files("my-app", ORIGINS, aws=True)
    written = tomllib.loads(files["samconfig.toml"].content.decode())
    overrides = [
        stage["deploy"]["parameters"]["parameter_overrides"]
        for stage in written.values()
        if isinstance(stage, dict) and "parameter_overrides" in stage.get("deploy", {}).get("parameters", {})
    ]
    assert len(overrides) == 3
    assert all(each.startswith("PasswordLength=15 ") for each in overrides)
    assert "PasswordLength" not in (ROOT / "samconfig.toml").read_text("utf-8")
