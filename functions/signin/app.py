"""The Lambda function `signin`: lists the ways to sign in."""

from stratabase_aws.functions import http_handler

handler = http_handler("signin")
