"""What changes are written with: an engine, the model, and what follows from both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

from stratabase.clock import SystemClock
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.model.class_ import Class, Kind
from stratabase.model.model import Model
from stratabase.store import codec, keys, links
from stratabase.store.associations import Associations
from stratabase.store.engine.parallel import ParallelMap
from stratabase.store.engine.port import Engine, Item, Key
from stratabase.store.engine.read_limiter import UNLIMITED, ReadLimiter
from stratabase.store.indexes.registry_cache import RegistryCache, WriteRules
from stratabase.store.presence import living

_TOGETHER = 100
"""How many items are got before it is seen whether more may be: as many as engines get with a request."""

system_now = SystemClock().now
"""The clock of this machine."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What changes are written with."""

    engine: Engine
    model: Model
    associations: Associations
    slots: Callable[[], RegistryCache]
    together: ParallelMap
    now: Callable[[], Instant] = system_now
    """Tells until when the ledgers of others are to be believed."""

    def rules(self) -> WriteRules:
        """Return what objects are written with, as this process knows it."""
        return self.slots().rules()

    def forget_rules(self) -> None:
        """Have the rules be read again: a commit was refused because they have changed."""
        self.slots().invalidate()

    def class_of(self, entity: Entity) -> Class:
        """Return an object's class."""
        return self.model.classes[entity.reference.class_name]

    def is_singleton(self, class_name: str) -> bool:
        """Return whether a class has exactly one object, which is there also before it has a head."""
        return self.model.classes[class_name].kind is Kind.SINGLETON

    def got(self, wanted: Sequence[Key], spending: ReadLimiter = UNLIMITED) -> list[Item | None]:
        """Return items, those of several requests side by side. Raises TooMuchRead."""

        def some_got(some: Sequence[Key]) -> list[Item | None]:
            spending.check()
            items = self.engine.get(some)
            spending.record(items)
            return items

        some = [wanted[first : first + _TOGETHER] for first in range(0, len(wanted), _TOGETHER)]
        return list(chain.from_iterable(self.together(some_got, some)))

    def read(self, reference: Reference) -> Entity | None:
        """Return an object as it is."""
        return self.read_all([reference])[0]

    def read_all(self, references: Sequence[Reference]) -> list[Entity | None]:
        """Return objects as they are, None where there is none."""
        return list(map(self.entity_of, self.engine.get([keys.head(reference) for reference in references])))

    def entity_of(self, item: Item | None) -> Entity | None:
        """Return the object whose head is found, None where it is not, or is deleted."""
        head = living(item)
        if head is None:
            return None
        return codec.entity_of(head, self.model.classes[keys.reference_of(head.key).class_name])

    def count(self, reference: Reference, role: RoleName) -> int:
        """Return how many there are of what a role counts at an object, as far as links and guards tell.

        Of keys that are older than these they tell nothing.
        """
        if not self.associations.role(role).holds:
            return len(links.found(self.engine, role, reference.id))
        (keyed,) = (each for each in self.associations.keyed(role.class_name) if each.role == role)
        if keyed.link is None:
            return sum(item is not None for item in self.engine.get([keys.couple(role, reference.id)]))
        return len(links.found(self.engine, keyed.link, reference.id))
