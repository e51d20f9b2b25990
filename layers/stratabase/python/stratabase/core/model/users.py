"""`_User`: the members as a class that clients only read, and the roles that lead to it.

A model does not define this class, but can grant profiles the right to read it (`extend type _User`), and
can have to-one roles that lead to it. `with_users` adds the class to a model, and a role to each class beside
each platform attribute that names a member: `_createdby_user` beside `_createdby`.

Requests use the model with users. Stores, prepared models and the comparison of models use the model without
them, because users are not stored as objects. There, a role of the model that leads to a member is an
attribute of MEMBER_ID_TYPE, which holds the member's ID. So the store indexes, guards and renames it like any
attribute, and never looks for an object at its other end.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from stratabase.core.model.attribute import Attribute
from stratabase.core.model.member_names import NAMING_ATTRIBUTES
from stratabase.core.model.model import Class, ClassKind, Model, Role, Unique
from stratabase.core.model.types import MEMBER_ID_TYPE, TYPES
from stratabase.core.model.types.base import AttributeType

USER = MEMBER_ID_TYPE.name
"""The name of the class."""
USER_ATTRIBUTES: Mapping[str, tuple[AttributeType, str]] = MappingProxyType(
    {
        "username": (TYPES["String"], "The name to sign in with."),
        "email": (TYPES["String"], "The email address."),
        "profile": (TYPES["String"], "The profile, which decides what the member is permitted to do."),
        "notes": (TYPES["Text"], "Notes: any text."),
        "language": (TYPES["String"], "The code of the language."),
        "timeZone": (TYPES["String"], "The IANA name of the time zone."),
        "dateFormat": (TYPES["String"], "The Java pattern of dates."),
        "timeFormat": (TYPES["String"], "The Java pattern of times."),
        "disabled": (TYPES["Boolean"], "Whether the member is prevented from signing in."),
    }
)
"""By name: the type and the description of an attribute."""


UNIQUE_USER_ATTRIBUTES = ("username", "email")
"""The attributes that identify a member among all."""


def user_role_name(attribute: str) -> str:
    """Return the name of the role beside a platform attribute, such as `_createdby_user`."""
    return f"{attribute}_user"


NAMING_ATTRIBUTE_OF_ROLE: Mapping[str, str] = {user_role_name(name): name for name in NAMING_ATTRIBUTES}
"""By role that leads to users: the platform attribute that names the member."""


def with_users(model: Model) -> Model:
    """Return a model with the class `_User` and the roles that lead to it.

    The keys of roles that lead to members are not attributes of the result.
    """
    classes = {name: _with_roles(class_) for name, class_ in model.classes.items()}
    return replace(model, classes=MappingProxyType({**classes, USER: user_class(model)}))


def user_class(model: Model) -> Class:
    """Return the class `_User`, with the grants of a model."""
    attributes = {
        name: Attribute(name, type_, required=name in UNIQUE_USER_ATTRIBUTES, description=description)
        for name, (type_, description) in USER_ATTRIBUTES.items()
    }
    return Class(
        USER,
        ClassKind.USERS,
        MappingProxyType(attributes),
        uniques=tuple(Unique((name,)) for name in UNIQUE_USER_ATTRIBUTES),
        grants=model.user_grants,
        description="A member. Members are managed over REST; GraphQL only reads them.",
    )


def _with_roles(class_: Class) -> Class:
    keys = [each for each in class_.attributes.values() if each.type is MEMBER_ID_TYPE]
    roles = {role.name: role for role in (*map(_role_of_key, keys), *_user_roles(class_))}
    if not roles:
        return class_
    attributes = {name: each for name, each in class_.attributes.items() if each.type is not MEMBER_ID_TYPE}
    return replace(
        class_,
        attributes=MappingProxyType(attributes),
        roles=MappingProxyType({**class_.roles, **roles}),
    )


def _role_of_key(key: Attribute) -> Role:
    """Return the role of the model whose key an attribute is."""
    return Role(
        key.name,
        USER,
        required=key.required,
        holds_key=True,
        description=key.description,
        renamed_from=key.renamed_from,
    )


def _user_roles(class_: Class) -> Iterator[Role]:
    for name, attribute in NAMING_ATTRIBUTE_OF_ROLE.items():
        if attribute in class_.attributes:
            description = f"The member in {attribute}, or null if the member no longer exists."
            yield Role(name, USER, recorded_in=attribute, description=description)
