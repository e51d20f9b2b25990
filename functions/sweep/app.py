"""The scheduled Lambda function `sweep`: deletes what nothing refers to any more."""

from stratabase_aws.functions import sweep_handler

handler = sweep_handler()
