"""The scheduled Lambda function `rotate`: rotates the keys that sign tokens."""

from stratabase_aws.functions import rotate_handler

handler = rotate_handler()
