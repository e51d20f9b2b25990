"""`stratabase files`: uploads and downloads files as a member of an instance, and checks the stored files."""

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from stratabase.core.domain.files.addresses import ROOT, file_address
from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.domain.files.resumable_upload import MAX_CHUNK_SIZE
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.setting_values import parse_base_url, root_url
from stratabase.core.unusable_store import UnusableStore
from stratabase.terminal.arguments import Argument, Options, Subcommand, add_subcommands
from stratabase.terminal.command_error import MISUSED, CommandError, text_with_cause
from stratabase.terminal.progress import ProgressBar, TransferBar
from stratabase.terminal.settings import read_settings, require_store
from stratabase.transfer.client.binding import Binding
from stratabase.transfer.client.connection import Connection
from stratabase.transfer.client.credentials import PASSWORD_VARIABLE, TOKEN_VARIABLE, read_credentials
from stratabase.transfer.client.download import Download
from stratabase.transfer.client.local_file import LocalFile, open_local_file
from stratabase.transfer.client.resumable import ResumableTransfer
from stratabase.transfer.client.upload import TusUpload, upload_form
from stratabase.values.wording import pluralize

_MAX_VERSION = 10**15


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands."""
    add_subcommands(parser, _SUBCOMMANDS)


def run(options: Options) -> int:
    """Run the subcommand, and print the lines that it yields."""
    for line in options.subcommand(options):
        print(line)
    return 0


def _upload(options: Options) -> Iterator[str]:
    """Upload a file, and yield the reference to it. With an object, bind the file to it."""
    target = FileTarget(options.class_name, options.attribute)
    with (
        open_local_file(options.file) as file,
        Connection(_base_url(options), read_credentials(options.user)) as connection,
    ):
        binding = None
        if options.object is not None:
            binding = Binding(connection, target, options.object, options.application)
            binding.check()
        identity = (file.path.resolve(), file.size, file.modified, connection.base_url, *target)
        resumable = ResumableTransfer("upload", *identity)
        reference = _send(connection, file, target, resumable)
        yield json.dumps(reference)
        if binding is not None:
            binding.bind(reference)
        # Until the object has the file, the next run continues here.
        resumable.forget()


def _send(
    connection: Connection, file: LocalFile, target: FileTarget, resumable: ResumableTransfer
) -> object:
    with TransferBar(file.name, file.size) as bar:
        if file.size <= MAX_CHUNK_SIZE:
            return upload_form(connection, file, target, bar)
        return TusUpload(connection, file, target, resumable).run(bar)


def _download(options: Options) -> Iterator[str]:
    """Download a file, and yield its path."""
    base_url, url = _link(options) if options.object is None else _address(options)
    with Connection(base_url, read_credentials(options.user)) as connection:
        default_name = urlsplit(url).path.rpartition("/")[2]
        yield str(Download(connection, url, default_name).run(options.output, force=options.force))


def _link(options: Options) -> tuple[str, str]:
    """Return the base URL of a link, and the link. Raises CommandError."""
    link = options.source
    base, root, _path = link.partition(f"{ROOT}/")
    if not root or "://" not in base:
        raise CommandError(
            "Name the class, the object and the attribute, or a link such as "
            f"https://api.example.com{ROOT}/employee/ID/photo.",
            MISUSED,
        )
    base_url = _parse_url(base)
    if options.url is not None and _parse_url(options.url) != base_url:
        raise CommandError(f"The link does not begin with {options.url}. Leave out --url.", MISUSED)
    if options.version is not None:
        raise CommandError("A link names its version itself. Leave out --version.", MISUSED)
    return base_url, link.partition("#")[0]


def _address(options: Options) -> tuple[str, str]:
    """Return the base URL, and the address of the file of an object. Raises CommandError."""
    if options.attribute is None:
        raise CommandError("Name the attribute too: CLASS OBJECT ATTRIBUTE.", MISUSED)
    base_url = _base_url(options)
    target = FileTarget(options.source, options.attribute)
    return base_url, file_address(base_url, target, options.object, options.version)


def _base_url(options: Options) -> str:
    """Return the root of the addresses of the instance. Raises CommandError."""
    if options.url is not None:
        return _parse_url(options.url)
    settings = read_settings()
    return root_url(settings.host, settings.port or 8000)


def _parse_url(text: str) -> str:
    try:
        return parse_base_url(text)
    except ValueError as error:
        raise CommandError(f'"{text}" is not a base URL. {error}', MISUSED) from error


def _version(text: str) -> int:
    """Return a version that the user typed. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and int(text[:20]) < _MAX_VERSION):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of milliseconds since 1970")
    return int(text)


