"""The generated services, one file each, in the order of the schema."""

from stratabase.schema.services import create, delete, get, get_page, save, update
from stratabase.schema.services.service import Service

QUERIES: tuple[Service, ...] = (get.SERVICE, get_page.SERVICE)
MUTATIONS: tuple[Service, ...] = (create.SERVICE, update.SERVICE, save.SERVICE, delete.SERVICE)

__all__ = ["MUTATIONS", "QUERIES", "Service"]
