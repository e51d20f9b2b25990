"""File uploads that only record what they get."""

from dataclasses import dataclass, field

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.pending_file import FileTarget, PendingFile
from stratabase.core.domain.files.stored_file import StoredFile
from stratabase.core.domain.issues.refusals import FileNotFound, Forbidden, Refusal
from stratabase.core.operations.files.upload import SentFile
from stratabase.values.messages import verbatim

UPLOADED_ON = 1_600_000_000_123
"""13 September 2020, 12:26 UTC."""


@dataclass
class FakeUploads:
    """One class with one File attribute, which carl may not set. `refusal` is raised by uploads."""

    refusal: Refusal | Exception | None = None
    sent: list[tuple[Caller, FileTarget, SentFile]] = field(default_factory=list)

    def target(self, caller: Caller, class_name: str, attribute: str) -> FileTarget:
        if (class_name.lower(), attribute.lower()) != ("employee", "photo"):
            raise FileNotFound(verbatim("There is no such attribute."))
        if caller.username == "carl":
            raise Forbidden(verbatim("You may not set this attribute."))
        return FileTarget("Employee", "photo")

    def upload(self, caller: Caller, target: FileTarget, sent: SentFile) -> PendingFile:
        if self.refusal is not None:
            raise self.refusal
        self.sent.append((caller, target, sent))
        file = StoredFile("f1", sent.name, sent.mime_type, len(sent.content), UPLOADED_ON)
        return PendingFile("p1", target, caller.id, file)
