"""The function `rotate`: makes a new key for tokens, by schedule."""

from stratabase.bootstrap import rotate_handler

handler = rotate_handler()
