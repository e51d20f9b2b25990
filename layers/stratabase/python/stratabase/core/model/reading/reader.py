"""The phases of reading a model file: parse the document and the draft, check the rules, build the model."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from stratabase.core.model.attribute import Attribute, Derivation, Origin
from stratabase.core.model.constraints import build_constraints
from stratabase.core.model.constraints.base import Constraint, read_argument
from stratabase.core.model.model import (
    Action,
    Class,
    DefaultAccess,
    Grant,
    Index,
    Model,
    PlatformAttribute,
    Profile,
    Role,
    Unique,
    WarningDefinition,
)
from stratabase.core.model.reading.draft.document import parse_document
from stratabase.core.model.reading.draft.errors import InvalidModel, ModelError
from stratabase.core.model.reading.draft.model_draft import (
    ClassDraft,
    DirectiveUse,
    FieldDraft,
    ModelDraft,
    WholeRole,
)
from stratabase.core.model.reading.draft.parser import description_of, parse_draft, parse_enum
from stratabase.core.model.reading.draft.resolution import compared_type, platform_attribute_type
from stratabase.core.model.reading.lint import lint
from stratabase.core.model.reading.rules import RULES
from stratabase.core.model.reading.rules.renames import renamed_from, whole_renamed_from
from stratabase.core.model.reading.rules.roles import holds_key, mutual_opposite
from stratabase.core.model.types import MEMBER_ID_TYPE
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.operators import Aggregate

T = TypeVar("T")
ADMINISTRATOR = Profile("Administrator", administrator=True)
"""The only profile of a model that defines none."""


def build_model(draft: ModelDraft) -> Model:
    """Return the model that a draft without errors describes."""
    application = draft.directive("application")
    assert application is not None
    profiles = [
        Profile(
            use["name"],
            use["administrator"],
            use["from"],
            DefaultAccess(use["access"]),
            tuple(use["within"] or ()),
        )
        for use in draft.directives("profile")
    ]
    return Model(
        application=application["name"],
        classes=_frozen({name: _class(draft, one) for name, one in draft.classes.items()}),
        enumerations=_frozen(
            {
                name: parse_enum(node, draft.renamed_values.get(name, {}))
                for name, node in draft.enumerations.items()
            }
        ),
        profiles=_frozen({profile.name: profile for profile in profiles or [ADMINISTRATOR]}),
        user_grants=() if draft.users is None else _grants(draft.users),
    )


def _frozen(mapping: Mapping[str, T]) -> Mapping[str, T]:
    return MappingProxyType(dict(mapping))


def _class(draft: ModelDraft, one: ClassDraft) -> Class:
    return Class(
        name=one.name,
        kind=one.kind,
        attributes=_frozen(_attributes(draft, one)),
        roles=_frozen(_roles(draft, one)),
        uniques=tuple(Unique(use["attributes"]) for use in one.directives("unique")),
        indexes=tuple(Index(use["attributes"]) for use in one.directives("index")),
        warnings=tuple(_warning(use) for use in one.directives("warning")),
        grants=_grants(one),
        platform=frozenset(one.platform),
        versioned=one.versioned,
        exposed=_exposed(draft, one),
        label=_text_of_class(one, "label"),
        group=_text_of_class(one, "group"),
        part=draft.is_part(one.name),
        description=description_of(one.node),
        renamed_from=renamed_from(one),
    )


def _exposed(draft: ModelDraft, one: ClassDraft) -> bool:
    """Return whether a class has services of its own. By default, all classes except parts have them."""
    use = one.directive("class")
    if use is None or "exposed" not in use.written:
        return not draft.is_part(one.name)
    return bool(use["exposed"])


def _text_of_class(one: ClassDraft, argument: str) -> str | None:
    """Return an argument of `@class` that is a text, None if it isn't written."""
    use = one.directive("class")
    return use[argument] if use else None


def _warning(use: DirectiveUse) -> WarningDefinition:
    return WarningDefinition(use["name"], use["condition"], use["message"], use["blocking"])


def _grants(one: ClassDraft) -> tuple[Grant, ...]:
    own = [_grant(use) for use in one.directives("grant")]
    narrower = [
        _grant(use, name) for name, field in one.fields_by_name.items() for use in field.directives("grant")
    ]
    return (*own, *narrower)


def _grant(use: DirectiveUse, field: str | None = None) -> Grant:
    allow = frozenset(Action(word) for word in use["allow"])
    return Grant(use["profile"], allow, use["where"], field)


