"""The function `members`: the members of the instance, their passwords, and the OpenAPI document."""

from stratabase.bootstrap import members_function

handler = members_function()
