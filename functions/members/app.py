"""The function `members`: the members of the instance, their passwords, and the OpenAPI document."""

from stratabase.bootstrap import http_handler

handler = http_handler("members")
