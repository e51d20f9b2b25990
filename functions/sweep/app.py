"""The scheduled Lambda function `sweep`: deletes what large deletions have left to delete."""

from stratabase.bootstrap import sweep_handler

handler = sweep_handler()
