"""A manuscript without mistakes becomes the model."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from stratabase.model.attribute import Aggregate, Attribute, Derivation, Domain, Origin, Stored
from stratabase.model.class_ import Action, Class, Grant, Index, PlatformAttribute, Rule, Unique
from stratabase.model.formats import DEFAULT_FORMATS
from stratabase.model.model import Model, Profile
from stratabase.model.reading.deciphering import enumeration_of, text
from stratabase.model.reading.manuscript import Back, Manuscript, Member, Use, Written
from stratabase.model.reading.rules.associations import facing
from stratabase.model.reading.walk import platform_type
from stratabase.model.role import Role
from stratabase.model.types.base import AttributeType

T = TypeVar("T")

ADMINISTRATOR = Profile("Administrator", administrator=True)
"""The profile of a model that names none."""


def built(manuscript: Manuscript) -> Model:
    """Return the model that a manuscript describes."""
    application = manuscript.use("application")
    assert application is not None
    profiles = [Profile(use["name"], use["administrator"]) for use in manuscript.all("profile")]
    return Model(
        application=application["name"],
        classes=_frozen({name: _class(manuscript, one) for name, one in manuscript.classes.items()}),
        enumerations=_frozen({name: enumeration_of(node) for name, node in manuscript.enumerations.items()}),
        profiles=_frozen({profile.name: profile for profile in profiles or [ADMINISTRATOR]}),
    )


def _frozen(mapping: Mapping[str, T]) -> Mapping[str, T]:
    return MappingProxyType(dict(mapping))


def _class(manuscript: Manuscript, one: Written) -> Class:
    return Class(
        name=one.name,
        kind=one.kind,
        attributes=_frozen(_attributes(one)),
        roles=_frozen(_roles(manuscript, one)),
        uniques=tuple(Unique(use["attributes"]) for use in one.all("unique")),
        indexes=tuple(Index(use["attributes"]) for use in one.all("index")),
        warnings=tuple(_warning(use) for use in one.all("warning")),
        grants=_grants(one),
        platform=frozenset(one.platform),
        versioned=one.versioned,
        exposed=_exposed(manuscript, one),
        part=manuscript.is_part(one.name),
        description=text(one.node),
    )


def _exposed(manuscript: Manuscript, one: Written) -> bool:
    """Return whether a class has services: parts only when the model says so itself."""
    use = one.use("class")
    if use is None or "exposed" not in use.given:
        return not manuscript.is_part(one.name)
    return bool(use["exposed"])


def _warning(use: Use) -> Rule:
    return Rule(use["name"], use["condition"], use["message"], use["blocking"])


def _grants(one: Written) -> tuple[Grant, ...]:
    own = [_grant(use) for use in one.all("grant")]
    narrower = [_grant(use, name) for name, member in one.members.items() for use in member.all("grant")]
    return (*own, *narrower)


def _grant(use: Use, member: str | None = None) -> Grant:
    allow = frozenset(Action(word) for word in use["allow"])
    return Grant(use["profile"], allow, use["where"], member)


def _attributes(one: Written) -> dict[str, Attribute]:
    written = {name: _attribute(member, member.type) for name, member in one.members.items() if member.type}
    # The order of the definition, so that two ways of writing one model give one schema.
    recorded = [attribute for attribute in PlatformAttribute if attribute in one.platform]
    return written | {attribute.value: _platform(attribute) for attribute in recorded}


def _platform(attribute: PlatformAttribute) -> Attribute:
    return Attribute(attribute.value, platform_type(attribute), origin=Origin.PLATFORM)


def _attribute(member: Member, kind: AttributeType) -> Attribute:
    derivation = _derivation(member.use("derived"))
    return Attribute(
        name=member.name,
        type=kind,
        required=member.required,
        origin=Origin.DERIVED if derivation else Origin.NATIVE,
        domain=_domain(kind, member.use("domain"), member.use("file")),
        derivation=derivation,
        description=text(member.node),
    )


def _derivation(use: Use | None) -> Derivation | None:
    if use is None:
        return None
    path = tuple(use["path"].split(".")) if use["path"] else ()
    return Derivation(use["expression"], path, Aggregate(use["aggregate"]) if use["aggregate"] else None)


def _domain(kind: AttributeType, domain: Use | None, file: Use | None) -> Domain:
    if file:
        extensions = tuple(extension.lower() for extension in file["extensions"] or ())
        return Domain(extensions=extensions, max_size=file["maxSize"])
    return _value_domain(kind, domain) if domain else Domain()


def _value_domain(kind: AttributeType, use: Use) -> Domain:
    return Domain(
        minimum=_value(kind, use["min"]),
        maximum=_value(kind, use["max"]),
        min_length=use["minLength"],
        max_length=use["maxLength"],
        patterns=use["pattern"] or (),
        values=tuple(_value(kind, value) for value in use["values"] or ()),
        digits=use["digits"],
        email=bool(use["email"]),
        phone=bool(use["phone"]),
        partita_iva=bool(use["partitaIva"]),
        codice_fiscale=bool(use["codiceFiscale"]),
    )


def _value(kind: AttributeType, written: str | None) -> Stored:
    return None if written is None else kind.read(written, DEFAULT_FORMATS)


def _roles(manuscript: Manuscript, one: Written) -> dict[str, Role]:
    backs = manuscript.backs.get(one.name, ())
    written = {name: _role(manuscript, role) for name, role in one.roles.items()}
    return written | {back.name: _back(back, only=len(backs) == 1) for back in backs}


def _back(back: Back, *, only: bool) -> Role:
    """Return the role to a whole. An object has exactly one whole: the only one, or one of several."""
    return Role(back.name, back.composition.owner, required=only, opposite=back.composition.name, whole=True)


def _role(manuscript: Manuscript, role: Member) -> Role:
    return Role(
        name=role.name,
        target=role.target,
        many=role.many,
        required=role.required,
        opposite=_opposite(manuscript, role),
        composition=role.is_composition,
        holds=role.is_association and not role.many and _holds(manuscript, role),
        description=text(role.node),
    )


def _opposite(manuscript: Manuscript, role: Member) -> str | None:
    if role.is_composition:
        return next(back.name for back in manuscript.backs[role.target] if back.composition is role)
    other = facing(manuscript, role)
    return other.name if other else None


def _holds(manuscript: Manuscript, role: Member) -> bool:
    """Return whether a to-one role holds the key: but for one that faces another that does, it does."""
    other, use = facing(manuscript, role), role.use("association")
    return not other or other.many or bool(use and use["holds"])
