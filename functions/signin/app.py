"""The Lambda function `signin`: signs members in on the sign-in page and with identity providers."""

from stratabase_aws.functions import http_handler

handler = http_handler("signin")
