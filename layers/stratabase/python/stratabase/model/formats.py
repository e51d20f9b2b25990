"""How a member writes and reads dates and numbers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Formats:
    """A member's Java date pattern and time pattern, IANA time zone and language code (api.md section 4)."""

    date_format: str = "dd/MM/yyyy"
    time_format: str = "HH:mm"
    time_zone: str = "UTC"
    language: str = "en"

    @property
    def datetime_format(self) -> str:
        """The pattern of a Datetime: the date's, a space, the time's."""
        return f"{self.date_format} {self.time_format}"


DEFAULT_FORMATS = Formats()
