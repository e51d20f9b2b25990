"""What is built once per process: from the settings to the handlers of the Lambda functions.

Read `functions` first, which has a handler for each Lambda function, then `routes`, the table of all
addresses. `instance` is the service behind both. Its parts are built when they are first needed: `storage`
(objects, members, and the keys of tokens), `auth_services` (who calls), `member_services` (what is done with
members) and `mailers`.

Imports everything else; only the functions and the commands import it.
"""

from stratabase.bootstrap.functions import http_handler, instance, rotate_handler, sweep_handler
from stratabase.bootstrap.instance import Instance

__all__ = ["Instance", "http_handler", "instance", "rotate_handler", "sweep_handler"]
