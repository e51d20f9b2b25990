"""`stratabase init`: creates the folder of a new project."""

import argparse
import shlex
import shutil
from pathlib import Path

from stratabase.cli.project.new_project import find_origins, project_files, write_project
from stratabase.terminal.arguments import add_examples


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "folder", metavar="FOLDER", type=Path, help="the folder of the project, such as my-app"
    )
    parser.add_argument(
        "--aws",
        action="store_true",
        help="also write what a deployment to AWS needs: template, functions, layers, events and a Makefile",
    )
    parser.add_argument(
        "--blank",
        action="store_true",
        help="begin with a model of one small class, instead of the sample of a company",
    )
    add_examples(
        parser, "stratabase init my-app", "stratabase init --blank my-app", "stratabase init --aws my-app"
    )


def run(options: argparse.Namespace) -> int:
    """Write the files, and say what to do next."""
    folder: Path = options.folder
    title = folder.resolve().name or "app"
    files = project_files(title, find_origins(aws=options.aws), aws=options.aws, blank=options.blank)
    write_project(folder, files)
    print(f"Created {folder} with {len(files)} files. Its README.md says what to do. To start:")
    print()
    if folder.resolve() != Path.cwd():
        print(f"  cd {shlex.quote(str(folder))}")
    print("  uv run stratabase serve" if shutil.which("uv") else "  stratabase serve")
    print()
    print(
        "If programs use the API, set STRATABASE_FORMATS=iso before, so that dates and times are in ISO 8601."
    )
    return 0
