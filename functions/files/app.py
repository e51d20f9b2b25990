"""The Lambda function `files`: accepts uploads, and answers for pending files except for their download."""

from stratabase.aws.functions import http_handler

handler = http_handler("files")
