"""Functions of texts."""

from stratabase.model.expressions import texts
from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.conversions import TEXTS
from stratabase.model.expressions.functions.function import Function, Signature, applied, function, refusal
from stratabase.model.expressions.kinds import BOOLEAN, TEXT, UNKNOWN
from stratabase.model.expressions.meaning import Meaning
from stratabase.model.expressions.syntax import Call

_CONCAT = "concat(a, b, …)"


def _concat(checker: Checker, call: Call) -> Meaning:
    """Check values that become one text."""
    values = [checker.value(argument) for argument in call.arguments]
    pieces = [_written(call, value) for value in values]
    if not pieces or None in pieces:
        return checker.refuse(call.word.at, refusal(_CONCAT, [list(TEXTS)], values))
    written = [piece for piece in pieces if piece is not None]
    return applied(call, Signature((TEXT,) * len(written), TEXT, texts.all_joined), written)


def _written(call: Call, value: Meaning) -> Meaning | None:
    """Return a value as a text, None where there is no such text."""
    if value.kind in (TEXT, UNKNOWN) or value.kind.values:
        return value
    write = TEXTS.get(value.kind)
    return applied(call, Signature((value.kind,), TEXT, write), [value]) if write else None


FUNCTIONS_OF_TEXTS = (
    Function("concat", _CONCAT, _concat),
    function("lower(text)", Signature((TEXT,), TEXT, texts.lower)),
    function("upper(text)", Signature((TEXT,), TEXT, texts.upper)),
    function("trim(text)", Signature((TEXT,), TEXT, texts.trim)),
    function("text.contains(part)", Signature((TEXT, TEXT), BOOLEAN, texts.contains)),
    function("text.startsWith(part)", Signature((TEXT, TEXT), BOOLEAN, texts.starts_with)),
    function("text.endsWith(part)", Signature((TEXT, TEXT), BOOLEAN, texts.ends_with)),
)
