"""The hook that renders the documentation while the wheel is built, as `serve` shows it."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGES = "layers/stratabase/python"
TARGET = "stratabase/server/documentation/built"


class DocumentationHook(BuildHookInterface[Any]):
    """Adds the rendered pages to the wheel. An editable one needs none, because their source is there."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Render the pages into a temporary folder, from which the wheel takes them."""
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / PACKAGES))
        from stratabase.server.documentation.source_pages import SourcePages  # noqa: PLC0415 - see above

        self._folder = TemporaryDirectory()
        SourcePages(root).write(Path(self._folder.name))
        build_data["force_include"][self._folder.name] = TARGET

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        """Remove the temporary folder."""
        if version != "editable":
            self._folder.cleanup()
