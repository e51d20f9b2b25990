"""The layers that SAM builds with make contain what makes cold starts short."""

import shutil
import subprocess
import sys
import tomllib
from os.path import normpath
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from stratabase.core.model.prepared import read_prepared
from tests.repository import ROOT


def build(layer: str, target: str, folder: Path, **variables: str) -> Path:
    """Build a layer as SAM does: in a copy of its folder."""
    source, artifacts = folder / "source", folder / "artifacts"
    shutil.copytree(ROOT / "layers" / layer, source)
    artifacts.mkdir()
    data = [f"{name}={value}" for name, value in variables.items()]
    command = ["make", "--silent", target, f"ARTIFACTS_DIR={artifacts}", *data]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return artifacts


def test_the_lock_file_of_the_layers_pins_dependencies_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = project["dependency-groups"]["layers"]

    of_aws = tomllib.loads((ROOT / "layers/stratabase/aws/pyproject.toml").read_text())
    assert set(needed) <= {*project["project"]["dependencies"], *of_aws["project"]["dependencies"]}
    pinned = (ROOT / "layers/dependencies/requirements.txt").read_text()
    assert all(f"\n{Requirement(each).name}==" in f"\n{pinned}" for each in needed)
    # Only `serve` shows the documentation.
    assert "markdown" not in pinned
    # Only the function `signin` has it.
    assert "cryptography==" not in pinned
    only_signin = project["dependency-groups"]["providers"]
    assert set(only_signin) <= {*project["project"]["dependencies"]}
    pinned = (ROOT / "layers/providers/requirements.txt").read_text()
    assert all(f"\n{Requirement(each).name}==" in f"\n{pinned}" for each in only_signin)


@pytest.mark.built
def test_the_model_layer_contains_the_model_and_its_prepared_form(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("stratabase")

    built = build("model", "build-ModelLayer", tmp_path, STRATABASE=str(command))

    names = ["model.documents.zip", "model.graphql", "model.prepared.json"]
    assert sorted(file.name for file in built.iterdir()) == names
    text = (built / "model.graphql").read_bytes()
    assert text == (ROOT / "layers/model/model.graphql").read_bytes()
    assert read_prepared((built / "model.prepared.json").read_bytes(), text)


LEFT_OUT = (
    "cli",
    "server",
    "terminal",
    "transfer",
    "../stratabase_aws/commands",
    "../stratabase_aws/deploy",
)
"""The packages of the terminal and of the local server, beside the commands of each package."""


@pytest.mark.built
def test_the_service_layer_contains_only_the_compiled_package(tmp_path: Path) -> None:
    """It is compiled for one Python version, without a check of file times, which packaging changes."""
    built = build("stratabase", "build-ServiceLayer", tmp_path, DEPLOYED_PYTHON=sys.executable)

    sources = [ROOT / "layers/stratabase" / name for name in ("python", "aws")]
    files = ((source, file) for source in sources for file in source.glob("*/**/*.py"))
    modules = {file.relative_to(source) for source, file in files}
    left_out = [Path(normpath(Path("stratabase", name))) for name in LEFT_OUT]
    modules = {each for each in modules if not any(map(each.is_relative_to, left_out))}
    commands = {each for each in modules if each.parts[2:3] in {("commands",), ("commands.py",)}}
    assert {each.parts[1] for each in commands} >= {"members", "evolution"}
    modules -= commands
    compiled = {file.relative_to(built / "python") for file in built.rglob("*.pyc")}
    tag = sys.implementation.cache_tag
    assert compiled == {each.parent / "__pycache__" / f"{each.stem}.{tag}.pyc" for each in modules}
    others = {file.relative_to(built) for file in built.rglob("*") if file.is_file()} - {
        Path("python") / each for each in (*modules, *compiled)
    }
    needed_at_run_time = {".lark", ".graphql", ".html", ".css", ".js", ".json", ".po", ".txt"}
    assert {each.suffix for each in others} == needed_at_run_time
    assert {each.name for each in others if each.suffix == ".txt"} == {"licenses.txt", "unicode_14.txt"}
    assert {each.name for each in (built / "python").iterdir()} == {"stratabase", "stratabase_aws"}
    assert not any((built / "python/stratabase" / name).exists() for name in LEFT_OUT)
    assert [file for file in built.rglob("*") if "documentation" in file.name or file.suffix == ".md"] == []
    unchecked = 0b01
    for file in built.rglob("*.pyc"):
        assert int.from_bytes(file.read_bytes()[4:8], "little") == unchecked
