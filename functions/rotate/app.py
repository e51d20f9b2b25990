"""The function `rotate`: makes a new key for tokens, by schedule."""

from stratabase.bootstrap import rotate_function

handler = rotate_function()
