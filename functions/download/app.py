"""The Lambda function `download`: streams the files of objects and of uploads."""

from stratabase.aws.functions import http_handler

handler = http_handler("download").stream
