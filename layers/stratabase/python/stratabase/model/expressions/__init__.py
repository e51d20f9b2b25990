"""Expressions: CEL over an object, checked when they are read, compiled to closures that never raise."""

from stratabase.model.expressions.environment import ANYWHERE, Circumstances, Environment
from stratabase.model.expressions.expression import Examination, Expression, examine, read
from stratabase.model.expressions.mistakes import ExpressionMistake, ExpressionMistakes
from stratabase.model.expressions.of_model import Expressions, expressions_of
from stratabase.model.expressions.paths import Path
from stratabase.model.expressions.scope import ModelNames, Names, Scope

__all__ = [
    "ANYWHERE",
    "Circumstances",
    "Environment",
    "Examination",
    "Expression",
    "ExpressionMistake",
    "ExpressionMistakes",
    "Expressions",
    "ModelNames",
    "Names",
    "Path",
    "Scope",
    "examine",
    "expressions_of",
    "read",
]
