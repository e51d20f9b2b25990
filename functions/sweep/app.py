"""The function `sweep`: ends what deletions have left, by schedule."""

from stratabase.wiring import sweep_function

handler = sweep_function()
