"""The function `sweep`: ends what deletions have left, by schedule."""

from stratabase.bootstrap import sweep_function

handler = sweep_function()
