"""The generated services, one file each, in the order of the schema."""

from collections.abc import Callable, Mapping

from graphql import GraphQLField

from stratabase.schema.generation import Generation
from stratabase.schema.services import (
    create,
    delete,
    delete_bulk,
    get,
    get_by,
    get_page,
    get_singleton,
    get_version,
    get_version_diff,
    get_version_page,
    lock,
    preview,
    preview_create,
    preview_update,
    restore_version,
    save,
    unlock,
    update,
    update_bulk,
    validate,
    validate_create,
    validate_delete,
    validate_delete_bulk,
    validate_update,
    validate_update_bulk,
)
from stratabase.schema.services.service import Serving

QUERIES: tuple[Serving, ...] = (
    get.SERVICE,
    get_singleton.SERVICE,
    get_by.SERVICE,
    get_page.SERVICE,
    preview_create.SERVICE,
    preview_update.SERVICE,
    preview.SERVICE,
    validate_create.SERVICE,
    validate_update.SERVICE,
    validate_update_bulk.SERVICE,
    validate.SERVICE,
    validate_delete.SERVICE,
    validate_delete_bulk.SERVICE,
    get_version.SERVICE,
    get_version_page.SERVICE,
    get_version_diff.SERVICE,
)
MUTATIONS: tuple[Serving, ...] = (
    create.SERVICE,
    update.SERVICE,
    update_bulk.SERVICE,
    save.SERVICE,
    delete.SERVICE,
    delete_bulk.SERVICE,
    restore_version.SERVICE,
)

OF_THE_MODEL: Mapping[str, Callable[[Generation], GraphQLField]] = {
    "lock": lock.field,
    "unlock": unlock.field,
}
"""The mutations that are for objects of all classes."""

__all__ = ["MUTATIONS", "OF_THE_MODEL", "QUERIES", "Serving"]
