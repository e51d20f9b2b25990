"""Compares Stratabase with PostGraphile: `python -m benchmarks.peer`.

`make bench PEER=1` installs the peer, and does the same. The servers take turns: each answers a number of
requests of a case, round after round. The figure of a case is the least CPU time of a request in any round.
That of PostGraphile includes PostgreSQL. With `--beside FOLDER`, the Stratabase of another checkout takes
part, too.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import http_rows, table
from benchmarks.peer.comparison import LIMITS, compare
from benchmarks.peer.figures import record

if __name__ == "__main__":
    options = argparse.ArgumentParser(prog="python -m benchmarks.peer", description=__doc__)
    options.add_argument("--rounds", type=int, default=http_rows.ROUNDS)
    options.add_argument("--beside", type=Path, help="another checkout of Stratabase")
    options.add_argument("--short", action="store_true", help="leave out pages with totalCount")
    options.add_argument("--only-groups", action="store_true", help="measure groups alone")
    options.add_argument("--record", action="store_true", help="keep the figures for docs/performance.md")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        sizes = () if given.short else http_rows.SIZES[-1:] if given.only_groups else http_rows.SIZES
        comparison = compare(
            Path(temporary),
            rounds=given.rounds,
            beside=given.beside,
            sizes=sizes,
            only_groups=given.only_groups,
        )
    comparison.print(LIMITS)
    if given.record:
        record(comparison)
    sys.exit("\n".join(["Over the limit:", *table.over]) if table.over else 0)
