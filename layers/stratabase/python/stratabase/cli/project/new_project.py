"""The files of a new project: a model, a README and pyproject.toml, and what a deployment to AWS needs.

A new project installs the same packages, so it says where this installation came from.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from stratabase import __version__
from stratabase.core.model.language import language_text
from stratabase.members.password import NEW_SHORTEST_PASSWORD
from stratabase.terminal.command_error import CommandError

_PACKAGE, _AWS_PACKAGE = "stratabase", "stratabase-aws"


class PackageOrigin(NamedTuple):
    """What installs a package again."""

    name: str
    requirement: str
    """The requirement in the format of PEP 508, such as `stratabase==0.1.0`."""
    wheel: Path | None = None
    """The wheel on this machine, if the package was installed from one."""


def find_origins(*, aws: bool) -> Sequence[PackageOrigin]:
    """Return the origins of the packages that a project needs, as the installer recorded them (PEP 610).

    Raises CommandError if a package is not installed, or its wheel does not exist any more.
    """
    return [_find_origin(name) for name in ((_PACKAGE, _AWS_PACKAGE) if aws else (_PACKAGE,))]


def _find_origin(name: str) -> PackageOrigin:
    try:
        recorded = distribution(name).read_text("direct_url.json")
    except PackageNotFoundError as error:
        raise CommandError(
            f"A project on AWS needs the package {name}. Install it beside {_PACKAGE}."
        ) from error
    return (
        parse_origin(name, json.loads(recorded))
        if recorded
        else PackageOrigin(name, f"{name}=={__version__}")
    )


def parse_origin(name: str, recorded: Mapping[str, Any]) -> PackageOrigin:
    """Return the origin of a package by its direct_url.json. Raises CommandError if its wheel is missing."""
    url = str(recorded["url"])
    vcs = recorded.get("vcs_info")
    if vcs is not None:
        folder = f"#subdirectory={recorded['subdirectory']}" if "subdirectory" in recorded else ""
        return PackageOrigin(name, f"{name} @ {vcs['vcs']}+{url}@{vcs['commit_id']}{folder}")
    if "archive_info" not in recorded or urlsplit(url).scheme != "file":
        return PackageOrigin(name, f"{name} @ {url}")
    wheel = Path(url2pathname(urlsplit(url).path))
    if not wheel.is_file():
        raise CommandError(
            f"Stratabase was installed from {wheel}, which does not exist any more. The new project needs "
            "the wheel. Put it back, or install Stratabase again."
        )
    return PackageOrigin(name, f"{name}=={__version__}", wheel)


_INSTALLED = Path(__file__).parent / "files"
_REPOSITORY = Path(__file__).parents[6]
PROJECT_FILES = _INSTALLED if _INSTALLED.is_dir() else _REPOSITORY
"""The folder with template.yaml, the functions and layers that it names, events and the model."""
SAMPLE_MODEL = PROJECT_FILES / "layers/model/model.graphql"
"""The model with which a new project begins."""


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
    "layers/providers/requirements.txt",
    "layers/stratabase/Makefile",
    "requirements/sam.txt",
    "tools/find-python",
    "tools/sam.mk",
)
"""What a project on AWS has in common with the repository."""
_SAMPLE_APPLICATION = re.compile(rb'(/graphql/|/schema/|"application": "|@application\(name: ")Hr(?=")')
"""The name of the application of the sample model, in the model and in the events."""
_SAMPLE_CLASS = re.compile(rb"employee", re.IGNORECASE)
"""What the events have that are about objects of the sample model."""
_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")
_WORD = re.compile(r"[A-Za-z0-9]+")
_MAX_NAME = 60
"""The longest name of a project. It begins the names of stacks, which can have 128 characters."""


class Example(NamedTuple):
    """Requests of the README, and their answers."""

    create: str
    created: str
    page: str
    paged: str


_OF_SAMPLE = Example(
    'mutation { Employee___create(data: {first_name: \\"Ada\\", last_name: \\"Lovelace\\", '
    'email: \\"ada@example.com\\"}) { badge full_name } }',
    '{"data":{"Employee___create":{"badge":"1","full_name":"Ada Lovelace"}}}',
    "{ Employee___getPage(options: {orderBy: [last_name___ASC], next: 10}) "
    "{ totalCount items { full_name email } } }",
    '{"data":{"Employee___getPage":{"totalCount":1,'
    '"items":[{"full_name":"Ada Lovelace","email":"ada@example.com"}]}}}',
)
_OF_BLANK = Example(
    'mutation { Item___create(data: {name: \\"First\\"}) { name } }',
    '{"data":{"Item___create":{"name":"First"}}}',
    "{ Item___getPage(options: {orderBy: [name___ASC], next: 10}) { totalCount items { name } } }",
    '{"data":{"Item___getPage":{"totalCount":1,"items":[{"name":"First"}]}}}',
)


class ProjectFile(NamedTuple):
    """A file of a new project."""

    content: bytes
    executable: bool = False


def project_files(
    title: str, origins: Sequence[PackageOrigin], *, aws: bool, blank: bool = False
) -> Mapping[str, ProjectFile]:
    """Return the files of a new project by their paths.

    Args:
        title: The name of its folder, which also names the application.
        origins: What installs Stratabase in the project. Their wheels become files of it.
        aws: Whether the project can be deployed to AWS.
        blank: Whether the model has one small class only, instead of a sample to learn from.
    """
    folder = _AWS_WHEELS if aws else _WHEELS
    wheels = {each.name: (f"{folder}/{each.wheel.name}", each.wheel) for each in origins if each.wheel}
    model = _AWS_MODEL if aws else _MODEL
    values = {
        "title": title,
        "name": project_name(title),
        "application": application_name(title),
        **(_OF_BLANK if blank else _OF_SAMPLE)._asdict(),
        "version": __version__,
        "model": model,
        "requirements": ", ".join(f'"{each.requirement}"' for each in origins),
        "install": " ".join(
            wheels[each.name][0] if each.wheel else f"'{each.requirement}'" for each in origins
        ),
    }
    files: dict[str, ProjectFile] = {
        model: _render("blank.graphql", values) if blank else _of_application(SAMPLE_MODEL, values),
        "directives.graphql": ProjectFile(language_text().encode()),
        ".gitignore": _render("gitignore", values),
        ".graphqlrc.yml": _render("graphqlrc.yml", values),
        "README.md": _render("README.md", values),
        "pyproject.toml": _render("pyproject.toml.template", values),
    }
    if wheels:
        sources = (f'{name} = {{ path = "{path}" }}\n' for name, (path, _) in wheels.items())
        source = f"\n[tool.uv.sources]\n{''.join(sources)}"
        files["pyproject.toml"] = ProjectFile(files["pyproject.toml"].content + source.encode())
        files |= {path: ProjectFile(wheel.read_bytes()) for path, wheel in wheels.values()}
    return {**files, **_aws_files(values, files, origins, blank=blank)} if aws else files


def project_name(title: str) -> str:
    """Return a name for packages and stacks, such as `my-app` for `My app!`."""
    name = _BETWEEN_WORDS.sub("-", title.lower()).strip("-")[:_MAX_NAME].strip("-")
    return name if name[:1].isalpha() else f"app-{name}".strip("-")


def application_name(title: str) -> str:
    """Return a name for an application, such as `MyApp` for `my-app`."""
    name = "".join(word[0].upper() + word[1:] for word in _WORD.findall(title))[:_MAX_NAME]
    return name if name[:1].isalpha() else f"App{name}"


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
    values: Mapping[str, str],
    files: Mapping[str, ProjectFile],
    origins: Sequence[PackageOrigin],
    *,
    blank: bool,
) -> Mapping[str, ProjectFile]:
    """Return the files that only a project on AWS has, and its longer README."""
    readme = files["README.md"].content + _render("aws/README.md", values).content
    # SAM builds the layer in a copy of its folder, so the path of a wheel is relative to that.
    packages = [f"./{each.wheel.name}" if each.wheel else each.requirement for each in origins]
    stacks = _of_new_stacks((PROJECT_FILES / "samconfig.toml").read_text("utf-8"))
    return {
        **dict(_shared_files(values, blank=blank)),
        "README.md": ProjectFile(readme),
        "Makefile": _render("aws/Makefile", {}),
        "samconfig.toml": ProjectFile(stacks.replace('"stratabase-', f'"{values["name"]}-').encode()),
        f"{_AWS_WHEELS}/requirements.txt": ProjectFile("".join(f"{each}\n" for each in packages).encode()),
    }


def _of_new_stacks(configuration: str) -> str:
    """Return the configuration of the SAM CLI with what only new stacks have: the length of passwords."""
    return configuration.replace(
        'parameter_overrides = "', f'parameter_overrides = "PasswordLength={NEW_SHORTEST_PASSWORD} '
    )


def _shared_files(values: Mapping[str, str], *, blank: bool) -> Iterator[tuple[str, ProjectFile]]:
    for pattern in _AWS_FILES:
        for file in sorted(PROJECT_FILES.glob(pattern)):
            if not file.is_file():
                continue
            name, shared = file.relative_to(PROJECT_FILES).as_posix(), _of_application(file, values)
            if not (blank and name.startswith("events/") and _SAMPLE_CLASS.search(shared.content)):
                yield name, shared


def _of_application(file: Path, values: Mapping[str, str]) -> ProjectFile:
    """Return a file with the name of the project's application in place of that of the sample."""
    renamed = rb"\g<1>" + values["application"].encode()
    content = _SAMPLE_APPLICATION.sub(renamed, file.read_bytes())
    return ProjectFile(content, bool(file.stat().st_mode & 0o100))


def _render(name: str, values: Mapping[str, str]) -> ProjectFile:
    """Return a file of the templates with the values in place of their names in braces."""
    text = (_TEMPLATES / name).read_text("utf-8")
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", value)
    return ProjectFile(text.encode())
