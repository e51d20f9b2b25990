"""The handlers of the Lambda functions, which the folders in `functions` name.

`handlers` has those of all functions but `reindex`. `handler` answers an event of API Gateway, and
`request_log` writes the line of each request.
"""

from stratabase_aws.functions.handlers import app, http_handler, mail_handler, rotate_handler, sweep_handler
from stratabase_aws.functions.reindex import reindex_handler

__all__ = ["app", "http_handler", "mail_handler", "reindex_handler", "rotate_handler", "sweep_handler"]
