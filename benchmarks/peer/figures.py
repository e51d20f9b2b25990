"""The figures of a comparison: printed with their limits, kept in a file, and written into a page."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.http_rows import BARE, OWN
from benchmarks.table import over
from tests.repository import ROOT

PEER, BESIDE = "PostGraphile", "beside"
MEASURED = Path(__file__).with_name("measured.json")
PAGE = ROOT / "docs/performance.md"
SECTION = "## What requests cost\n"
"""The heading of the section of the page that has the figures."""


class Comparison(NamedTuple):
    """The CPU seconds of each case at each server, by the processes, and where they were measured."""

    processor: str
    peer: str
    """The versions of the peer and of what it runs on."""
    others_share: float
    """The share of the machine that others used meanwhile, from 0 to 1."""
    cases: Sequence[str]
    seconds: Mapping[tuple[str, str], Mapping[str, float]]

    def total(self, case: str, server: str) -> float | None:
        """Return the CPU milliseconds of a request, None if the server didn't get it."""
        found = self.seconds.get((case, server))
        return None if found is None else sum(found.values()) * 1000

    def ratio(self, case: str) -> float | None:
        """Return the CPU time of a request in that of the peer, None if the peer has no such request."""
        own, theirs = self.total(case, OWN), self.total(case, PEER)
        return None if own is None or theirs is None else own / theirs

    def print(self, limits: Mapping[str, tuple[float, float]]) -> None:
        """Print a table. `limits`: by case, the limit and the goal of the ratio."""
        print(f"\nBeside {self.peer}, on {self.processor}")
        print(f"Others used {self.others_share:.0%} of the machine. CPU milliseconds of a request:")
        has_beside = any(server == BESIDE for _, server in self.seconds)
        columns = ["empty", "own", *(["beside", "own/beside"] if has_beside else []), "Node", "PostgreSQL"]
        print(f"  {'':48}{''.join(f'{each:>11}' for each in (*columns, 'ratio', 'limit', 'goal'))}")
        for case in self.cases:
            ratio = self.ratio(case)
            limit, goal = limits.get(case, (None, None))
            cells = [*self._milliseconds(case, has_beside=has_beside), ratio, limit, goal]
            shown = "".join(f"{'' if each is None else f'{each:.3f}':>11}" for each in cells)
            print(f"  {case:48}{shown}  {_verdict(ratio, limit, goal)}".rstrip())
            if ratio is not None and limit is not None and ratio > limit:
                over.append(f"beside {PEER}: {case}")

    def _milliseconds(self, case: str, *, has_beside: bool) -> Iterator[float | None]:
        yield self.total("", BARE)
        own, beside = self.total(case, OWN), self.total(case, BESIDE)
        yield own
        if has_beside:
            yield beside
            yield None if own is None or not beside else own / beside
        theirs = self.seconds.get((case, PEER), {})
        for process in ("Node", "PostgreSQL"):
            yield theirs[process] * 1000 if process in theirs else None


def _verdict(ratio: float | None, limit: float | None, goal: float | None) -> str:
    if ratio is None or limit is None or goal is None:
        return ""
    return "OVER" if ratio > limit else "above goal" if ratio > goal else "ok"


def record(comparison: Comparison) -> None:
    """Keep figures in the file from which the page is made."""
    content = {
        **comparison._asdict(),
        "seconds": [
            {"case": case, "server": server, **{name: round(each, 8) for name, each in found.items()}}
            for (case, server), found in comparison.seconds.items()
            if server != BESIDE
        ],
        "month": f"{datetime.now(UTC):%B %Y}",
    }
    MEASURED.write_text(json.dumps(content, indent=1) + "\n")


def render(page: str, content: Mapping[str, Any]) -> str:
    """Return a page with kept figures in the section for them, and otherwise as it was."""
    before, _, rest = page.partition(SECTION)
    _, heading, after = rest.partition("\n## ")
    return f"{before}{SECTION}{_section(content)}{heading}{after}"


def _section(content: Mapping[str, Any]) -> str:
    seconds = {
        (each["case"], each["server"]): {
            name: value for name, value in each.items() if name not in {"case", "server"}
        }
        for each in content["seconds"]
    }
    kept = Comparison(
        content["processor"], content["peer"], content["others_share"], content["cases"], seconds
    )
    rows = "\n".join(_row(kept, case) for case in kept.cases)
    return f"""\
The figures are the CPU milliseconds of the server for each request, over SQLite, with 10,000 objects and
16 connections. Those of PostGraphile include PostgreSQL. Both were measured in turns, in one run
([how](#how-it-was-measured)):

- When: {content["month"]}
- Processor: {kept.processor}, of which other processes used {kept.others_share:.0%} meanwhile
- Peer: {kept.peer}
- For comparison, an empty answer of a bare HTTP server: {kept.total("", BARE):.3f} ms

| request | Stratabase | PostGraphile | in times of PostGraphile |
|---|---|---|---|
{rows}
"""


def _row(kept: Comparison, case: str) -> str:
    theirs, ratio = kept.total(case, PEER), kept.ratio(case)
    cells = [kept.total(case, OWN), theirs]
    shown = " | ".join("" if each is None else f"{each:.2f}" for each in cells)
    return f"| {case} | {shown} | {'' if ratio is None else f'{ratio:.2f}'} |"


if __name__ == "__main__":
    PAGE.write_text(render(PAGE.read_text(), json.loads(MEASURED.read_text())))
