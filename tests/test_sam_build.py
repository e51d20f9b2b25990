"""What a plain `sam build` says about a machine that lacks something. `make build` finds it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.repository import ROOT


@pytest.mark.parametrize(
    ("layer", "target", "missing"),
    [
        ("model", "build-ModelLayer", "stratabase"),
        ("stratabase", "build-ServiceLayer", "python3.13"),
    ],
)
def test_what_is_missing_is_named_with_what_to_do(
    layer: str, target: str, missing: str, tmp_path: Path
) -> None:
    """SAM shows the error output of make."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in ("sh", "make", "cp"):
        (commands / name).symlink_to(shutil.which(name) or pytest.skip(f"there is no {name}"))
    environment = {name: value for name, value in os.environ.items() if name != "STRATABASE"}
    built = subprocess.run(
        ["make", "-f", ROOT / f"layers/{layer}/Makefile", target],
        cwd=ROOT / f"layers/{layer}",
        env={**environment, "PATH": str(commands), "ARTIFACTS_DIR": str(tmp_path / "built")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode != 0
    assert f'The command "{missing}" is missing' in built.stderr
    assert 'Run "make build" instead of "sam build"' in built.stderr
    assert not (tmp_path / "built").exists()
