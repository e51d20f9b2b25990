"""`stratabase reindex`: builds the indexes and unique constraints that a changed model asks for."""

import argparse
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cli.fault import Fault
from cli.server import configuration
from stratabase.wording import pluralize, was_or_were

if TYPE_CHECKING:
    from stratabase.bootstrap import Instance

HELP = (
    "build the indexes, unique constraints and required roles of a changed model, while the service goes on"
)
_WIDTH = 30


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what arguments it takes."""
    parser.add_argument(
        "classes", metavar="CLASS", nargs="*", help="the classes; all of the model without any"
    )
    parser.add_argument(
        "--all", action="store_true", help="name all that several objects have in common, however many"
    )
    parser.add_argument(
        "--model",
        metavar="FILE",
        type=Path,
        help="a model that is not served yet: build what it needs, and keep what the served one needs",
    )


def run(options: argparse.Namespace) -> int:
    """Build them, class by class. It may be stopped and started again at any time."""
    settings = configuration.read_settings()
    from stratabase.bootstrap import Instance  # noqa: PLC0415
    from stratabase.domain.issues.refusals import Unavailable  # noqa: PLC0415 - `stratabase --help` needs none of it
    from stratabase.model.reading import InvalidModel  # noqa: PLC0415
    from stratabase.store.sqlite.errors import UnusableStore  # noqa: PLC0415

    ahead = options.model is not None
    instance = Instance(replace(settings, model=options.model) if ahead else settings)
    try:
        to_do = _reindex(instance, options.classes, whole=options.all, ahead=ahead)
        instance.engine.close()
    except (InvalidModel, UnusableStore, Unavailable) as error:
        raise Fault(str(error)) from error
    if to_do:
        raise Fault(to_do)
    return 0


def _reindex(instance: "Instance", asked: list[str], *, whole: bool, ahead: bool) -> str:
    """Build what there is to build, and return what the person must do about the rest."""
    from cli import building, unbuilt  # noqa: PLC0415 - see run
    from stratabase.store.backfill.reindex import Reindex  # noqa: PLC0415
    from stratabase.store.backfill.uniques import MOST_REFUSED  # noqa: PLC0415

    engine, model, local = instance.engine, instance.model, building.is_embedded(instance.settings)
    most = sys.maxsize if whole else MOST_REFUSED
    reindex = Reindex(engine, model, sleep=_pause, ahead=ahead, local=local, most=most)
    names = _chosen(asked, [class_.name for class_ in model.classes.values() if class_.is_stored])
    outcomes = []
    with building.one_at_a_time(instance.settings.home, _warn) if local else nullcontext():
        for name in names:
            bar = Bar(name, building.count(engine, name))
            outcome = reindex.run(name, bar.go_on)
            left = list(unbuilt.lines(name, outcome, whole=whole))
            bar.end("not everything is ready" if left else "everything is ready")
            print("".join(f"{line}\n" for line in left), end="")
            outcomes.append(outcome)
    return unbuilt.advice(outcomes)


class Bar:
    """How far one class is, on one line of a terminal; only its end, where nobody watches."""

    def __init__(self, name: str, total: int) -> None:
        self._name = name
        self._total = total
        self._done = 0

    def go_on(self, objects: int) -> None:
        """Show that so many more objects were looked at."""
        self._done += objects
        if sys.stderr.isatty():
            share = min(1.0, self._done / self._total) if self._total else 1.0
            filled = "#" * int(share * _WIDTH)
            print(f"\r{self._name} [{filled:<{_WIDTH}}] {self._done:,}", end="", file=sys.stderr)

    def end(self, how: str) -> None:
        """Say that the class is done, and how that went."""
        back = "\r" if sys.stderr.isatty() else ""
        looked_at = f"{pluralize(self._done, 'object')} {was_or_were(self._done)} looked at"
        print(f"{back}{self._name}: {how} ({looked_at})")


def _warn(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr)


def _pause(seconds: float) -> None:
    if seconds:
        text = f"Waiting {pluralize(round(seconds), 'second')}, until all that serve know of it."
        print(text, file=sys.stderr)
    time.sleep(seconds)


def _chosen(asked: list[str], known: list[str]) -> list[str]:
    strange = [name for name in asked if name not in known]
    if strange:
        raise Fault(f"There is no class {', '.join(strange)}; there are {', '.join(known)}.")
    return asked or known
