"""Errors in expressions are reported with their position and advice."""

from stratabase.core.model.types import TYPES
from stratabase.values.cel.typed_expression import MAX_ERRORS
from tests.rows import each_row
from tests.values.cel.evaluation import MODEL, mistakes

MARK = "¦"
WRONG = {
    # Syntax: the first thing only.
    "1 +¦": "The expression is incomplete. Add a value at its end.",
    "¦": "The expression is empty.",
    "// nothing¦": "The expression is incomplete. Add a value at its end.",
    "1 ¦2": 'Unexpected "2".',
    "1 ¦= 2": 'Unexpected "=". Did you mean "=="?',
    "1 ¦<> 2": 'Unexpected "<>". Did you mean "!="?',
    "1 ¦=== 2": 'Unexpected "===". Did you mean "=="?',
    "good ¦and bad": 'Unexpected "and". Did you mean "&&"?',
    "good ¦& bad": 'Unexpected "&". Did you mean "&&"?',
    "¦not good": 'Unexpected "not". Did you mean "!"?',
    "name ¦is null": 'Unexpected "is". Did you mean "isNull(x)"?',
    "name ¦like 'A%'": 'Unexpected "like". Did you mean "x.matches(\'…\')"?',
    "¦(1 + 2": "This ( has no matching ).",
    "size([1, 2¦)": 'Unexpected ")".',
    "1 + 2¦)": "This ) has no matching (.",
    "¦[1, '(', 2": "This [ has no matching ].",
    "name == ¦'abc": "The text has no closing quote. Add ' at its end, and write \\' for a quote inside it.",
    'name == ¦"abc': 'The text has no closing quote. Add " at its end, and write \\" for a quote inside it.',
    "¦{'a': 1}": "Expressions can't contain maps or messages.",
    "name¦; 1": "An expression must be one value. Remove the semicolon.",
    "¦`name`": "Backquotes can't be used. Write a text as 'text', and a name without quotes.",
    "count + ¦#": 'Unexpected "#".',
    # Literals.
    "count + ¦9223372036854775808": (
        "A whole number must be from -9223372036854775808 to 9223372036854775807. "
        "Write a Real as 1.0 or 1e20."
    ),
    "¦5u": "Unsigned numbers can't be used. Remove the u.",
    "¦b'a' == name": "Bytes can't be used. Remove the b.",
    "'a¦\\q'": (
        "The escape sequence is not valid. Use one such as \\n, \\t, or \\u00e8, or \\\\ for a backslash."
    ),
    "'a¦\\ud800'": "U+D800 is not a character.",
    "'''a¦\\U00110000'''": "U+110000 is not a character.",
    "¦1e126 > price": (
        '"1e126" is not a Real. Use a decimal number, such as -12.50, with at most 38 digits '
        "and an absolute value between 1E-130 and 1E+126."
    ),
    # Names.
    "¦nam": 'Thing has no attribute or role "nam". Did you mean "name"?',
    "shelf.¦nmae": 'Shelf has no attribute or role "nmae". Did you mean "name"?',
    "shelf.above.¦labels": 'Shelf has no attribute or role "labels". Did you mean "label"?',
    "name.¦size": "Thing.name is an attribute. The path must end there.",
    "¦labels": ("Thing.labels leads to many objects. For one value, use @derived(path: …, aggregate: …)."),
    "size(shelf.¦things)": (
        "Shelf.things leads to many objects. For one value, use @derived(path: …, aggregate: …)."
    ),
    "¦shelf": "A role leads to an object, not to a value. Add one of its attributes, or use isNull(x).",
    "¦shelf == name": (
        "A role leads to an object, not to a value. Add one of its attributes, or use isNull(x)."
    ),
    "shelf" + ".above" * 9 + ".¦above.name": "A path can have at most 10 roles.",
    "¦picture": "A file can't be used as a value. To test whether it is missing, use isNull(x).",
    "firstNotNull(name, ¦picture)": (
        "A file can't be used as a value. To test whether it is missing, use isNull(x)."
    ),
    "¦caller": (
        "caller is a member, not a value. Add one of its fields: id, username, email, notes, profile, "
        "timeFormat, dateFormat, timeZone, or language."
    ),
    "caller.¦usrname == name": (
        "caller has no field usrname. It has id, username, email, notes, profile, "
        'timeFormat, dateFormat, timeZone, and language. Did you mean "username"?'
    ),
    "caller.profile.¦name": "caller.profile is a value. The path must end there.",
    "colour == ¦RED": "RED is a value of Colour. Write it in quotes: 'RED'.",
    "colour == ¦Colour.RED": "Colour is an enum. Write its values in quotes, such as 'RED'.",
    "¦today > day": "today is a function. Add parentheses after it.",
    "[1, 2].¦first": "Only a role has attributes. Remove .first.",
    "[1].all(x, x.¦y == 1)": "x is an item of a list, so it has no attributes.",
    "[1].all(x, true) && ¦x > 1": 'Thing has no attribute or role "x".',
    # Functions.
    "¦lowr(name)": 'Unknown function lowr. Did you mean "lower"?',
    "name.¦toLowerCase()": 'Unknown function toLowerCase. Did you mean "lower"?',
    "¦coalesce(name, nick)": 'Unknown function coalesce. Did you mean "firstNotNull"?',
    "¦lower(count)": "lower(text) takes (String), but it got (Int).",
    "¦lower()": "lower(text) takes (String), but it got nothing.",
    "¦round(price, 1.5)": "round(x, digits) takes (Real, Int) or (Real), but it got (Real, Real).",
    "¦year(vintage)": "year(d) takes (Date) or (Datetime), but it got (Int).",
    "¦today(1)": "today() takes nothing, but it got (Int).",
    "¦size(count)": "size(x) takes (String) or (a list), but it got (Int).",
    "concat(name, ¦picture)": (
        "A file can't be used as a value. To test whether it is missing, use isNull(x)."
    ),
    "¦isNull(name, nick)": "isNull(x) takes one value, but it got 2.",
    "¦firstNotNull()": "firstNotNull(a, b, …) takes (String, String), but it got nothing.",
    "firstNotNull(name, ¦count)": (
        "The arguments of firstNotNull must be of one type, but these are String and Int."
    ),
    "has(¦1 + 1)": "has needs the name of an attribute or a role.",
    "date(¦'2020-13-01')": "'2020-13-01' is not a valid Date. Write it as '2020-12-31'.",
    "day > date(¦'31/12/2020')": "'31/12/2020' is not a valid Date. Write it as '2020-12-31'.",
    "datetime(¦'now')": "'now' is not a valid Datetime. Write it as '2020-12-31T18:30:00Z'.",
    "time(¦'25:00')": "'25:00' is not a valid Time. Write it as '18:30' or '18:30:00'.",
    "name.matches(¦'(')": "'(' is not a valid regular expression (RE2): missing ): (.",
    "name.matches(¦r'(a)\\1')": (
        "'(a)\\1' is not a valid regular expression (RE2): invalid escape sequence: \\1 "
        "(RE2 has no back references: list the alternatives, or write a character by its code, "
        "as in \\x{20AC})."
    ),
    "name.matches(¦nick)": "The pattern of matches must be a text in quotes.",
    "[1].¦all(x)": "all has the wrong arguments. Write list.all(x, condition).",
    "[1].all(¦1, true)": "The first argument must be a name for the items. Write list.all(x, condition).",
    "[1].all(x, ¦x)": "The condition of all must be Boolean, but this is Int.",
    "name.¦exists(x, true)": "exists needs a list, but this is String.",
    "[1].¦map(x)": "map has the wrong arguments. Write list.map(x, value) or list.map(x, condition, value).",
    "[1].map(x, ¦[x])": "A list can't contain lists.",
    # Operators.
    "count ¦+ name": (
        "+ needs two numbers, two texts, or two lists, but these are Int and String. "
        "To convert a value to a text, use string(x)."
    ),
    "day ¦- day": (
        "- needs two numbers, but these are Date and Date. For the days between them, use dateDiff(a, b)."
    ),
    "price ¦% 2": "% needs two whole numbers, but these are Real and Int.",
    "good ¦* 2": "* needs two numbers, but these are Boolean and Int.",
    "¦-name": "- needs a number, but this is String.",
    "!¦count": "The operand of ! must be Boolean, but this is Int.",
    "good && ¦count": "Each side of && must be Boolean, but this is Int.",
    "¦name || good": "Each side of || must be Boolean, but this is String.",
    "¦count ? 1 : 2": "The condition before ? must be Boolean, but this is Int.",
    "good ? 1 : ¦'a'": "The values of ? : must be of one type, but these are Int and String.",
    "[1, 2.5, ¦'a']": "The items of a list must be of one type, but these are Real and String.",
    "[¦[1]]": "A list can't contain lists.",
    "¦name[0]": "Only a list can have an index, but this is String.",
    "[1][¦'a']": "The index of a list must be Int, but this is String.",
    "name ¦in nick": "in needs a list, but this is String. To search a text, use x.contains(y).",
    "name ¦in count": "in needs a list, but this is Int. Write a list as ['a', 'b'].",
    "count ¦in ['a']": (
        "in compares values of one type, but these are Int and String. Write a number without quotes, "
        "or convert a text by int(x)."
    ),
    "name ¦== null": "Values can't be compared with null. Use isNull(name).",
    "null ¦!= shelf.name": "Values can't be compared with null. Use isNull(shelf.name).",
    "count + 1 ¦== null": "Values can't be compared with null. Use isNull(x).",
    "¦null": "null can't be used as a value. To test whether a value is missing, use isNull(x).",
    "count + ¦null": "null can't be used as a value. To test whether a value is missing, use isNull(x).",
    "hour ¦== moment": "== compares values of one type, but these are Time and Datetime.",
    "day ¦< '2020-01-31'": (
        "< compares values of one type, but these are Date and String. Write a Date as date('2020-12-31')."
    ),
    "count ¦== '3'": (
        "== compares values of one type, but these are Int and String. Write a number without quotes, "
        "or convert a text by int(x)."
    ),
    "good ¦== 1": "== compares values of one type, but these are Boolean and Int.",
    "colour ¦== shade": "== compares values of one type, but these are Colour and Shade.",
    "colour ¦< 'RED'": "Colour has no order. Use == or !=.",
    "[1] ¦< [2]": "a list of Int has no order. Use == or !=.",
    "colour == ¦'REDD'": ("Colour has no value 'REDD'. It has RED, GREEN, and BLUE. Did you mean \"RED\"?"),
    "colour in ['RED', ¦'GREY']": (
        "Colour has no value 'GREY'. It has RED, GREEN, and BLUE. Did you mean \"GREEN\"?"
    ),
    "(good ? 'RED' : ¦'PINK') != colour": "Colour has no value 'PINK'. It has RED, GREEN, and BLUE.",
    "['RED', ¦'PINK'].exists(c, c == colour)": "Colour has no value 'PINK'. It has RED, GREEN, and BLUE.",
}


