"""Tables of figures: what they print, and that a figure over its limit fails `make bench`."""

from pathlib import Path

import pytest

from benchmarks import __main__ as entry_point
from benchmarks import table
from benchmarks.table import Figure, print_table


@pytest.fixture(autouse=True)
def _no_figures_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "over", [])


@pytest.mark.parametrize(
    ("value", "limit", "goal", "verdict"),
    [
        (5, None, None, ""),
        (5, 5, None, "ok"),
        (5.1, 5, None, "OVER"),
        (4, 5, 4, "ok"),
        (4.1, 5, 4, "above goal"),
        (5.1, 5, 4, "OVER"),
        (float("inf"), 5, 4, "OVER"),
    ],
)
def test_a_value_is_compared_with_its_limit_and_goal(
    value: float, limit: float | None, goal: float | None, verdict: str
) -> None:
    assert Figure("get", value, "", limit, goal=goal).verdict == verdict


def test_a_table_has_goals_only_if_a_figure_has_one(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("Without", [Figure("get", 6, "ms", 14)])
    print_table("With", [Figure("get", 6, "ms", 14, goal=5), Figure("other", 1, "ms")])
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert lines == [
        ["Without"],
        ["figure", "limit"],
        ["get", "6.000", "14", "ms", "ok"],
        ["With"],
        ["figure", "limit", "goal"],
        ["get", "6.000", "14", "5", "ms", "above", "goal"],
        ["other", "1.000", "ms"],
    ]


def _within(_: Path) -> None:
    print_table("Fast", [Figure("get", 1, "ms", 2)])


def _beyond(_: Path) -> None:
    print_table("Slow", [Figure("get", 1, "ms", 2), Figure("page", 3, "ms", 2)])


def test_a_figure_over_its_limit_fails_the_run_after_all_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmarks = {"slow": _beyond, "fast": _within}
    monkeypatch.setattr(entry_point, "BENCHMARKS", benchmarks)
    monkeypatch.setattr("sys.argv", ["benchmarks"])
    with pytest.raises(SystemExit, match=r"Over the limit:\n  Slow: page$"):
        entry_point.main()


def test_figures_within_their_limits_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_point, "BENCHMARKS", {"slow": _beyond, "fast": _within})
    monkeypatch.setattr("sys.argv", ["benchmarks", "fast"])
    entry_point.main()
    assert table.over == []
