"""The files of a new project: a model, a README and pyproject.toml, and what a deployment to AWS needs."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from stratabase import __version__
from stratabase.cli.project.folder import PROJECT_FILES, SAMPLE_MODEL
from stratabase.cli.project.origin import PackageOrigin
from stratabase.cli.terminal.command_error import CommandError

_TEMPLATES = Path(__file__).parent / "templates"
_MODEL = "model.graphql"
_AWS_MODEL = "layers/model/model.graphql"
_WHEELS = "wheels"
_AWS_WHEELS = "layers/stratabase"
_AWS_FILES = (
    "template.yaml",
    "functions/*/*",
    "events/*.json",
    "events/*/*.json",
    "layers/dependencies/requirements.txt",
    "layers/model/Makefile",
    "layers/stratabase/Makefile",
    "requirements/sam.txt",
    "tools/find-python",
    "tools/sam.mk",
)
"""What a project on AWS has in common with the repository."""
_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")
_MAX_NAME = 60
"""The longest name of a project. It begins the names of stacks, which can have 128 characters."""


class ProjectFile(NamedTuple):
    """A file of a new project."""

    content: bytes
    executable: bool = False


def project_files(title: str, origin: PackageOrigin, *, aws: bool) -> Mapping[str, ProjectFile]:
    """Return the files of a new project by their paths.

    Args:
        title: The name of its folder.
        origin: What installs Stratabase in the project. Its wheel becomes one of the files.
        aws: Whether the project can be deployed to AWS.
    """
    wheel = origin.wheel
    wheels = _AWS_WHEELS if aws else _WHEELS
    model = _AWS_MODEL if aws else _MODEL
    values = {
        "title": title,
        "name": project_name(title),
        "version": __version__,
        "model": model,
        "requirement": origin.requirement,
        "install": f"{wheels}/{wheel.name}" if wheel else f"'{origin.requirement}'",
    }
    files: dict[str, ProjectFile] = {
        model: ProjectFile(SAMPLE_MODEL.read_bytes()),
        ".gitignore": _render("gitignore", values),
        "README.md": _render("README.md", values),
        "pyproject.toml": _render("pyproject.toml.template", values),
    }
    if wheel is not None:
        name = f"{wheels}/{wheel.name}"
        files[name] = ProjectFile(wheel.read_bytes())
        source = f'\n[tool.uv.sources]\nstratabase = {{ path = "{name}" }}\n'
        files["pyproject.toml"] = ProjectFile(files["pyproject.toml"].content + source.encode())
    return {**files, **(_aws_files(values, files, wheel) if aws else {})}


def project_name(title: str) -> str:
    """Return a name for packages and stacks, such as `my-app` for `My app!`."""
    name = _BETWEEN_WORDS.sub("-", title.lower()).strip("-")[:_MAX_NAME].strip("-")
    return name if name[:1].isalpha() else f"app-{name}".strip("-")


def write_project(folder: Path, files: Mapping[str, ProjectFile]) -> None:
    """Write the files, all or none. Raises CommandError if one of them exists, or can't be written."""
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"{folder} is a file. Nothing was written. Name a folder, which may be new.")
    existing = [name for name in files if (folder / name).exists() or (folder / name).is_symlink()]
    if existing:
        raise CommandError(
            f"{folder} already has {', '.join(existing)}. Nothing was written. Name another folder."
        )
    written = list[Path]()
    try:
        for name, file in files.items():
            target = folder / name
            written += _make_folders(target.parent)
            with target.open("xb") as opened:
                written.append(target)
                opened.write(file.content)
            if file.executable:
                target.chmod(0o755)
    except OSError as error:
        for path in reversed(written):
            path.rmdir() if path.is_dir() else path.unlink()
        raise CommandError(f"Writing {error.filename or folder} failed: {error.strerror}.") from error


def _make_folders(folder: Path) -> list[Path]:
    """Create a folder and its missing parents, and return those that were created, the outermost first."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()][::-1]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _aws_files(
    values: Mapping[str, str], files: Mapping[str, ProjectFile], wheel: Path | None
) -> Mapping[str, ProjectFile]:
    """Return the files that only a project on AWS has, and its longer README."""
    readme = files["README.md"].content + _render("aws/README.md", values).content
    # SAM builds the layer in a copy of its folder, so the path of the wheel is relative to that.
    package = f"./{wheel.name}" if wheel else values["requirement"]
    stacks = (PROJECT_FILES / "samconfig.toml").read_text("utf-8")
    return {
        **dict(_shared_files()),
        "README.md": ProjectFile(readme),
        "Makefile": _render("aws/Makefile", {}),
        "samconfig.toml": ProjectFile(stacks.replace('"stratabase-', f'"{values["name"]}-').encode()),
        f"{_AWS_WHEELS}/requirements.txt": ProjectFile(f"{package}\n".encode()),
    }


def _shared_files() -> Iterator[tuple[str, ProjectFile]]:
    for pattern in _AWS_FILES:
        for file in sorted(PROJECT_FILES.glob(pattern)):
            if file.is_file():
                name = file.relative_to(PROJECT_FILES).as_posix()
                yield name, ProjectFile(file.read_bytes(), bool(file.stat().st_mode & 0o100))


def _render(name: str, values: Mapping[str, str]) -> ProjectFile:
    """Return a file of the templates with the values in place of their names in braces."""
    text = (_TEMPLATES / name).read_text("utf-8")
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", value)
    return ProjectFile(text.encode())
