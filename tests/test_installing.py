"""A new project from the wheel and a package index alone, on the oldest and the newest Python."""

import sys
from pathlib import Path

import pytest

from tests.installation import build_wheels, follow, run
from tests.repository import ROOT

pytestmark = [pytest.mark.built, pytest.mark.thorough]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return build_wheels(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def uv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the command uv."""
    folder = tmp_path_factory.mktemp("uv")
    run([sys.executable, "-m", "venv", str(folder)])
    run([str(folder / "bin/pip"), "install", "--quiet", "uv"])
    return folder / "bin"


def find_python(version: str) -> str:
    """Return the path of the interpreter itself. With a script of pyenv, uv makes environments anew."""
    found = run([str(ROOT / "tools/find-python"), version]).strip()
    return run([found, "-c", "import sys; print(sys.executable)"]).strip()


@pytest.mark.parametrize("version", ["3.11", "3.13"])
@pytest.mark.parametrize("options", [[], ["--aws"]], ids=["laptop", "aws"])
def test_a_new_project_is_installed_with_pip_and_runs_with_uv(
    version: str, options: list[str], wheels: tuple[Path, Path], uv: Path, tmp_path: Path
) -> None:
    python, environment = find_python(version), tmp_path / "environment"
    run([python, "-m", "venv", str(environment)])
    needed = wheels if options else wheels[:1]
    run([str(environment / "bin/pip"), "install", "--quiet", *map(str, needed)])

    run([str(environment / "bin/stratabase"), "init", *options, "my-app"], tmp_path)

    # With --aws, one of the commands is `make build`.
    follow(tmp_path / "my-app", uv, uv=True, UV_PYTHON=python)
    built = tmp_path / "my-app/.aws-sam/build/ServiceLayer/python/stratabase"
    assert built.is_dir() is bool(options)
    assert not (built / "cli").exists()


def test_uvx_runs_the_wheel_without_an_installation(
    wheels: tuple[Path, Path], uv: Path, tmp_path: Path
) -> None:
    wheel, _ = wheels
    run([str(uv / "uvx"), "--from", str(wheel), "stratabase", "init", "my-app"], tmp_path)

    assert (tmp_path / "my-app/wheels" / wheel.name).read_bytes() == wheel.read_bytes()
