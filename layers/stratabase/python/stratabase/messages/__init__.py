"""Messages to people: written in English where they arise, and shown in the reader's language.

Read in this order: message (a message with its parameters; `_` and `ngettext` make one), catalogs (the
languages, and the translations of each). `it.po` has the Italian translations and `messages.pot` lists every
message; `make messages` brings both up to date with the code.

A message is a `str`, its English text, so logs and errors need to know nothing of languages. Only the edge
(http_api, schema, mails and pages) calls `in_language` with the language of the reader.

Imports nothing of Stratabase. Every other package may import this one.
"""

from stratabase.messages.message import Message, _, and_list, ngettext, or_list, sentences, verbatim

__all__ = ["Message", "_", "and_list", "ngettext", "or_list", "sentences", "verbatim"]
