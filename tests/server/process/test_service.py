"""What a worker reports before it serves."""

from pathlib import Path

import pytest

from stratabase.server.process.messages import ReportKind, WorkerReport, WorkerTask
from stratabase.server.process.service import _report_warnings
from tests.service import running

MODEL = """\
extend schema @application(name: "Shop") @profile(name: "Boss", administrator: true) @profile(name: "Clerk")
type Pet { name: String }
"""


def reported(tmp_path: Path, text: str | None, previous: str | None) -> list[WorkerReport]:
    file, reports = tmp_path / "model.graphql", list[WorkerReport]()
    if text is not None:
        file.write_text(text)
    _report_warnings(WorkerTask("http://localhost", previous), file, reports.append)
    return reports


@pytest.mark.parametrize(
    "previous", [None, MODEL.replace("name: String", "code: Int")], ids=["start", "edit"]
)
def test_warnings_about_the_model_are_reported(previous: str | None, tmp_path: Path) -> None:
    (report,) = reported(tmp_path, MODEL, previous)

    assert report.kind is ReportKind.PROGRESS
    (line,) = report.lines
    assert line.startswith(
        f"Warning: {tmp_path / 'model.graphql'}:1:101: The profile Clerk has no access and no @grant names "
        "it, so its members can do nothing."
    )


@pytest.mark.parametrize(
    ("text", "previous"),
    [
        (MODEL, MODEL),
        (MODEL.replace(' @profile(name: "Clerk")', ""), None),
        ("type {", None),
        (None, None),
    ],
    ids=["same model", "no warning", "invalid", "no file"],
)
def test_nothing_is_reported_without_new_warnings(
    text: str | None, previous: str | None, tmp_path: Path
) -> None:
    assert reported(tmp_path, text, previous) == []


def test_the_code_of_writes_is_there_before_the_first_one(tmp_path: Path) -> None:
    """Otherwise an upgrade of the package could reach a process that runs on."""
    with running(tmp_path / "home", forked=False, settings={"PYTHONPROFILEIMPORTTIME": "1"}) as service:
        assert "stratabase.core.operations.write.pipeline" in service.log()
