"""The function `tokens`: gives tokens for passwords, and new tokens for old ones."""

from stratabase.bootstrap import tokens_function

handler = tokens_function()
