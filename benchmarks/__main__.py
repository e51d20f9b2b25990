"""The entry point of `make bench`: runs the benchmarks, and prints each figure with its limit.

Its exit code is 1 if a figure is over its limit.
"""

import os
import platform
import sqlite3
import sys
import tempfile
from pathlib import Path

from benchmarks import (
    as_of_rows,
    auth_rows,
    client_rows,
    cost_rows,
    csv_rows,
    download_rows,
    dynamodb_rows,
    fairness_rows,
    forgotten_rows,
    function_rows,
    http_rows,
    introspection_rows,
    member_rows,
    model_diff_rows,
    profile_rows,
    projection_rows,
    question_rows,
    scale_rows,
    shard_rows,
    start_rows,
    step_rows,
    streaming_rows,
    table,
    upload_rows,
)
from benchmarks.peer import comparison

BENCHMARKS = {
    "start": start_rows.main,
    "functions": function_rows.main,
    "introspection": introspection_rows.main,
    "profiles": profile_rows.main,
    "model diff": model_diff_rows.main,
    "auth": auth_rows.main,
    "members": member_rows.main,
    "forgotten": forgotten_rows.main,
    "costs": cost_rows.main,
    "projection": projection_rows.main,
    "questions": question_rows.main,
    "as of": as_of_rows.main,
    "scale": scale_rows.main,
    "shards": shard_rows.main,
    "clients": client_rows.main,
    "csv": csv_rows.main,
    "dynamodb": dynamodb_rows.main,
    "http": http_rows.main,
    "steps": step_rows.main,
    "fairness": fairness_rows.main,
    "downloads": download_rows.main,
    "uploads": upload_rows.main,
    "streaming": streaming_rows.main,
}


PEER = "--peer"
"""The option that compares the requests of `http` with those of PostGraphile."""


def main() -> None:
    """Run the benchmarks that the command line names, or all of them."""
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"{platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version},")
    print(f"{os.cpu_count()} cores, load before: {load}")
    names = [name for name in sys.argv[1:] if name != PEER]
    benchmarks = {**BENCHMARKS, "http": comparison.main} if PEER in sys.argv else BENCHMARKS
    for name in names or benchmarks:
        with tempfile.TemporaryDirectory() as folder:
            benchmarks[name](Path(folder))
    if table.over:
        sys.exit("\n".join(["", "Over the limit:", *(f"  {figure}" for figure in table.over)]))


if __name__ == "__main__":
    main()
