"""An export of a store, imported into an empty one, gives the same items and the same export."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from stratabase.core.model.model import Model
from tests.renamed_models import renamed
from tests.soak import count, seed
from tests.transfer.random_histories import COMPANY, fill
from tests.transfer.stores import Store, check_same_items, files_of, import_from


@pytest.mark.soak
@pytest.mark.parametrize("model", [COMPANY, renamed(COMPANY)], ids=["plain", "renamed"])
def test_an_import_leaves_what_ordinary_writes_leave(
    model: Model, open_store: Callable[[str], Store], tmp_path: Path
) -> None:
    source, target = open_store("source"), open_store("target")
    fill(source, model, Random(seed()), count(150, 20_000))

    first = source.export(tmp_path / "first", model)
    import_from(first, model, target.engine, target.blobs)
    second = target.export(tmp_path / "second", model)

    assert files_of(second) == files_of(first)
    check_same_items(target.engine, source.engine)


def test_files_of_an_export_are_private(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    source = open_store("source")
    fill(source, COMPANY, Random(1), 20)

    folder = source.export(tmp_path / "export", COMPANY)

    assert {path.stat().st_mode & 0o777 for path in folder.rglob("*") if path.is_file()} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (folder, *folder.rglob("*/"))} == {0o700}
