"""The Lambda functions: their events, and their handlers, which the folders in `functions` name."""

from stratabase_aws.functions.handlers import app, http_handler, mail_handler, rotate_handler, sweep_handler
from stratabase_aws.functions.reindex import reindex_handler

__all__ = ["app", "http_handler", "mail_handler", "reindex_handler", "rotate_handler", "sweep_handler"]
