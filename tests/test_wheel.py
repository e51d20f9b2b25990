"""The wheel has everything that users need, and works without the repository."""

import json
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from packaging.requirements import Requirement

from tests.installation import Installation
from tests.service import ROOT

PACKAGE = ROOT / "layers/stratabase/python"
ONLY_FOR_DEVELOPERS = {
    "stratabase/messages/messages.pot",
    "stratabase/http_api/pages/graphiql/built/sources.sha256",
}
PROJECT_FILES = "stratabase/cli/project/files/"


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return Installation(tmp_path_factory.mktemp("installation") / "here")


def test_the_wheel_is_one_package_with_all_of_its_files(installation: Installation) -> None:
    with zipfile.ZipFile(installation.wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        parsed = Metadata.from_email(wheel.read(metadata), validate=True)
        same = {
            name: wheel.read(name) == (ROOT / name.removeprefix(PROJECT_FILES)).read_bytes()
            for name in names
            if name.startswith(PROJECT_FILES)
        }

    own = {
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert {name for name in names if not name.startswith(PROJECT_FILES)} == own - ONLY_FOR_DEVELOPERS
    assert all(same.values())
    assert {f"{PROJECT_FILES}{name}" for name in ("template.yaml", "layers/model/model.graphql")} <= names
    # A plain installation serves: no package is left to an extra.
    assert parsed.provides_extra in (None, [])
    installed = {Requirement(str(each)).name for each in parsed.requires_dist or ()}
    assert {"httptools", "graphql-core", "watchfiles", "requests"} <= installed


def test_a_folder_with_only_a_model_is_served(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "model.graphql").write_bytes((ROOT / "layers/model/model.graphql").read_bytes())
    terminal = installation.serve(tmp_path, STRATABASE_ADMIN_PASSWORD="correct horse battery")
    try:
        terminal.started()
        assert json.loads(terminal.get("/public/health"))["store"] == "reachable"
        assert "<html" in terminal.get("/public/graphiql")
    finally:
        assert terminal.end() == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == [".stratabase", "model.graphql"]
