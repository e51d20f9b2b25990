"""Accept a file for an attribute. It stays pending until an object takes it, for an hour at most."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.file_name import clean_file_name
from stratabase.core.domain.files.media_type import stored_media_type
from stratabase.core.domain.files.pending_file import PENDING_DURATION, FileTarget, PendingFile
from stratabase.core.domain.files.stored_file import StoredFile, pending_key
from stratabase.core.domain.issues.refusals import (
    FileTooLarge,
    FileTypeNotAllowed,
    Refusal,
    TooMuchPending,
    Unavailable,
)
from stratabase.core.operations.context import Services
from stratabase.core.operations.file_ports import FileStores
from stratabase.core.operations.files.attributes import check_may_set, find_attribute
from stratabase.values.messages import Message, _

StoreCall = Callable[[], Any]
RunAll = Callable[[Callable[[StoreCall], Any], Sequence[StoreCall]], list[Any]]
"""Maps a function over a sequence, possibly in parallel (`store.engine.parallel`)."""


def _one_by_one(run: Callable[[StoreCall], Any], calls: Sequence[StoreCall]) -> list[Any]:
    return [run(call) for call in calls]


_REFUSALS: dict[str, Callable[[Message], Refusal]] = {
    "ATTRIBUTE_FILE_TYPE": FileTypeNotAllowed,
    "ATTRIBUTE_FILE_SIZE": FileTooLarge,
}
"""By issue of a violated constraint: the refusal of the upload."""


class FileLimits(NamedTuple):
    """The limits of an instance, in bytes unless said otherwise."""

    file_size: int
    """The largest file."""
    pending_bytes: int
    """The pending files of one member, all together."""
    pending_files: int = 500
    """The number of pending files of one member."""


class SentFile(NamedTuple):
    """A file as a client sent it."""

    name: str
    """The file name, which may contain a path."""
    mime_type: str
    """The media type, empty if the client named none."""
    content: bytes


class FileUploads:
    """Accepts files."""

    def __init__(
        self,
        services: Services,
        files: FileStores,
        limits: FileLimits,
        run_all: RunAll = _one_by_one,
    ) -> None:
        """`run_all` runs calls of the store, possibly in parallel."""
        self._services = services
        self._files = files
        self._limits = limits
        self._run_all = run_all

    @property
    def max_size(self) -> int:
        """The largest file of the instance, in bytes."""
        return self._limits.file_size

    def target(self, caller: Caller, class_name: str, attribute: str) -> FileTarget:
        """Return the attribute that an address names, in any case, if the caller may set it.

        Raises FileNotFound, Forbidden.
        """
        class_, found = find_attribute(self._services.model, caller, class_name, attribute)
        check_may_set(self._services.model, caller, class_, found)
        return FileTarget(class_.name, found.name)

    def upload(self, caller: Caller, target: FileTarget, sent: SentFile) -> PendingFile:
        """Store a file, and return it.

        Raises FileTooLarge, FileTypeNotAllowed, TooMuchPending, Unavailable.
        """
        pending = self._accept(caller, target, sent)
        # 1. The ledger comes before the bytes, so that the sweep finds them whatever happens next.
        self.admit(caller, pending.id, pending.file.size, lambda: self._files.ledger.add(pending))
        # 2. Store the bytes. If that fails, the upload no longer counts for the member.
        try:
            self._files.blobs.put(pending_key(pending.id), (sent.content,), pending.file.size)
        except Unavailable:
            with suppress(Unavailable):
                self._files.ledger.withdraw(pending.id)
            raise
        return pending

    def admit(self, caller: Caller, pending_id: str, size: int, add: StoreCall) -> None:
        """Add an upload to the ledger, if the other pending files of the caller leave room for it.

        `add` adds it. Raises TooMuchPending, Unavailable.
        """
        now = self._services.clock.now()
        # Count and add at the same time, to save a round trip. Uploads that run in parallel on several
        # processes may pass together, since the index that counts them lags.
        others, _added = self._run_all(
            lambda call: call(),
            (lambda: self._files.ledger.pending_sizes(caller.id, pending_id, now), add),
        )
        limits = self._limits
        if sum(others) + size > limits.pending_bytes or len(others) >= limits.pending_files:
            self._files.ledger.withdraw(pending_id)
            raise self._too_much_pending(others)

    def _accept(self, caller: Caller, target: FileTarget, sent: SentFile) -> PendingFile:
        """Return the pending file of a sent one. Raises FileTooLarge, FileTypeNotAllowed."""
        ids, now = self._services.ids, self._services.clock.now()
        media_type = stored_media_type(sent.mime_type, sent.content)
        file = StoredFile(ids.new(), clean_file_name(sent.name), media_type, len(sent.content), now)
        self.check(caller, target, file)
        return PendingFile(ids.new(), target, caller.id, file)

    def check(self, caller: Caller, target: FileTarget, file: StoredFile) -> None:
        """Raise FileTooLarge or FileTypeNotAllowed if the attribute or the instance doesn't take a file."""
        limit = self._limits.file_size
        if file.size > limit:
            message = _(
                "The file has {size} bytes. The maximum is {maximum} bytes.", size=file.size, maximum=limit
            )
            raise FileTooLarge(message)
        attribute = self._services.class_(target.class_name).attributes[target.attribute]
        for violation in attribute.violations(file.stored(), caller.formats):
            name = f"{target.class_name}.{target.attribute}"
            message = _("{attribute}: {message}", attribute=name, message=violation.message)
            raise _REFUSALS[violation.issue](message)

    def _too_much_pending(self, others: Sequence[int]) -> TooMuchPending:
        if len(others) >= self._limits.pending_files:
            message = _(
                "You have {number} pending files already. The maximum is {maximum}. "
                "Bind them to objects, or wait until they expire.",
                number=len(others),
                maximum=self._limits.pending_files,
            )
        else:
            message = _(
                "Your pending files have {size} bytes already. The maximum is {maximum} bytes. "
                "Bind them to objects, or wait until they expire.",
                size=sum(others),
                maximum=self._limits.pending_bytes,
            )
        return TooMuchPending(message, PENDING_DURATION // 1000)
