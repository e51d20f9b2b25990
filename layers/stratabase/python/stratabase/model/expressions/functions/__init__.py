"""The functions of expressions, by name."""

from collections.abc import Mapping
from types import MappingProxyType

from stratabase.model.expressions.functions.function import Function
from stratabase.model.expressions.functions.lists import FUNCTIONS_OF_LISTS
from stratabase.model.expressions.functions.moments import FUNCTIONS_OF_MOMENTS
from stratabase.model.expressions.functions.nulls import FUNCTIONS_OF_NULLS
from stratabase.model.expressions.functions.numbers import FUNCTIONS_OF_NUMBERS
from stratabase.model.expressions.functions.patterns import MATCHES
from stratabase.model.expressions.functions.texts import FUNCTIONS_OF_TEXTS

FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        function.name: function
        for function in (
            *FUNCTIONS_OF_NULLS,
            *FUNCTIONS_OF_MOMENTS,
            *FUNCTIONS_OF_NUMBERS,
            *FUNCTIONS_OF_TEXTS,
            MATCHES,
            *FUNCTIONS_OF_LISTS,
        )
    }
)
"""All that there are."""
