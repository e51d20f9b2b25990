"""Each layer of packages is exactly its lock file: for the tests, and as `make build` has built it."""

import sys
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.repository import ROOT


class PackageLayer(NamedTuple):
    """A layer of packages: its lock file, where the tests have it, and where `make build` makes it."""

    lock: Path
    for_tests: Path
    built: Path


LAYERS = {
    "dependencies": PackageLayer(
        ROOT / "layers/dependencies/requirements.txt",
        ROOT / ".venv-layers/python",
        ROOT / ".aws-sam/build/DependenciesLayer/python",
    ),
    "providers": PackageLayer(
        ROOT / "layers/providers/requirements.txt",
        ROOT / ".venv-layers/providers",
        ROOT / ".aws-sam/build/ProvidersLayer/python",
    ),
}
LAMBDA = {
    "python_version": "3.13",
    "python_full_version": "3.13.0",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "os_name": "posix",
    "platform_python_implementation": "CPython",
    "implementation_name": "cpython",
}
"""The environment of the functions, for the markers of the lock file."""
MAX_MEGABYTES = 170
"""What all layers may have together, well below the 250 MB that Lambda allows for them and the function."""

pytestmark = [
    pytest.mark.built,
    pytest.mark.skipif(sys.version_info[:2] != (3, 13), reason="the layers are for the Python of AWS"),
]


def locked(lock: Path) -> Mapping[str, str]:
    """Return the version of each package of a lock file that the functions need, by name."""
    lines = [line.rstrip(" \\") for line in lock.read_text().splitlines() if line[:1].isalnum()]
    requirements = [Requirement(line) for line in lines]
    assert requirements
    return {
        canonicalize_name(each.name): str(each.specifier).removeprefix("==")
        for each in requirements
        if each.marker is None or each.marker.evaluate(LAMBDA)
    }


@pytest.fixture(params=["for the tests", "built"])
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def installed(layer: str, place: str) -> Path:
    """Return the folder of a layer. Skips the test if `make build` has not run."""
    if place == "built":
        if not LAYERS[layer].built.exists():
            pytest.skip("`make build` has not run here")
        return LAYERS[layer].built
    folder = LAYERS[layer].for_tests
    assert folder.exists(), "`make .venv-layers/.done` installs the packages"
    return folder


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_has_exactly_the_packages_of_the_lock_file(layer: str, place: str) -> None:
    folder = installed(layer, place)
    found = {canonicalize_name(each.name): each.version for each in distributions(path=[str(folder)])}
    assert found == locked(LAYERS[layer].lock)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_has_nothing_that_is_of_no_package(layer: str, place: str) -> None:
    folder = installed(layer, place)
    owned = {
        Path(str(file)).parts[0] for each in distributions(path=[str(folder)]) for file in each.files or ()
    }
    # The files of commands are named from another folder. SAM leaves the lock file.
    found = {each.name for each in folder.iterdir()} - {"bin", "__pycache__", LAYERS[layer].lock.name}
    assert found <= owned


def test_the_layers_are_small_enough_together(place: str) -> None:
    folders = [installed(layer, place) for layer in LAYERS]
    files = (file for folder in folders for file in folder.rglob("*") if file.is_file())
    assert sum(file.stat().st_size for file in files) < MAX_MEGABYTES * 1_000_000


def test_a_package_of_two_layers_has_one_version() -> None:
    """Lambda puts all layers of a function into one folder."""
    versions = [locked(each.lock) for each in LAYERS.values()]
    shared = versions[0].keys() & versions[1].keys()
    assert shared == {"cffi", "pycparser"}
    assert {name: versions[0][name] for name in shared} == {name: versions[1][name] for name in shared}
