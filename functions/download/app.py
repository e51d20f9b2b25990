"""The Lambda function `download`: streams the files of objects and of uploads."""

from stratabase_aws.functions import http_handler

handler = http_handler("download").stream
