"""The mark of a table of members."""

from uuid import uuid4

from pynamodb.attributes import UnicodeAttribute

from stratabase.core.domain.store_mark import StoreMark, parse_mark
from stratabase_aws.members.pynamodb_table import PynamoRecord, PynamoTable, save_if

MARK_KEY = ("MARK", "M")
"""The key of the record. The policies of the functions name it."""
_AS_READ = "as read"


class MarkRecord(PynamoRecord):
    """The mark of the table."""

    text = UnicodeAttribute()


class PynamoMemberMark:
    """The mark in a table of members."""

    def __init__(self, table: PynamoTable) -> None:
        self._table = table
        self._record = table.bind(MarkRecord)

    @property
    def content(self) -> PynamoTable:
        """The store itself."""
        return self._table

    def read_mark(self) -> StoreMark | None:
        """Return the mark, None if the store has none. Raises Unavailable."""
        text = self._read_text()
        return None if text is None else parse_mark(text)

    def is_new(self) -> bool:
        """Return whether the table is empty. Raises Unavailable."""
        return not self._table.read(lambda: list(self._record.scan(limit=1)), checked=False)

    def write_mark(self, mark: StoreMark, before: StoreMark | None) -> bool:
        """Write a mark if the current one is `before`. Return whether it was. Raises Unavailable."""
        text = self._read_text()
        if (None if text is None else parse_mark(text)) != before:
            return False
        as_read = MarkRecord.pk.does_not_exist() if text is None else MarkRecord.text == text
        record = self._record(*MARK_KEY, text=mark.text())
        return not self._table.transact(uuid4().hex, [save_if(record, as_read, _AS_READ)], checked=False)

    def _read_text(self) -> str | None:
        def work() -> str | None:
            try:
                return str(self._record.get(*MARK_KEY, consistent_read=True).text)
            except self._record.DoesNotExist:
                return None

        return self._table.read(work, checked=False)
