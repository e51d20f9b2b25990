"""The Lambda function `signin`: signs members in with identity providers, and links their accounts there."""

from stratabase_aws.functions import http_handler

handler = http_handler("signin")
