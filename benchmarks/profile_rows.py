"""What many profiles cost: the start of a process, its memory, and the introspection of each profile."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.models import MODELS
from benchmarks.table import Figure, print_table
from stratabase.core.model.prepared import prepare, prepared_file
from stratabase.core.model.reading import read_model
from stratabase.core.schema.prepared_documents import prepare_documents, prepared_documents_file

PROFILES = (1, 10, 100)
"""The numbers of profiles that are compared, besides that of the administrator."""
MAX_RATIO = 1.5
"""The limit of the ratio of a figure with the most profiles to the figure with one."""
STARTS = 5
PROCESS = """
import json, sys, time
from pathlib import Path
from stratabase.core.app.app import App
from stratabase.members.member import Caller
from stratabase.core.settings import Settings
from graphql import get_introspection_query

def megabytes():
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

home, model, query, count = sys.argv[1:]
instance = App(Settings(home=Path(home), model=Path(model)))
def ask(query, profile):
    answer = instance.executor.execute(query, None, None, Caller("1", "bob", profile), "trace")
    assert answer.body.startswith(b'{"data"'), answer.body
    return answer
ask(query, "P0")
started = {"cpu": time.process_time(), "memory": megabytes()}
before = time.process_time()
for number in range(int(count)):
    ask(get_introspection_query(), f"P{number}")
spent = time.process_time() - before
print(json.dumps({**started, "introspection": spent / int(count), "memory after": megabytes()}))
"""


def main(folder: Path) -> None:
    """Measure a model of 100 classes. Each profile may use some of them, and no two the same."""
    measured = {count: _measure(folder, count) for count in PROFILES}
    for count, figures in measured.items():
        print_table(f"100 classes, {count} profiles", list(_figures(figures)))
    least, most = measured[PROFILES[0]], measured[PROFILES[-1]]
    rows = [
        Figure(name, most[name] / least[name], "times", MAX_RATIO)
        for name in ("cpu", "memory", "memory after")
    ]
    print_table(f"{PROFILES[-1]} profiles beside {PROFILES[0]}", rows)


def _figures(figures: dict[str, float]) -> Iterator[Figure]:
    yield Figure("CPU to the first answer", figures["cpu"], "s")
    yield Figure("memory then", figures["memory"], "MB")
    yield Figure("CPU of the introspection of a profile", figures["introspection"] * 1000, "ms")
    yield Figure("memory after that of all profiles", figures["memory after"], "MB")
    yield Figure("prepared documents", figures["documents"], "MB")
    yield Figure("CPU to prepare them", figures["preparing"], "s")


def _measure(folder: Path, count: int) -> dict[str, float]:
    file = folder / f"{count}.graphql"
    text = _model(count)
    file.write_text(text)
    model = read_model(text, file.name)
    prepared_file(file).write_bytes(prepare(model, text.encode()))
    before = time.process_time()
    prepare_documents(prepared_documents_file(file), model, text.encode())
    preparing = time.process_time() - before
    query = "{ Person0___getPage { items { _id last_name } } }"
    command = [sys.executable, "-c", PROCESS, str(folder / f"home{count}"), str(file), query, str(count)]
    starts = [_start(command) for _ in range(STARTS)]
    median = sorted(starts, key=lambda start: start["cpu"])[STARTS // 2]
    documents = prepared_documents_file(file).stat().st_size / 1e6
    return {**median, "documents": documents, "preparing": preparing}


def _start(command: list[str]) -> dict[str, Any]:
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    figures: dict[str, Any] = json.loads(output)
    return figures


def _model(count: int) -> str:
    """Return the large model with profiles, each of which may read other classes and attributes."""
    text = MODELS["large"].text()
    profiles = "".join(f' @profile(name: "P{number}")' for number in range(count))
    text = text.replace(" @profile", profiles + " @profile", 1)
    readable = " ".join(f'@grant(profile: "P{number}", allow: [READ])' for number in range(count))
    text = text.replace("type Person0\n", f"type Person0 {readable}\n")
    for area in range(10):
        own = " ".join(
            f'@grant(profile: "P{number}", allow: [READ, {"EDIT" if number < 50 else "CREATE"}])'
            for number in range(count)
            if number % 10 == area
        )
        text = text.replace(f"type Team{area} ", f"type Team{area} {own} ")
    hidden = (
        " ".join(
            f'@grant(profile: "P{number}", allow: [])' for number in range(count) if number // 10 % 5 == index
        )
        for index in range(5)
    )
    for name, grants in zip(("first_name", "born", "hired_on", "remote", "salary"), hidden, strict=True):
        text = _narrow(text, name, grants)
    return text


def _narrow(text: str, name: str, grants: str) -> str:
    """Return the model with grants on an attribute of the first class."""
    start = text.index(f"\n  {name}: ", text.index("type Person0"))
    end = text.index("\n", start + 1)
    return f"{text[:end]} {grants}{text[end:]}"
