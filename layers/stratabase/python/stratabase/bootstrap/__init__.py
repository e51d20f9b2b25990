"""The handlers of the Lambda functions, for copies of `functions` that name this module.

`stratabase init` copied such functions into projects until version 0.1. New ones name
`stratabase_aws.functions`.
"""

from stratabase_aws.functions import (
    http_handler,
    mail_handler,
    reindex_handler,
    rotate_handler,
    sweep_handler,
)

__all__ = ["http_handler", "mail_handler", "reindex_handler", "rotate_handler", "sweep_handler"]
