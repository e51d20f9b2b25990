"""The scheduled Lambda function `sweep`: runs the jobs that writes have left."""

from stratabase_aws.functions import sweep_handler

handler = sweep_handler()
