"""The Lambda function `files`: accepts uploads, and answers for pending files except for their download."""

from stratabase_aws.functions import http_handler

handler = http_handler("files")
