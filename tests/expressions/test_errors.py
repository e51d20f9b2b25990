"""Errors in expressions are reported with their position and advice."""

import pytest

from stratabase.expressions.checker import MAX_ERRORS
from stratabase.model.types import TYPES
from tests.expressions.evaluation import MODEL, mistakes

MARK = "¦"
WRONG = {
    # Syntax: the first thing only.
    "1 +¦": "The expression ends where a value is expected.",
    "¦": "There is no expression.",
    "// nothing¦": "The expression ends where a value is expected.",
    "1 ¦2": 'Unexpected "2".',
    "1 ¦= 2": 'Unexpected "=". Did you mean "=="?',
    "1 ¦<> 2": 'Unexpected "<>". Did you mean "!="?',
    "1 ¦=== 2": 'Unexpected "===". Did you mean "=="?',
    "good ¦and bad": 'Unexpected "and". Did you mean "&&"?',
    "good ¦& bad": 'Unexpected "&". Did you mean "&&"?',
    "¦not good": 'Unexpected "not". Did you mean "!"?',
    "name ¦is null": 'Unexpected "is". Did you mean "isNull(x)"?',
    "name ¦like 'A%'": 'Unexpected "like". Did you mean "x.matches(\'…\')"?',
    "¦(1 + 2": "There is no ) to this (.",
    "size([1, 2¦)": 'Unexpected ")".',
    "1 + 2¦)": "There is no ( to this ).",
    "¦[1, '(', 2": "There is no ] to this [.",
    "name == ¦'abc": "This text has no end: write another ' behind it, and \\' for one within it.",
    'name == ¦"abc': 'This text has no end: write another " behind it, and \\" for one within it.',
    "¦{'a': 1}": "Expressions have no maps and no messages.",
    "name¦; 1": "An expression is one value: leave out the semicolon.",
    "¦`name`": "Names and texts have no such quotes: write a text as 'text', a name as it is.",
    "count + ¦#": 'Unexpected "#".',
    # Literals.
    "count + ¦9223372036854775808": (
        "Whole numbers go from -9223372036854775808 to 9223372036854775807: write a Real as 1.0 or 1e20."
    ),
    "¦5u": "Whole numbers are of one kind: leave out the u.",
    "¦b'a' == name": "Expressions have no bytes: leave out the b.",
    "'a¦\\q'": "A backslash begins \\n, \\t, \\u00e8 and the like; write \\\\ for itself.",
    "'a¦\\ud800'": "U+D800 is no character.",
    "'''a¦\\U00110000'''": "U+110000 is no character.",
    "¦1e126 > price": (
        '"1e126" is not a Real. Use a decimal number, such as -12.50, with at most 38 digits '
        "and an absolute value between 1E-130 and 1E+126."
    ),
    # Names.
    "¦nam": 'Thing has no attribute and no role "nam". Did you mean "name"?',
    "shelf.¦nmae": 'Shelf has no attribute and no role "nmae". Did you mean "name"?',
    "shelf.above.¦labels": 'Shelf has no attribute and no role "labels". Did you mean "label"?',
    "name.¦size": "Thing.name is an attribute; a path ends there.",
    "¦labels": (
        "Thing.labels leads to many objects: make one value of them by @derived(path: …, aggregate: …)."
    ),
    "size(shelf.¦things)": (
        "Shelf.things leads to many objects: make one value of them by @derived(path: …, aggregate: …)."
    ),
    "¦shelf": "A role leads to an object: write which of its attributes, or isNull(x).",
    "¦shelf == name": "A role leads to an object: write which of its attributes, or isNull(x).",
    "shelf" + ".above" * 9 + ".¦above.name": "A path walks over at most 10 roles.",
    "¦picture": "A file has no value: only isNull(x) can be asked of it.",
    "firstNotNull(name, ¦picture)": "A file has no value: only isNull(x) can be asked of it.",
    "¦caller": (
        "caller is the member who asks: write which of id, username, email, notes, profile, timeFormat, "
        "dateFormat, timeZone or language."
    ),
    "caller.¦usrname == name": (
        "caller, the member who asks, has no usrname; it has id, username, email, notes, profile, "
        'timeFormat, dateFormat, timeZone and language. Did you mean "username"?'
    ),
    "caller.profile.¦name": "caller.profile is a value: a path ends there.",
    "colour == ¦RED": "RED is a value of Colour: write it in quotes, 'RED'.",
    "colour == ¦Colour.RED": "Colour is an enum: write its values as texts, such as 'RED'.",
    "¦today > day": "today is a function: write brackets behind it.",
    "[1, 2].¦first": "Only a role has attributes: .first finds nothing here.",
    "[1].all(x, x.¦y == 1)": "x is an item of a list: it has no attributes.",
    "[1].all(x, true) && ¦x > 1": 'Thing has no attribute and no role "x".',
    # Functions.
    "¦lowr(name)": 'There is no function lowr. Did you mean "lower"?',
    "name.¦toLowerCase()": 'There is no function toLowerCase. Did you mean "lower"?',
    "¦coalesce(name, nick)": 'There is no function coalesce. Did you mean "firstNotNull"?',
    "¦lower(count)": "lower(text) takes (String); here it is given (Int).",
    "¦lower()": "lower(text) takes (String); here it is given nothing.",
    "¦round(price, 1.5)": "round(x, digits) takes (Real, Int) or (Real); here it is given (Real, Real).",
    "¦year(vintage)": "year(d) takes (Date) or (Datetime); here it is given (Int).",
    "¦today(1)": "today() takes nothing; here it is given (Int).",
    "¦size(count)": "size(x) takes (String) or (a list); here it is given (Int).",
    "concat(name, ¦picture)": "A file has no value: only isNull(x) can be asked of it.",
    "¦isNull(name, nick)": "isNull(x) takes one value; here it is given 2.",
    "¦firstNotNull()": "firstNotNull(a, b, …) takes (String, String); here it is given nothing.",
    "firstNotNull(name, ¦count)": "The arguments of firstNotNull are of one kind; here are String and Int.",
    "has(¦1 + 1)": "has asks for an attribute or a role: write its name.",
    "date(¦'2020-13-01')": "'2020-13-01' is no Date: write it as '2020-12-31'.",
    "day > date(¦'31/12/2020')": "'31/12/2020' is no Date: write it as '2020-12-31'.",
    "datetime(¦'now')": "'now' is no Datetime: write it as '2020-12-31T18:30:00Z'.",
    "time(¦'25:00')": "'25:00' is no Time: write it as '18:30' or '18:30:00'.",
    "name.matches(¦'(')": "'(' is no regular expression (RE2): missing ): (.",
    "name.matches(¦r'(a)\\1')": (
        "'(a)\\1' is no regular expression (RE2): invalid escape sequence: \\1 (RE2 has no back references: "
        "write the alternatives out, or write a character by its code, as in \\x{20AC})."
    ),
    "name.matches(¦nick)": "The pattern of matches is a text in quotes, so that it can be checked.",
    "[1].¦all(x)": "all is written list.all(x, condition).",
    "[1].all(¦1, true)": "A name stands here for each item: list.all(x, condition).",
    "[1].all(x, ¦x)": "The condition of all is Boolean; this is Int.",
    "name.¦exists(x, true)": "exists goes through a list; this is String.",
    "[1].¦map(x)": "map is written list.map(x, value), or list.map(x, condition, value).",
    "[1].map(x, ¦[x])": "A list holds values, and no lists.",
    # Operators.
    "count ¦+ name": (
        "+ takes two numbers, two texts or two lists; here are Int and String. "
        "string(x) makes a text of a value."
    ),
    "day ¦- day": (
        "- takes two numbers; here are Date and Date. The days between two of them are dateDiff(a, b)."
    ),
    "price ¦% 2": "% takes two whole numbers; here are Real and Int.",
    "good ¦* 2": "* takes two numbers; here are Boolean and Int.",
    "¦-name": "- takes a number; this is String.",
    "!¦count": "What ! turns round is Boolean; this is Int.",
    "good && ¦count": "Each side of && is Boolean; this is Int.",
    "¦name || good": "Each side of || is Boolean; this is String.",
    "¦count ? 1 : 2": "What stands before ? is Boolean; this is Int.",
    "good ? 1 : ¦'a'": "The values of a choice are of one kind; here are Int and String.",
    "[1, 2.5, ¦'a']": "The items of a list are of one kind; here are Real and String.",
    "[¦[1]]": "A list holds values, and no lists.",
    "¦name[0]": "Only a list has places; this is String.",
    "[1][¦'a']": "A place in a list is Int; this is String.",
    "name ¦in nick": "in looks into a list; this is String: x.contains(y) looks into a text.",
    "name ¦in count": "in looks into a list; this is Int: write one as ['a', 'b'].",
    "count ¦in ['a']": (
        "in compares values of one kind; here are Int and String: write a number without quotes; "
        "int(x) makes one of a text."
    ),
    "name ¦== null": "Nothing compares with null: write isNull(name).",
    "null ¦!= shelf.name": "Nothing compares with null: write isNull(shelf.name).",
    "count + 1 ¦== null": "Nothing compares with null: write isNull(x).",
    "¦null": "Nothing can be made of null: isNull(x) asks whether a value is missing.",
    "count + ¦null": "Nothing can be made of null: isNull(x) asks whether a value is missing.",
    "day ¦== moment": (
        "== compares values of one kind; here are Date and Datetime: date(x) is the day of a Datetime."
    ),
    "day ¦< '2020-01-31'": (
        "< compares values of one kind; here are Date and String: write a day as date('2020-12-31')."
    ),
    "count ¦== '3'": (
        "== compares values of one kind; here are Int and String: write a number without quotes; "
        "int(x) makes one of a text."
    ),
    "good ¦== 1": "== compares values of one kind; here are Boolean and Int.",
    "colour ¦== shade": "== compares values of one kind; here are Colour and Shade.",
    "colour ¦< 'RED'": "Colour has no order: compare by == or !=.",
    "[1] ¦< [2]": "a list of Int has no order: compare by == or !=.",
    "colour == ¦'REDD'": ("Colour has no value 'REDD'; it has RED, GREEN and BLUE. Did you mean \"RED\"?"),
    "colour in ['RED', ¦'GREY']": (
        "Colour has no value 'GREY'; it has RED, GREEN and BLUE. Did you mean \"GREEN\"?"
    ),
    "(good ? 'RED' : ¦'PINK') != colour": "Colour has no value 'PINK'; it has RED, GREEN and BLUE.",
    "['RED', ¦'PINK'].exists(c, c == colour)": "Colour has no value 'PINK'; it has RED, GREEN and BLUE.",
}


