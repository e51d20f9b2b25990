"""The wheel has everything that users need, and works without the repository."""

import os
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from packaging.requirements import Requirement

from stratabase import __version__
from stratabase.server.documentation.pages import PAGE_LIST
from stratabase.server.documentation.source_pages import SourcePages
from tests.installation import Installation, follow, run
from tests.repository import ROOT

pytestmark = pytest.mark.built

PACKAGE = ROOT / "layers/stratabase/python"
ONLY_FOR_DEVELOPERS = {"messages.pot", "sources.sha256", "markdown.py", "frame.html", "source_pages.py"}
PROJECT_FILES = "stratabase/cli/project/files/"
PAGES = "stratabase/server/documentation/built/"
SOURCE = SourcePages(ROOT)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return Installation(tmp_path_factory.mktemp("installation") / "here")


def test_the_wheel_is_one_package_with_all_of_its_files(installation: Installation) -> None:
    with zipfile.ZipFile(installation.wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        parsed = Metadata.from_email(wheel.read(metadata), validate=True)
        same = {
            name: wheel.read(name) == (ROOT / name.removeprefix(PROJECT_FILES)).read_bytes()
            for name in names
            if name.startswith(PROJECT_FILES)
        }
        pages = {
            name.removeprefix(PAGES).removesuffix(".html"): wheel.read(name)
            for name in names
            if name.startswith(PAGES)
        }

    own = {
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and file.name not in ONLY_FOR_DEVELOPERS
    }
    assert {name for name in names if not name.startswith((PROJECT_FILES, PAGES))} == own
    assert all(same.values())
    assert {f"{PROJECT_FILES}{name}" for name in ("template.yaml", "layers/model/model.graphql")} <= names
    # It has the documentation for users, but not for maintainers, in HTML.
    assert pages == {name: SOURCE.render(name) for name in (PAGE_LIST, *SOURCE.files)}
    # A plain installation serves on this machine, and knows nothing of AWS.
    required = [Requirement(str(each)) for each in parsed.requires_dist or ()]
    assert [each.name for each in required if each.marker and "extra" in str(each.marker)] == [
        "stratabase-aws"
    ]
    installed = {each.name for each in required}
    assert {"httptools", "graphql-core", "watchfiles", "requests"} <= installed
    assert not installed & {"boto3", "botocore", "pynamodb", "pyyaml", "markdown-it-py"}


def test_an_installation_shows_the_documentation_without_its_parser(installation: Installation) -> None:
    code = (
        "import sys\n"
        "from stratabase.server.documentation.pages import documentation\n"
        "print(len(documentation().find('csv').content), 'markdown_it' in sys.modules)"
    )
    page = SOURCE.render("csv")
    assert page is not None
    assert run([str(installation.bin / "python"), "-c", code]) == f"{len(page)} False\n"


def test_the_wheel_of_aws_has_its_package_and_nothing_else(installation: Installation) -> None:
    source = ROOT / "layers/stratabase/aws"
    with zipfile.ZipFile(installation.aws_wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        parsed = Metadata.from_email(wheel.read(metadata), validate=True)
    own = (file for file in (source / "stratabase_aws").rglob("*.py") if "__pycache__" not in file.parts)
    assert names == {str(file.relative_to(source)) for file in own}
    assert str(parsed.version) == __version__
    installed = {Requirement(str(each)).name for each in parsed.requires_dist or ()}
    assert installed == {"boto3", "botocore", "pynamodb", "pyyaml", "stratabase", "urllib3"}


def test_a_new_project_does_what_its_readme_says(installation: Installation, tmp_path: Path) -> None:
    printed = installation.run(tmp_path, "init", "my-app")

    assert "cd my-app\n  " in printed
    project = tmp_path / "my-app"
    # The project brings the package with it, as long as no index has it.
    wheel = project / "wheels" / installation.wheel.name
    assert wheel.read_bytes() == installation.wheel.read_bytes()
    source = tomllib.loads((project / "pyproject.toml").read_text())["tool"]["uv"]["sources"]["stratabase"]
    assert project / source["path"] == wheel
    follow(project, installation.bin, uv=False)


def test_a_blank_project_does_what_its_readme_says(installation: Installation, tmp_path: Path) -> None:
    installation.run(tmp_path, "init", "--blank", "my-app")

    project = tmp_path / "my-app"
    assert "type Item" in (project / "model.graphql").read_text()
    follow(project, installation.bin, uv=False)


def test_a_new_project_for_aws_has_the_files_of_the_repository(
    installation: Installation, tmp_path: Path
) -> None:
    installation.run(tmp_path, "init", "--aws", "my-app")

    project = tmp_path / "my-app"
    for pattern in ("template.yaml", "functions/*/*", "events/**/*.json", "layers/model/*", "tools/sam.mk"):
        for file in ROOT.glob(pattern):
            copy = project / file.relative_to(ROOT)
            if file.is_file() and "__pycache__" not in file.parts:
                assert copy.read_bytes().replace(b"MyApp", b"Hr") == file.read_bytes()
    assert os.access(project / "functions/download/stream", os.X_OK)
    assert os.access(project / "tools/find-python", os.X_OK)
    # SAM builds the layer in a copy of its folder, so the wheels are in that folder.
    requirements = (project / "layers/stratabase/requirements.txt").read_text().split()
    assert requirements == [f"./{each.name}" for each in (installation.wheel, installation.aws_wheel)]
    for each in (installation.wheel, installation.aws_wheel):
        assert (project / "layers/stratabase" / each.name).read_bytes() == each.read_bytes()
    stacks = tomllib.loads((project / "samconfig.toml").read_text())
    assert stacks["prod"]["global"]["parameters"]["stack_name"] == "my-app-prod"
    assert installation.run(project, "model", "check") == "ok\n"


def test_init_writes_nothing_if_a_file_exists(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")

    with pytest.raises(AssertionError, match=r"\. already has README.md. Nothing was written."):
        installation.run(tmp_path, "init", ".")

    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"README.md": "mine"}
