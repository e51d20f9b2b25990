"""The bar of a transfer shows the share, the size and the rate on one line of a terminal."""

import io
import itertools
from contextlib import redirect_stderr

import pytest

from stratabase.terminal.progress import ProgressBar, TransferBar, print_note


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """A terminal. Each look at the clock takes a second."""
    clock = itertools.count()
    monkeypatch.setattr("stratabase.terminal.progress.time.monotonic", lambda: float(next(clock)))
    return Screen()


def test_the_bar_stays_on_one_line(screen: Screen) -> None:
    with redirect_stderr(screen), TransferBar("a.png", 4_000_000) as bar:
        for done in (1_000_000, 3_000_000, 4_000_000):
            bar.show(done)
    lines = screen.getvalue().split("\r")[1:]
    assert [line.rstrip() for line in lines] == [
        "a.png [#######                       ]  25% of 4.0 MB, 0.0 MB/s",
        "a.png [######################        ]  75% of 4.0 MB, 1.0 MB/s",
        "a.png [##############################] 100% of 4.0 MB, 1.0 MB/s",
    ]
    assert screen.getvalue().count("\n") == 1


def test_an_empty_file_is_complete(screen: Screen) -> None:
    with redirect_stderr(screen):
        TransferBar("a.png", 0).show(0)
    assert "100% of 0.0 MB" in screen.getvalue()


def test_a_name_cannot_change_the_terminal(screen: Screen) -> None:
    with redirect_stderr(screen):
        TransferBar("a\x1b[2Jb\n.png", 1).show(1)
    assert "\ra?[2Jb?.png [" in screen.getvalue()


def test_a_note_is_below_the_bar(screen: Screen) -> None:
    with redirect_stderr(screen):
        print_note("Trying again.")
    assert screen.getvalue() == "\nTrying again.\n"


def test_without_a_terminal_a_short_task_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with TransferBar("a.png", 1) as bar:
        bar.show(1)
    ProgressBar("Employee", 10)(10)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("screen")
def test_without_a_terminal_a_long_task_prints_a_line_every_two_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with TransferBar("a.png", 4_000_000) as bar:
        bar.show(1_000_000)
        bar.show(3_000_000)
    task = ProgressBar("Employee", 2_000)
    task(500)
    task(700)
    unknown = ProgressBar("Files", 0, "reference")
    unknown(1)
    unknown(1)
    assert capsys.readouterr().err.splitlines() == [
        "a.png: 75% of 4.0 MB, 1.0 MB/s",
        "Employee: 60% (1,200 of 2,000 objects)",
        "Files: 2 references",
    ]


def test_the_bar_of_a_task_is_replaced_by_its_outcome(
    screen: Screen, capsys: pytest.CaptureFixture[str]
) -> None:
    with redirect_stderr(screen):
        task = ProgressBar("Employee", 2)
        task(1)
        task.end("ready")
    begun, half, cleared = screen.getvalue().split("\r")[1:]
    assert begun == f"Employee [{' ' * 30}] 0% (0 of 2 objects)"
    assert half == f"Employee [{'#' * 15}{' ' * 15}] 50% (1 of 2 objects)"
    assert cleared == "\033[K"
    assert capsys.readouterr().out == "Employee: ready (checked 1 object)\n"
