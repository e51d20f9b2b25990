"""The rules of domains, one file each: what a rule has against a value."""

from collections.abc import Callable, Iterator

from stratabase.model.attribute import Domain
from stratabase.model.types.base import DomainMistake
from stratabase.model.types.rules.codice_fiscale import codice_fiscale_mistakes
from stratabase.model.types.rules.email import email_mistakes
from stratabase.model.types.rules.partita_iva import partita_iva_mistakes
from stratabase.model.types.rules.pattern import pattern_mistakes
from stratabase.model.types.rules.phone import phone_mistakes

TextRule = Callable[[str, Domain], Iterator[DomainMistake]]

TEXT_RULES: tuple[TextRule, ...] = (
    pattern_mistakes,
    email_mistakes,
    phone_mistakes,
    partita_iva_mistakes,
    codice_fiscale_mistakes,
)
"""What texts are held against, beside their length."""
