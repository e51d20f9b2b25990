"""The sources of the pages that are built from `tools`, and the fingerprint that a build records of them."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import orjson
from babel.messages.catalog import Message
from babel.messages.pofile import read_po

from stratabase.core.http.pages.page import TEMPLATES
from stratabase.values.messages.message import ENGLISH, LANGUAGES
from tests.repository import ROOT

TOOLS = ROOT / "tools"
CONSOLE = TOOLS / "console"
MESSAGES = ROOT / "layers/stratabase/python/stratabase/values/messages"


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
    shared = [TOOLS / "page-records.mjs", TEMPLATES / "sign_in.js"]
    files = [*shared, *own, *_files_below(CONSOLE / "build"), *_files_below(CONSOLE / "src")]
    sources = {str(file.relative_to(ROOT)): file.read_bytes() for file in files}
    catalogs = {each: console_catalog(each) for each in LANGUAGES if each != ENGLISH}
    for language, catalog in catalogs.items():
        sources[f"catalog/{language}"] = orjson.dumps(catalog, option=orjson.OPT_SORT_KEYS)
    return sources


def console_catalog(language: str) -> Mapping[str, str | Sequence[str]]:
    """Return the translations of the console's messages, as the build takes them from a catalog."""
    with (MESSAGES / f"{language}.po").open("rb") as file:
        entries = [entry for entry in read_po(file, locale=language) if entry.id and is_of_console(entry)]
    found: dict[str, str | Sequence[str]] = {}
    for entry in entries:
        text = entry.id if isinstance(entry.id, str) else entry.id[0]
        forms = [entry.string] if isinstance(entry.string, str) else list(entry.string or ())
        if forms and all(forms):
            found[text] = forms[0] if isinstance(entry.id, str) else forms
    return found


def is_of_console(message: Message) -> bool:
    """Return whether the console has a message of a catalog."""
    return any("tools/console/" in file for file, _line in message.locations)


def fingerprint(sources: Mapping[str, bytes]) -> str:
    """Return what a build records of its sources in the file `sources.sha256`."""
    digest = sha256()
    for name in sorted(sources):
        digest.update(f"{name}\0".encode() + sources[name])
    return f"{digest.hexdigest()}\n"


def _files_below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())