@each_row(("marked", "message"), WRONG.items())
def test_each_error_is_reported_at_its_position(marked: str, message: str) -> None:
    assert mistakes(marked.replace(MARK, "")) == [(marked.index(MARK), message)]


def test_all_errors_are_reported_together() -> None:
    text = "nam + 1 > lowr(nick) && price == null || date('x') == day"
    assert [at for at, _ in mistakes(text)] == [0, 10, 30, 46]


def test_an_error_is_reported_once() -> None:
    """An expression that uses something unknown does not report a second error."""
    text = "lower(nam) + 'a' > string(nam) && nam || nam.size() == 1 && nam[0] in nam && [nam, 1].all(x, x)"
    assert [message for _, message in mistakes(text)] == [
        'Thing has no attribute or role "nam". Did you mean "name"?'
    ] * text.count("nam")


def test_the_number_of_reported_errors_is_limited() -> None:
    assert len(mistakes(" + ".join(f"a{number}" for number in range(500)))) == MAX_ERRORS


def test_a_filter_expression_cannot_follow_roles() -> None:
    assert mistakes("shelf.name == 'a' || total > 1", roles=False) == [
        (0, "Thing.shelf is a role. A filter can use only the class's own attributes.")
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


@each_row(("type_", "marked"), [(name, text) for name, all_ in RESULTS.items() for text in all_])
def test_a_result_of_another_type_is_refused(type_: str, marked: str) -> None:
    found = mistakes(marked.replace(MARK, ""), wanted=TYPES[type_])
    assert bool(found) is (MARK in marked)
    assert all(message.endswith(f", but it must be {type_}.") for _, message in found)


def test_an_expression_for_an_enum_has_its_values() -> None:
    """Only values of the enum are allowed, because any other text might not be one."""
    wanted = MODEL.classes["Thing"].attributes["colour"].type
    assert mistakes("good ? 'RED' : colour", wanted=wanted) == []
    assert mistakes("name", wanted=wanted) == [(0, "This is String, but it must be Colour.")]
    assert mistakes("shade", wanted=wanted) == [(0, "This is Shade, but it must be Colour.")]
    assert mistakes("good ? 'RED' : 'PINK'", wanted=wanted) == [
        (15, "Colour has no value 'PINK'. It has RED, GREEN, and BLUE.")
    ]


def test_an_attribute_may_be_named_caller() -> None:
    """Alone it is the class's own; before a dot it is the member who asks."""
    assert mistakes("caller == caller.username", "Ring") == []
    assert mistakes("isNull(caller)", "Label") == []
    assert mistakes("caller.name == text", "Label") != []
