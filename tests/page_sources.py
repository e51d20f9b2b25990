"""The sources of the pages that are built from `tools`, and the fingerprint that a build records of them."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from stratabase.core.http.pages.page import TEMPLATES
from tests.repository import ROOT

TOOLS = ROOT / "tools"
CONSOLE = TOOLS / "console"


def page_sources(name: str) -> Mapping[str, bytes]:
    """Return the sources of GraphiQL or of the API reference, by the names that the build gives them."""
    folder = TOOLS / name
    files = [folder / "package-lock.json", folder / "package.json", *_files_below(folder / "src")]
    sources = {str(file.relative_to(folder)): file for file in files}
    sources |= {each: TOOLS / each for each in ("build-page.mjs", "page-records.mjs")}
    sources["src/sign_in.js"] = TEMPLATES / "sign_in.js"
    return {each: file.read_bytes() for each, file in sources.items()}


def console_sources() -> Mapping[str, bytes]:
    """Return the sources of the console, by the names that the build gives them."""
    own = [CONSOLE / name for name in ("package-lock.json", "package.json", "vite.config.ts")]
    files = [
        TOOLS / "page-records.mjs",
        *own,
        *_files_below(CONSOLE / "build"),
        *_files_below(CONSOLE / "src"),
    ]
    return {str(file.relative_to(ROOT)): file.read_bytes() for file in files}


def fingerprint(sources: Mapping[str, bytes]) -> str:
    """Return what a build records of its sources in the file `sources.sha256`."""
    digest = sha256()
    for name in sorted(sources):
        digest.update(f"{name}\0".encode() + sources[name])
    return f"{digest.hexdigest()}\n"


def _files_below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())
