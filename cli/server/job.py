"""What a worker is started with."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Job:
    """Serve the functions of a template at an address."""

    template: Path
    address: str
    """The root of all addresses of the service, as this machine sees them."""
    previous_model: str | None = None
    """The text of the model that is served so far, if one is."""
