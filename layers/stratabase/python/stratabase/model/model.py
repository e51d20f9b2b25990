"""The model: everything that an instance of the service can hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from stratabase.model.class_ import Class


@dataclass(frozen=True, slots=True)
class Profile:
    """A kind of member."""

    name: str
    administrator: bool = False


@dataclass(frozen=True, slots=True)
class Enumeration:
    """An enum of the model: its values in order, each with its description."""

    name: str
    values: Mapping[str, str | None]
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """One application: its classes, enums and profiles, by name in the model's order."""

    application: str
    classes: Mapping[str, Class]
    enumerations: Mapping[str, Enumeration] = field(default_factory=lambda: MappingProxyType({}))
    profiles: Mapping[str, Profile] = field(default_factory=lambda: MappingProxyType({}))

    def administrator_profile(self) -> str:
        """Return the first profile marked as administrator (a model that names none has one of that name)."""
        return next(profile.name for profile in self.profiles.values() if profile.administrator)
