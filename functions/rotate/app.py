"""The function `rotate`: makes a new key for tokens, by schedule."""

from stratabase.wiring import rotate_function

handler = rotate_function()
