"""From a condition as a client writes it (`filter_exp`) to the domain's Filter."""

from collections.abc import Iterator

from stratabase.domain.issue import Issue, IssueType, Path
from stratabase.domain.query.filter import Holds
from stratabase.domain.refusal import Refused
from stratabase.domain.subject import Subject
from stratabase.expressions.errors import ExpressionError, InvalidExpression
from stratabase.model.api_names import FILTER_EXP
from stratabase.model.model import Class, Model
from stratabase.model.model_expressions import expressions_of
from stratabase.schema.asking import Asking

MOST_MISTAKES = 9
"""Of one condition; who mends these is told of the others."""


class ConditionReader:
    """Reads the conditions on objects of one class."""

    def __init__(self, model: Model, class_: Class) -> None:
        self._model = model
        self._subject = Subject(class_)

    def read(self, text: str, asking: Asking, path: Path) -> Holds:
        """Return the condition. Raises Refused with what is wrong, and where in the text."""
        expressions = expressions_of(self._model)
        try:
            expression = expressions.filter(self._subject.class_.name, text)
        except InvalidExpression as mistakes:
            raise Refused(self._issues(text, mistakes, asking, path)) from None
        return Holds(expression, asking.circumstances)

    def _issues(self, text: str, mistakes: InvalidExpression, asking: Asking, path: Path) -> Iterator[Issue]:
        for mistake in mistakes.errors[:MOST_MISTAKES]:
            said = str(mistake) if asking.suggestions else mistake.message
            message = f"{self._subject.class_.name}: {FILTER_EXP}, {_place(text, mistake)}: {said}"
            yield self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path)


def _place(text: str, mistake: ExpressionError) -> str:
    """Return where a mistake is, as a person counts."""
    line, start = text.count("\n", 0, mistake.at) + 1, text.rfind("\n", 0, mistake.at) + 1
    column = mistake.at - start + 1
    return f"line {line}, character {column}" if "\n" in text else f"character {column}"
