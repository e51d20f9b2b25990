"""The wheel of this project, installed into an environment of its own, for tests of what users install."""

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from tests.cli.terminal import Terminal, surroundings
from tests.repository import ROOT

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def build_wheels(folder: Path) -> tuple[Path, Path]:
    """Build the wheels of `stratabase` and of `stratabase-aws` in a folder, and return their paths."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    for project in (ROOT, ROOT / "layers/stratabase/aws"):
        subprocess.run(command, cwd=project, check=True, capture_output=True)
    (wheel,) = folder.glob("stratabase-*.whl")
    (aws_wheel,) = folder.glob("stratabase_aws-*.whl")
    return wheel, aws_wheel


class Installation:
    """An environment with the wheels. Its dependencies are those of the environment of the tests."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.wheel, self.aws_wheel = build_wheels(folder)
        self._environment = folder / "environment"
        run([sys.executable, "-m", "venv", "--without-pip", str(self._environment)])
        target = [sys.executable, "-m", "pip", "--python", str(self._environment), "install", "--quiet"]
        run(
            [
                *target,
                "--disable-pip-version-check",
                "--no-index",
                "--no-deps",
                "--no-compile",
                str(self.wheel),
                str(self.aws_wheel),
            ]
        )
        (packages,) = self._environment.glob("lib/python*/site-packages")
        # The path comes after those of the environment. Its .pth files, such as that of the repository's
        # own package, have no effect.
        (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        self.packages = packages
        self.bin = self._environment / "bin"

    def run(self, folder: Path, *arguments: str, **environment: str) -> str:
        """Run `stratabase` in a folder, and return its output."""
        return run([str(self.bin / "stratabase"), *arguments], folder, environment)

    def serve(self, folder: Path, **environment: str) -> Terminal:
        """Start `stratabase serve` in a folder."""
        return Terminal.of(folder, [str(self.bin / "stratabase"), "serve"], environment)


def run(command: list[str], folder: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    """Run a command that must succeed, and return its output."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**surroundings(), **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}{os.linesep}{done.stdout}{done.stderr}"
    return done.stdout


def blocks(page: Path) -> Iterator[tuple[str, str | None]]:
    """Yield the commands of a page, each with the JSON that the page shows as its output, or None."""
    found = [(language, text) for language, text in _BLOCK.findall(page.read_text("utf-8"))]
    for (language, text), (next_language, output) in pairwise([*found, ("", "")]):
        if language == "sh":
            yield text, output if next_language == "json" else None


def follow(project: Path, path: Path, *, uv: bool, **environment: str) -> None:
    """Run the commands of a project's README in their order, and compare their output with the README.

    Args:
        project: The folder of the project.
        path: The folder of the commands, which comes before those of this machine.
        uv: Whether `uv` is there. Without it, `uv run` is left out, as the page says.
        environment: Further environment variables.
    """

    def here(command: str) -> str:
        return command if uv else command.replace("uv run ", "")

    (start, _), *rest = blocks(project / "README.md")
    assert start.endswith("uv run stratabase serve\n")
    environment = {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}", **environment}
    server = Terminal.of(project, ["bash", "-c", f"exec env {here(start)}"], environment)
    try:
        server.started()
        for command, output in rest:
            # The tests can't have the port of the page.
            sent = here(command).replace(":8000/", f":{server.port}/")
            printed = run(["bash", "-c", sent], project, environment)
            if output is not None:
                assert json.loads(printed) == json.loads(output)
    finally:
        code = server.end(signal.SIGTERM)
        assert code == 0, (code, server.printed)
