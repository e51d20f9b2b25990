"""The Lambda function `tokens`: issues tokens for passwords, and new tokens for valid ones."""

from stratabase_aws.functions import http_handler

handler = http_handler("tokens")