@pytest.mark.parametrize(("marked", "message"), WRONG.items(), ids=WRONG)
def test_each_error_is_reported_at_its_position(marked: str, message: str) -> None:
    assert mistakes(marked.replace(MARK, "")) == [(marked.index(MARK), message)]


def test_all_errors_are_reported_together() -> None:
    text = "nam + 1 > lowr(nick) && price == null || date('x') == day"
    assert [at for at, _ in mistakes(text)] == [0, 10, 30, 46]


def test_an_error_is_reported_once() -> None:
    """What is made of something unknown is not complained of again."""
    text = "lower(nam) + 'a' > string(nam) && nam || nam.size() == 1 && nam[0] in nam && [nam, 1].all(x, x)"
    assert [message for _, message in mistakes(text)] == [
        'Thing has no attribute and no role "nam". Did you mean "name"?'
    ] * text.count("nam")


def test_the_number_of_reported_errors_is_limited() -> None:
    assert len(mistakes(" + ".join(f"a{number}" for number in range(500)))) == MAX_ERRORS


def test_a_filter_expression_cannot_follow_roles() -> None:
    assert mistakes("shelf.name == 'a' || total > 1", roles=False) == [
        (0, "Thing.shelf is a role; a filter takes the class's own attributes.")
    ]
    assert mistakes("total > 1 && caller.username == name", roles=False) == []


