"""The layer of packages is exactly its lock file: for the tests, and as `make build` has built it."""

import sys
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.repository import ROOT

LOCK = ROOT / "layers/dependencies/requirements.txt"
BUILT = {
    "for the tests": ROOT / ".venv-layers/python",
    "built": ROOT / ".aws-sam/build/DependenciesLayer/python",
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
MAX_MEGABYTES = 150
"""Well below the 250 MB that Lambda allows for all layers and the function together."""

pytestmark = [
    pytest.mark.built,
    pytest.mark.skipif(sys.version_info[:2] != (3, 13), reason="the layers are for the Python of AWS"),
]


def locked() -> Mapping[str, str]:
    """Return the version of each package of the lock file that the functions need, by name."""
    lines = [line.rstrip(" \\") for line in LOCK.read_text().splitlines() if line[:1].isalnum()]
    requirements = [Requirement(line) for line in lines]
    assert len(requirements) > 15
    return {
        canonicalize_name(each.name): str(each.specifier).removeprefix("==")
        for each in requirements
        if each.marker is None or each.marker.evaluate(LAMBDA)
    }


@pytest.fixture(params=BUILT)
def folder(request: pytest.FixtureRequest) -> Path:
    folder = BUILT[request.param]
    if not folder.exists():
        assert request.param == "built", "`make .venv-layers/.done` installs the packages"
        pytest.skip("`make build` has not run here")
    return folder


def test_a_layer_has_exactly_the_packages_of_the_lock_file(folder: Path) -> None:
    installed = {canonicalize_name(each.name): each.version for each in distributions(path=[str(folder)])}
    assert installed == locked()


def test_a_layer_has_nothing_that_is_of_no_package(folder: Path) -> None:
    owned = {
        Path(str(file)).parts[0] for each in distributions(path=[str(folder)]) for file in each.files or ()
    }
    # The files of commands are named from another folder. SAM leaves the lock file.
    found = {each.name for each in folder.iterdir()} - {"bin", "__pycache__", LOCK.name}
    assert found <= owned


def test_a_layer_is_small_enough(folder: Path) -> None:
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert size < MAX_MEGABYTES * 1_000_000
