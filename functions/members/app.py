"""The Lambda function `members`: serves the endpoints of members and passwords, and the OpenAPI document."""

from stratabase_aws.functions import http_handler

handler = http_handler("members")
