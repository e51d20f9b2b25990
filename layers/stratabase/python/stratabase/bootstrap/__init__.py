"""What is built once per process: from the settings to the handlers of the Lambda functions.

`functions` has one builder for each Lambda function; `instance` is the service behind all of them, whose
parts are built when they are first needed: `storage` (objects and members), `auth_services` (who calls),
`member_services` (what is done with members) and `mailers`.

Imports everything else; only the functions and the commands import it.
"""

from stratabase.bootstrap.functions import (
    graphql_function,
    instance,
    members_function,
    rotate_function,
    sweep_function,
    tokens_function,
)
from stratabase.bootstrap.instance import Instance

__all__ = [
    "Instance",
    "graphql_function",
    "instance",
    "members_function",
    "rotate_function",
    "sweep_function",
    "tokens_function",
]
