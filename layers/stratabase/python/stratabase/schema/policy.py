"""What an instance lets its clients ask."""

from dataclasses import dataclass, field

from stratabase.schema.limits import Limits


@dataclass(frozen=True, slots=True)
class Policy:
    """Whether they see the schema, whether errors say "did you mean", and how large a query may be."""

    introspection: bool = True
    suggestions: bool = True
    limits: Limits = field(default_factory=Limits)
