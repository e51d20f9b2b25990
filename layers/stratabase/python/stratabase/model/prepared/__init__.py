"""A model that has been read and found right, as JSON: a start from it reads no text and checks no rules."""

from stratabase.model.prepared.file import prepare, prepared_file, read_prepared

__all__ = ["prepare", "prepared_file", "read_prepared"]
