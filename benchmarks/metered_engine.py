"""An engine that adds up round trips and the capacity units that DynamoDB would charge for them.

Computed, since emulators' own figures are wrong.
"""

from stratabase.domain.consumption import Consumption
from stratabase.store import metered
from stratabase.store.engine import Engine


class MeteredEngine(metered.MeteredEngine):
    """Passes every call on to another engine, and adds up what it costs."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, lambda: self._add)
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.calls = 0
        self.read_units = 0.0
        self.write_units = 0.0

    def _add(self, consumed: Consumption) -> None:
        self.calls += consumed.round_trips
        self.read_units += consumed.read_units
        self.write_units += consumed.write_units
