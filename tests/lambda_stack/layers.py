"""The folders that Lambda has: the layers in /opt, the runtime in /var/runtime, and the functions."""

import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tests.lambda_stack.template import FunctionDeclaration
from tests.repository import ROOT

INSTALLED = ROOT / ".venv-layers"
"""Where make installs the packages of the layers' lock files."""
PROVIDERS = "ProvidersLayer"
"""The layer that only some functions have."""
RUNTIME = ("awslambdaric", "runtime_client", "snapshot_restore_py", "simplejson")
"""The packages of Lambda's runtime for Python, from the environment of the tests."""
SERVICE = ROOT / "layers/stratabase"


class Layers(NamedTuple):
    """The folders of the layers and of the runtime."""

    packages: Path
    providers: Path
    service: Path
    runtime: Path

    def environment(self, function: FunctionDeclaration, settings: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of a function: the settings, and what Lambda sets."""
        own = [self.providers] if PROVIDERS in function.layers else []
        folders = (function.file.parent, self.service, *own, self.packages, self.runtime)
        streams = {"AWS_LAMBDA_EXEC_WRAPPER": "stream"} if self.streams(function) else {}
        return {
            **settings,
            **streams,
            "PYTHONPATH": ":".join(map(str, folders)),
            "PYTHONDONTWRITEBYTECODE": "",
            "LAMBDA_TASK_ROOT": str(function.file.parent),
            "LAMBDA_RUNTIME_DIR": str(self.runtime),
            "_HANDLER": f"{function.file.stem}.{function.entry}",
            "AWS_LAMBDA_FUNCTION_NAME": function.name,
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory),
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
            "AWS_REGION": settings.get("AWS_REGION", "us-east-1"),
        }

    def streams(self, function: FunctionDeclaration) -> bool:
        """Return whether a function has a script that starts the runtime that streams."""
        return (function.file.parent / "stream").exists()

    def command(self, function: FunctionDeclaration) -> list[str]:
        """Return the command that starts a function: only what the layers have can be imported."""
        module = "stratabase_aws.streaming_runtime" if self.streams(function) else "awslambdaric"
        handler = [] if self.streams(function) else [f"{function.file.stem}.{function.entry}"]
        # -S: without the packages of the environment that the tests run in.
        return [sys.executable, "-S", "-m", module, *handler]


def lay_out(folder: Path) -> Layers:
    """Return the layers. The service is copied as `make build` copies it: without the commands."""
    if not ((INSTALLED / ".done").exists() and (INSTALLED / "providers").exists()):
        raise AssertionError(
            "the packages of the layers are not installed: `make .venv-layers/.done` does it"
        )
    service = folder / "service"
    for package in ("python/stratabase", "aws/stratabase_aws"):
        ignored = shutil.ignore_patterns("cli")
        shutil.copytree(SERVICE / package, service / Path(package).name, ignore=ignored)
    runtime = folder / "runtime"
    runtime.mkdir()
    for spec in filter(None, map(find_spec, RUNTIME)):
        found = Path(str(spec.origin))
        source = found.parent if found.name == "__init__.py" else found
        (runtime / source.name).symlink_to(source)
    return Layers(INSTALLED / "python", INSTALLED / "providers", service, runtime)