def _attributes(draft: ModelDraft, one: ClassDraft) -> dict[str, Attribute]:
    written = {
        name: _attribute(field, compared_type(draft, field) or MEMBER_ID_TYPE)
        for name, field in one.fields_by_name.items()
        if field.type or field.is_user_role
    }
    # In the order of the enum, so that the order in the model file does not change the schema.
    platform = [attribute for attribute in PlatformAttribute if attribute in one.platform]
    return written | {attribute.value: _platform(attribute) for attribute in platform}


def _platform(attribute: PlatformAttribute) -> Attribute:
    return Attribute(attribute.value, platform_attribute_type(attribute), origin=Origin.PLATFORM)


def _attribute(field: FieldDraft, type_: AttributeType) -> Attribute:
    derivation, default = _derivation(field.directive("derived")), field.directive("default")
    return Attribute(
        name=field.name,
        type=type_,
        required=field.required,
        origin=Origin.DERIVED if derivation else Origin.NATIVE,
        constraints=_constraints(field, type_),
        derivation=derivation,
        description=description_of(field.node),
        renamed_from=renamed_from(field),
        default=None if default is None else read_argument(type_, default["value"]),
    )


def _constraints(field: FieldDraft, type_: AttributeType) -> tuple[Constraint, ...]:
    if field.is_derived:
        return ()
    uses = (field.directive("domain"), field.directive("file"))
    return build_constraints(
        type_, {name: value for use in uses if use for name, value in use.values.items()}
    )


def _derivation(use: DirectiveUse | None) -> Derivation | None:
    if use is None:
        return None
    path = tuple(use["path"].split(".")) if use["path"] else ()
    return Derivation(use["expression"], path, Aggregate(use["aggregate"]) if use["aggregate"] else None)


def _roles(draft: ModelDraft, one: ClassDraft) -> dict[str, Role]:
    whole_roles = draft.whole_roles.get(one.name, ())
    written = {name: _role(draft, role) for name, role in one.roles.items() if not role.is_user_role}
    return written | {
        whole_role.name: _whole_role(draft, whole_role, only=len(whole_roles) == 1)
        for whole_role in whole_roles
    }


def _whole_role(draft: ModelDraft, whole_role: WholeRole, *, only: bool) -> Role:
    """Return the role to a whole. `only` says whether it is the part's only one; only then it is required."""
    return Role(
        whole_role.name,
        whole_role.composition.owner,
        required=only,
        opposite=whole_role.composition.name,
        whole=True,
        renamed_from=whole_renamed_from(draft, whole_role),
    )


def _role(draft: ModelDraft, role: FieldDraft) -> Role:
    return Role(
        name=role.name,
        target=role.target,
        many=role.many,
        required=role.required,
        opposite=_opposite(draft, role),
        composition=role.is_composition,
        holds_key=holds_key(draft, role),
        description=description_of(role.node),
        renamed_from=renamed_from(role),
    )


def _opposite(draft: ModelDraft, role: FieldDraft) -> str | None:
    if role.is_composition:
        return next(
            whole_role.name for whole_role in draft.whole_roles[role.target] if whole_role.composition is role
        )
    other = mutual_opposite(draft, role)
    return other.name if other else None


def read_model(text: str, file: str) -> Model:
    """Return the model that `text` describes. Messages name `file`.

    Raises InvalidModel with all errors.
    """
    # Each phase goes on in spite of errors, so that one reading reports the errors of all phases.
    document = parse_document(text, file)
    draft, errors = parse_draft(document)
    all_errors = [*document.errors, *errors, *(error for rule in RULES for error in rule(draft))]
    if all_errors:
        raise InvalidModel(all_errors)
    return build_model(draft)


def lint_model_file(path: Path | str) -> tuple[ModelError, ...]:
    """Return the warnings about a valid model, in the order of the file.

    Raises InvalidModel if the file can't be read or has errors.
    """
    text = _read_text(Path(path))
    model = read_model(text, str(path))
    draft, _ = parse_draft(parse_document(text, str(path)))
    found = set(lint(draft, model))
    return tuple(sorted(found, key=lambda each: (each.line, each.column, each.message)))


def read_model_file(path: Path | str) -> Model:
    """Return the model in a UTF-8 file. Raises InvalidModel if the file can't be read or has errors."""
    return read_model(_read_text(Path(path)), str(path))


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise InvalidModel(
            [ModelError(str(path), line, column, "The model is not valid UTF-8. Save the file as UTF-8.")]
        ) from error
    except OSError as error:
        message = f"Can't read the model: {error.strerror or error}."
        raise InvalidModel([ModelError(str(path), 1, 1, message)]) from error
