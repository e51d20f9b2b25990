"""`stratabase reindex`: fills the indexes that a changed model asks for, while the service goes on."""

import argparse
import sys
from typing import TYPE_CHECKING

from cli.fault import Fault
from cli.server import configuration

if TYPE_CHECKING:
    from stratabase.model.model import Model
    from stratabase.store.engine import Engine

HELP = "fill the indexes that were added to the model; pages are complete before, meanwhile and after"
_WIDTH = 30


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what arguments it takes."""
    parser.add_argument(
        "classes", metavar="CLASS", nargs="*", help="the classes; all of the model without any"
    )


def run(options: argparse.Namespace) -> int:
    """Fill them, class by class. It may be stopped and started again at any time."""
    settings = configuration.read_settings()
    from stratabase.domain.refusal import Unavailable  # noqa: PLC0415 - `stratabase --help` needs none of it
    from stratabase.model.reading import ModelMistakes  # noqa: PLC0415
    from stratabase.store.sqlite.fault import UnusableStore  # noqa: PLC0415
    from stratabase.wiring import Instance  # noqa: PLC0415

    instance = Instance(settings)
    try:
        _reindex(instance.engine, instance.model, options.classes)
        instance.engine.close()
    except (ModelMistakes, UnusableStore, Unavailable) as error:
        raise Fault(str(error)) from error
    return 0


def _reindex(engine: "Engine", model: "Model", asked: list[str]) -> None:
    from stratabase.store.reindex import Reindex  # noqa: PLC0415 - see run

    reindex = Reindex(engine, model)
    for name in _chosen(asked, [class_.name for class_ in model.classes.values() if class_.is_stored]):
        bar = Bar(name, _count(engine, name))
        reindex.of(name, bar.go_on)
        bar.end()


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

    def end(self) -> None:
        """Say that the class is done."""
        print(f"\r{self._name}: every index is ready ({self._done:,} objects were looked at)")


def _chosen(asked: list[str], known: list[str]) -> list[str]:
    strange = [name for name in asked if name not in known]
    if strange:
        raise Fault(f"There is no class {', '.join(strange)}; there are {', '.join(known)}.")
    return asked or known


def _count(engine: "Engine", class_name: str) -> int:
    from stratabase.store import keys  # noqa: PLC0415 - see run

    return sum(map(len, engine.range(keys.LISTING, keys.listing(class_name))))
