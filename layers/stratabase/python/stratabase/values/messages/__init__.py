"""Messages for people, written in English in the code and translated for each reader.

`message` has a message with its parameters, created by `_` or `ngettext`, and the supported languages with
their translations. `messages.pot` lists every message, and `it.po` translates them into Italian. `make
messages` updates both files from the code.

A message is a `str` with the English text, so logs and exceptions can use it as it is. Only the code that
answers a reader (`core.http`, `core.schema`, and the emails to members) calls `in_language`.

This package imports no other package of Stratabase. Every other package can import it.
"""

from stratabase.values.messages.message import Message, _, and_list, ngettext, or_list, sentences, verbatim

__all__ = ["Message", "_", "and_list", "ngettext", "or_list", "sentences", "verbatim"]