RESULTS = {
    "Int": ("count", "¦price", "¦name"),
    "Year": ("vintage", "¦price"),
    "Real": ("price", "count", "¦good"),
    "String": ("name", "colour", "¦count"),
    "Text": ("notes", "¦day"),
    "Boolean": ("good", "count > 1", "¦count"),
    "Date": ("day", "¦moment"),
    "Time": ("hour", "¦day"),
    "Datetime": ("now()", "¦day"),
}


@pytest.mark.parametrize(
    ("type_", "marked"), [(name, text) for name, all_ in RESULTS.items() for text in all_]
)
def test_a_result_of_another_type_is_refused(type_: str, marked: str) -> None:
    found = mistakes(marked.replace(MARK, ""), wanted=TYPES[type_])
    assert bool(found) is (MARK in marked)
    assert all(f"where {type_} is wanted" in message for _, message in found)


def test_an_expression_for_an_enum_has_its_values() -> None:
    """Its values may be written; any other text might be none of them."""
    wanted = MODEL.classes["Thing"].attributes["colour"].type
    assert mistakes("good ? 'RED' : colour", wanted=wanted) == []
    assert mistakes("name", wanted=wanted) == [(0, "This is String, where Colour is wanted.")]
    assert mistakes("shade", wanted=wanted) == [(0, "This is Shade, where Colour is wanted.")]
    assert mistakes("good ? 'RED' : 'PINK'", wanted=wanted) == [
        (15, "Colour has no value 'PINK'; it has RED, GREEN and BLUE.")
    ]


def test_an_attribute_may_be_named_caller() -> None:
    """Alone it is the class's own; before a dot it is the member who asks."""
    assert mistakes("caller == caller.username", "Ring") == []
    assert mistakes("isNull(caller)", "Label") == []
    assert mistakes("caller.name == text", "Label") != []
