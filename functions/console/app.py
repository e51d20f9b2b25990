"""The Lambda function `console`: serves the page of the console and its files."""

from stratabase_aws.functions import http_handler

handler = http_handler("console")
