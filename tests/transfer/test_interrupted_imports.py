"""An import that is stopped at any point continues, and ends as if it had never been stopped."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from stratabase.transfer.importing import ImportedAlready, StoreNotEmpty
from tests.core.store.stopping_engine import Stopped, StoppingEngine
from tests.soak import count, seed
from tests.transfer.random_histories import COMPANY, fill
from tests.transfer.stores import Store, check_same_items, files_of, import_from


@pytest.mark.soak
def test_an_import_continues_from_every_point(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    random = Random(seed())
    source, target = open_store("source"), open_store("target")
    fill(source, COMPANY, random, count(60, 400))
    export = source.export(tmp_path / "export", COMPANY)

    stops = 0
    while True:
        engine = StoppingEngine(target.engine, random.randint(1, 6), after=random.random() < 0.5)
        try:
            import_from(export, COMPANY, engine, target.blobs)
        except Stopped:
            stops += 1
        except ImportedAlready:  # it was stopped after its last commit
            break
        else:
            break

    assert stops > 3
    assert files_of(target.export(tmp_path / "again", COMPANY)) == files_of(export)
    check_same_items(target.engine, source.engine)


def test_another_import_is_refused_meanwhile(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    source, other, target = open_store("source"), open_store("other"), open_store("target")
    fill(source, COMPANY, Random(1), 20)
    fill(other, COMPANY, Random(2), 20)
    with pytest.raises(Stopped):
        import_from(
            source.export(tmp_path / "first", COMPANY),
            COMPANY,
            StoppingEngine(target.engine, 4, after=True),
            target.blobs,
        )

    with pytest.raises(StoreNotEmpty, match="The import of another export"):
        import_from(other.export(tmp_path / "second", COMPANY), COMPANY, target.engine, target.blobs)


def test_a_repeated_import_changes_nothing(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    source, target = open_store("source"), open_store("target")
    fill(source, COMPANY, Random(1), 20)
    export = source.export(tmp_path / "export", COMPANY)
    import_from(export, COMPANY, target.engine, target.blobs)

    with pytest.raises(ImportedAlready):
        import_from(export, COMPANY, target.engine, target.blobs)

    check_same_items(target.engine, source.engine)
