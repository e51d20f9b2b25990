"""The composition root: builds the service of a process from its settings.

Read `functions` first, which has the handlers of the Lambda functions, then `routes`, the table of all
addresses, and `instance`, the service behind them. A `platform` opens what an instance keeps, on this machine
(`local_platform`) or on AWS (`aws_platform`). An instance builds its parts on first use, such as
`auth_services` (authentication and tokens) and `member_services` (the operations on members).

Imports all other packages except `cli`. Only the functions and the commands import it.
"""

from stratabase.bootstrap.functions import http_handler, instance, mail_handler, rotate_handler, sweep_handler
from stratabase.bootstrap.instance import Instance
from stratabase.bootstrap.reindex import reindex_handler

__all__ = [
    "Instance",
    "http_handler",
    "instance",
    "mail_handler",
    "reindex_handler",
    "rotate_handler",
    "sweep_handler",
]
