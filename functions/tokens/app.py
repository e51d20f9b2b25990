"""The function `tokens`: gives tokens for passwords, and new tokens for old ones."""

from stratabase.wiring import tokens_function

handler = tokens_function()
