"""Servers that take turns: the CPU time of their requests, and how busy others kept the machine."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks import load

_IDLE = slice(3, 5)
"""The columns of /proc/stat with the time without work: idle, and waiting for a disk."""


class Server(NamedTuple):
    """A server: its port, and the CPU seconds that its processes have used so far, by their name."""

    port: int
    used: Callable[[], Mapping[str, float]]

    def cpu_seconds(self, requests: Iterator[bytes], number: int, connections: int) -> Mapping[str, float]:
        """Send a number of requests, and return the CPU seconds of each, by the name of the processes.

        The first request does not count. After it, the server has again what it keeps until a write.
        """
        load.run(self.port, 1, islice(requests, 1))
        before = self.used()
        result = load.run(self.port, connections, islice(requests, number))
        assert not result.bad, f"{result.bad} of {number} requests failed"
        after = self.used()
        return {name: (after[name] - before[name]) / number for name in after}


class Turn(NamedTuple):
    """The requests of a case to one server. `number`: how many of them a round sends."""

    server: str
    case: str
    requests: Iterator[bytes]
    number: int


Taken = Mapping[tuple[str, str], Sequence[Mapping[str, float]]]
"""By case and server: the CPU seconds of a request in each round, by the name of the processes."""


def take_turns(
    servers: Mapping[str, Server], turns: Sequence[Turn], *, rounds: int, connections: int, warm_up: int = 0
) -> Taken:
    """Measure all turns, one after the other, in each round. The first `warm_up` rounds don't count.

    Rounds are short, so that a few of them are disturbed little, even on a busy machine.
    """
    taken: dict[tuple[str, str], list[Mapping[str, float]]] = {(each.case, each.server): [] for each in turns}
    for round_ in range(warm_up + rounds):
        for turn in turns:
            found = servers[turn.server].cpu_seconds(turn.requests, turn.number, connections)
            if round_ >= warm_up:
                taken[turn.case, turn.server].append(found)
    return taken


def least(rounds: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """Return the round in which all processes together used the least CPU time."""
    return min(rounds, key=lambda each: sum(each.values()))


class Machine:
    """The CPU time that others used while something was measured."""

    def __init__(self) -> None:
        self.others_share = 0.0
        """The share of all processors' time, from 0 to 1."""

    @contextmanager
    def watched(self, own: Callable[[], float]) -> Iterator[None]:
        """Set `others_share` for the block. `own`: the CPU seconds of the processes that are measured."""
        (total, busy), own_before = _times(), own() + _of_this_process()
        yield
        (total_after, busy_after), own_after = _times(), own() + _of_this_process()
        others = (busy_after - busy) - (own_after - own_before)
        self.others_share = max(0.0, others / (total_after - total))


def _times() -> tuple[float, float]:
    """Return the seconds of all processors since the start of the machine, and those in which they worked."""
    (line,) = (each for each in Path("/proc/stat").read_text().splitlines() if each.startswith("cpu "))
    columns = [int(each) / os.sysconf("SC_CLK_TCK") for each in line.split()[1:9]]
    return sum(columns), sum(columns) - sum(columns[_IDLE])


def _of_this_process() -> float:
    return sum(os.times()[:2])


def processor() -> str:
    """Return the name of the processor, and the number of cores."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")
    return f"{name}, {os.cpu_count()} cores"
