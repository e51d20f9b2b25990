"""The parts of expressions, by family: what gives each kind of node its meaning."""

from collections.abc import Mapping
from types import MappingProxyType

from stratabase.model.expressions.checker import Check
from stratabase.model.expressions.operators.arithmetic import chain, minus
from stratabase.model.expressions.operators.comparisons import comparison
from stratabase.model.expressions.operators.lists import index, items
from stratabase.model.expressions.operators.literals import number, quoted, word
from stratabase.model.expressions.operators.logic import choice, junction, negation
from stratabase.model.expressions.operators.names import names, selection
from stratabase.model.expressions.syntax import (
    Chain,
    Choice,
    Comparison,
    Constant,
    Index,
    Items,
    Junction,
    Minus,
    Names,
    Node,
    Not,
    Number,
    Quoted,
    Selection,
)

OPERATORS: Mapping[type[Node], Check] = MappingProxyType(
    {
        Number: number,
        Quoted: quoted,
        Constant: word,
        Names: names,
        Selection: selection,
        Items: items,
        Index: index,
        Minus: minus,
        Chain: chain,
        Comparison: comparison,
        Not: negation,
        Junction: junction,
        Choice: choice,
    }
)
"""What checks each kind of node, but for calls."""
