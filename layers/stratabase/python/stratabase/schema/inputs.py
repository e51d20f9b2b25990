"""`<C>Create`, `<C>Update`, `<C>Draft`: what clients give to be written."""

from collections.abc import Mapping
from typing import Any

from graphql import GraphQLID, GraphQLInputField, GraphQLInputObjectType, GraphQLNonNull

from stratabase.domain.command import Create, Update
from stratabase.domain.entity import Reference
from stratabase.model.class_ import Class
from stratabase.schema.attributes import writable
from stratabase.schema.generation import Generation
from stratabase.schema.names import CLIENT_ID, ID, Family, type_name

Fields = dict[str, GraphQLInputField]


def create_type(generation: Generation, class_: Class) -> GraphQLInputObjectType:
    """Return the input of create: required attributes must be given."""
    fields = _client_id() | _attributes(generation, class_, required=True)
    return _input(class_, Family.CREATE, fields)


def update_type(generation: Generation, class_: Class) -> GraphQLInputObjectType:
    """Return the input of update: what is not given stays."""
    fields = {ID: GraphQLInputField(GraphQLNonNull(GraphQLID))} | _attributes(generation, class_)
    return _input(class_, Family.UPDATE, fields)


def draft_type(generation: Generation, class_: Class) -> GraphQLInputObjectType:
    """Return the input of save: with `_id` an update, without it a creation."""
    fields = {ID: GraphQLInputField(GraphQLID)} | _client_id() | _attributes(generation, class_)
    return _input(class_, Family.DRAFT, fields)


def create_command(class_: Class, data: Mapping[str, Any]) -> Create:
    """Return what a `<C>Create` or a `<C>Draft` without `_id` asks for."""
    return Create(class_.name, _given(data), data.get(CLIENT_ID))


def update_command(class_: Class, data: Mapping[str, Any]) -> Update:
    """Return what a `<C>Update` or a `<C>Draft` with `_id` asks for."""
    return Update(Reference(class_.name, data[ID]), _given(data), data.get(CLIENT_ID))


def save_command(class_: Class, data: Mapping[str, Any]) -> Create | Update:
    """Return what a `<C>Draft` asks for."""
    return create_command(class_, data) if data.get(ID) is None else update_command(class_, data)


def _given(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in {ID, CLIENT_ID}}


def _input(class_: Class, family: Family, fields: Fields) -> GraphQLInputObjectType:
    return GraphQLInputObjectType(type_name(class_.name, family), fields, description=class_.description)


def _client_id() -> Fields:
    return {
        CLIENT_ID: GraphQLInputField(
            GraphQLID, description="What the client calls the object in this request."
        )
    }


def _attributes(generation: Generation, class_: Class, *, required: bool = False) -> Fields:
    fields: Fields = {}
    for attribute in writable(class_):
        type_ = generation.input(attribute)
        if required and attribute.required:
            type_ = GraphQLNonNull(type_)
        fields[attribute.name] = GraphQLInputField(type_, description=attribute.description)
    return fields