def _check(options: Options) -> Iterator[str]:
    """Compare the stores of the settings, and yield a line for each file that is not as it should be."""
    # Imported only here, because uploads and downloads need no stores.
    from stratabase.core.app.app import App  # noqa: PLC0415
    from stratabase.core.operations.files.check import check_files  # noqa: PLC0415
    from stratabase.core.store.file_references import StoredFileReferences  # noqa: PLC0415

    settings = read_settings()
    require_store(settings)
    instance = App(settings)
    bar = ProgressBar("Files", 0, "reference")
    try:
        found = check_files(
            StoredFileReferences(instance.engine), instance.blobs, recover=options.recover, progress=bar
        )
    except (UnusableStore, Unavailable) as error:
        raise CommandError(text_with_cause(error)) from error
    finally:
        instance.close()
    bar.end(f"{pluralize(found.files, 'file')} checked")
    for reference, size, is_recovered in found.missing:
        state = "missing" if size is None else f"{size:,} bytes instead of {reference.size or 0:,}"
        yield f"{reference.file_id} ({reference.owner}): {'recovered' if is_recovered else state}"
    for blob in found.unknown:
        yield f"{blob.key}: {blob.size:,} bytes that nothing refers to"
    left = sum(not each.is_recovered for each in found.missing)
    if left:
        advice = "" if options.recover else " To bring back deleted bytes, add --recover."
        raise CommandError(f"{pluralize(left, 'file')} not as stored.{advice}")


_URL: Argument = (
    "--url",
    {
        "metavar": "BASE_URL",
        "help": "the base URL of the instance, such as https://api.example.com; the default is the instance "
        "that runs on this machine",
    },
)
_USER: Argument = (
    "--user",
    {
        "metavar": "NAME",
        "help": f"the member to sign in as; the password comes from {PASSWORD_VARIABLE}, or the command asks "
        f"for it. Without --user, the command uses the token in {TOKEN_VARIABLE}",
    },
)
_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "upload": Subcommand(
        _upload,
        "upload a file, and print the reference that binds it to an object; a large upload that was "
        "interrupted continues when you run the same command again",
        (
            ("file", {"metavar": "FILE", "type": Path, "help": "the file to upload"}),
            ("class_name", {"metavar": "CLASS", "help": "the class of the attribute"}),
            ("attribute", {"metavar": "ATTRIBUTE", "help": "the attribute that the file is for"}),
            _URL,
            _USER,
            (
                "--object",
                {
                    "metavar": "ID",
                    "help": "also bind the file to this object; write CLASS and ATTRIBUTE as in the model",
                },
            ),
            (
                "--application",
                {
                    "metavar": "NAME",
                    "help": "the application of the object; the default is the one in the instance's "
                    "OpenAPI document",
                },
            ),
        ),
        example="stratabase files upload ada.png Employee photo --user admin",
    ),
    "check": Subcommand(
        _check,
        "find files whose bytes are missing, and bytes that nothing refers to, in the stores of the settings",
        (
            (
                "--recover",
                {
                    "action": "store_true",
                    "help": "bring back deleted bytes of missing files, if the store still has them",
                },
            ),
        ),
        example="stratabase files check --recover",
    ),
    "download": Subcommand(
        _download,
        "download the file of an object; a download that was interrupted continues when you run the same "
        "command again",
        (
            ("source", {"metavar": "CLASS|LINK", "help": "the class of the object, or the link of the file"}),
            ("object", {"metavar": "OBJECT", "nargs": "?", "help": "the ID of the object"}),
            ("attribute", {"metavar": "ATTRIBUTE", "nargs": "?", "help": "the attribute with the file"}),
            _URL,
            _USER,
            (
                "--version",
                {
                    "metavar": "MS",
                    "type": _version,
                    "help": "the start of a historical version, in milliseconds since 1970",
                },
            ),
            (
                "--output",
                {
                    "metavar": "PATH",
                    "type": Path,
                    "help": "the file to write, or a folder for it; the default is the file's own name, in "
                    "the current folder",
                },
            ),
            ("--force", {"action": "store_true", "help": "replace an existing file"}),
        ),
        example="stratabase files download Employee 06h05924s4pfpcb2r9lfao0llg photo --user admin",
    ),
}
