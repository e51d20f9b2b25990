"""Runs each test of this suite on every store with versions: every engine, the oracle, and renamed models."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.core.store.engine.port import Engine
from stratabase.core.store.renamed_repository import open_repository
from stratabase.core.store.repository import Repository
from tests.contract.engine.engines import KINDS
from tests.contract.engine.reference import ReferenceEngine
from tests.contract.versions.models import COMPANY
from tests.contract.versions.versioned_objects import VersionedObjects
from tests.fakes import DictEntities
from tests.renamed_models import renamed
from tests.soak import mostly

PLAIN, RENAMED = "plain", "renamed"


@pytest.fixture(params=mostly([PLAIN, RENAMED, *(kind.name for kind in KINDS)], "dynamodb-moto", "metered"))
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VersionedObjects]:
    if request.param == PLAIN:
        yield VersionedObjects(DictEntities(COMPANY))
        return
    if request.param == RENAMED:
        yield VersionedObjects(open_repository(ReferenceEngine(), renamed(COMPANY)))
        return
    (kind,) = (kind for kind in KINDS if kind.name == request.param)
    engine: Engine = kind.open(tmp_path)
    yield VersionedObjects(Repository(engine, COMPANY))
    engine.close()
