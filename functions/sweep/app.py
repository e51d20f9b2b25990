"""The function `sweep`: ends what deletions have left, by schedule."""

from stratabase.bootstrap import sweep_handler

handler = sweep_handler()
