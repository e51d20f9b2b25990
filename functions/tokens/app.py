"""The function `tokens`: gives tokens for passwords, and new tokens for old ones."""

from stratabase.bootstrap import http_handler

handler = http_handler("tokens")
