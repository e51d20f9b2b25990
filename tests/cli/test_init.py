"""`stratabase init` prints commands that work where it was called."""

from pathlib import Path

import pytest

from stratabase.cli import init
from stratabase.cli.main import main
from stratabase.cli.project.new_project import PackageOrigin


@pytest.mark.parametrize(
    ("uv", "serve"),
    [("/usr/bin/uv", "uv run stratabase serve"), (None, "stratabase serve")],
    ids=["with-uv", "without-uv"],
)
def test_the_next_commands_can_be_copied(
    uv: str | None,
    serve: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    origins = [PackageOrigin("stratabase", "stratabase==0.1.0")]
    monkeypatch.setattr(init, "find_origins", lambda *, aws: origins)
    monkeypatch.setattr("shutil.which", {"uv": uv}.get)

    assert main(["init", "my shop"]) == 0

    printed = capsys.readouterr().out
    assert f"  cd 'my shop'\n  {serve}\n" in printed
    assert "STRATABASE_FORMATS=iso" in printed
    assert (tmp_path / "my shop/model.graphql").is_file()


def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "notes"
    file.write_text("mine")

    assert main(["init", str(file)]) == 1

    assert capsys.readouterr().err == (
        f"{file} is a file. Nothing was written. Name a folder, which may be new.\n"
    )
    assert file.read_text() == "mine"
