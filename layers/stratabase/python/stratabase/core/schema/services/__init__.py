"""The generated services: imports the other packages of `schema`.

`service` defines what a service is, and which classes have which. Each other module has one kind of service.
Services that differ only in their data are rows: `writes`, `previews`, `validations`. The registries below
list all services in the order of the schema.
"""

from collections.abc import Callable, Mapping

from graphql import GraphQLField

from stratabase.core.schema.services import (
    bulk,
    delete,
    deleted_page,
    get,
    get_by,
    get_page,
    locks,
    previews,
    validations,
    versions,
    writes,
)
from stratabase.core.schema.services.service import ServiceKind
from stratabase.core.schema.types.registry import TypeRegistry

QUERIES: tuple[ServiceKind, ...] = (
    get.GET,
    get.GET_SINGLETON,
    get_by.GET_BY,
    get_page.GET_PAGE,
    previews.PREVIEW_CREATE,
    previews.PREVIEW_UPDATE,
    previews.PREVIEW,
    validations.VALIDATE_CREATE,
    validations.VALIDATE_UPDATE,
    validations.VALIDATE_UPDATE_BULK,
    validations.VALIDATE,
    validations.VALIDATE_DELETE,
    validations.VALIDATE_DELETE_BULK,
    versions.GET_VERSION,
    versions.GET_VERSION_PAGE,
    versions.GET_VERSION_DIFF,
    deleted_page.GET_DELETED_PAGE,
)
MUTATIONS: tuple[ServiceKind, ...] = (
    writes.CREATE,
    writes.UPDATE,
    bulk.UPDATE_BULK,
    writes.SAVE,
    delete.DELETE,
    bulk.DELETE_BULK,
    versions.RESTORE_VERSION,
)

MODEL_MUTATIONS: Mapping[str, Callable[[TypeRegistry], GraphQLField]] = {
    "lock": locks.lock_mutation,
    "unlock": locks.unlock_mutation,
}
"""The mutations that take objects of any class, by name."""
__all__ = ["MODEL_MUTATIONS", "MUTATIONS", "QUERIES", "ServiceKind"]
