"""The generated services, one file each, in the order of the schema."""

from stratabase.schema.services import (
    create,
    delete,
    delete_bulk,
    get,
    get_by,
    get_page,
    get_singleton,
    preview,
    preview_create,
    preview_update,
    save,
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
)
MUTATIONS: tuple[Serving, ...] = (
    create.SERVICE,
    update.SERVICE,
    update_bulk.SERVICE,
    save.SERVICE,
    delete.SERVICE,
    delete_bulk.SERVICE,
)

__all__ = ["MUTATIONS", "QUERIES", "Serving"]
