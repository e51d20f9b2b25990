"""The mails that members get, in every language that has templates.

`template` has the mail and its template; `en` and `it` have the texts of one language each. For another
language, add such a module and list it in TEMPLATES. Imports point to nothing outside this package.
"""

from collections.abc import Collection, Iterable, Mapping

from stratabase.domain.members.mail import en, it
from stratabase.domain.members.mail.template import MailTemplates

DEFAULT_LANGUAGE = "en"
"""What everybody gets whose own language is not on offer."""


def choose_language(wanted: Iterable[str], offered: Collection[str]) -> str:
    """Return the first language on offer of those that a person wants (`it`, `it-CH`, `it_CH`)."""
    languages = (tag.replace("_", "-").partition("-")[0].lower() for tag in wanted)
    return next((language for language in languages if language in offered), DEFAULT_LANGUAGE)


TEMPLATES: Mapping[str, MailTemplates] = {"en": en.TEMPLATES, "it": it.TEMPLATES}
"""Key: the code of a language, such as "it"."""


def mail_templates(language: str) -> MailTemplates:
    """Return the templates in a language; in English when it has none."""
    return TEMPLATES[choose_language([language], TEMPLATES)]
