"""Invalid values: missing required values, wrong types, and values outside the domain."""

from collections.abc import Callable, Iterable
from typing import Any

from tests.rows import each_row
from tests.scenarios.refusals.case import Case, changing, filling, housing, loosely, making
from tests.scenarios.refusals.issue import (
    Issue,
    attribute,
    entity,
    required,
    taken,
)
from tests.scenarios.refusals.needs import DATE

TEXT = "Use text in double quotes."
INT = "Use a whole number from -2147483648 to 2147483647."
REAL = (
    "Use a decimal number, such as -12.50, with at most 38 digits "
    "and an absolute value between 1E-130 and 1E+126."
)
TIME = "Use the format HH:mm (for example, 18:30) or ISO 8601 (for example, 18:30:00.000)."
DATETIME = (
    "Use the format dd/MM/yyyy HH:mm (for example, 31/12/2020 18:30) "
    "or ISO 8601 (for example, 2020-12-31T18:30:00.000Z)."
)
CODE = 'It must match "[A-Z]{3}" or "[0-9]+".'
VAT = "Use 11 digits. The last digit is a check digit."
FISCAL = (
    "Use 16 uppercase letters and digits for a person, or 11 digits for an organization. "
    "The last character is a check character."
)
ONES, LONG_ID = "1" * 39, "p" * 5000
FILE = {
    "pendingFileId": "p",
    "fileId": "f",
    "mimeType": "image/png",
    "name": "a.png",
    "size": 3,
    "uploadedOn": "2020-01-01T00:00:00Z",
}
UPLOAD = (
    "It may have expired, or an object may have it now. "
    "Upload the file, then use the reference that the upload returns."
)

VALUES: dict[str, tuple[Any, ...]] = {
    "a Real that is not a number": (
        {"salary": "much"},
        ("DATA_TYPE", "salary", f'"much" is not a Real. {REAL}'),
    ),
    "a Real of too many digits": (
        {"tax": f"0.{ONES}"},
        ("DATA_TYPE", "tax", f'"0.{ONES}" is not a Real. {REAL}'),
    ),
    "a Real that is a Boolean": ({"tax": True}, ("DATA_TYPE", "tax", f"true is not a Real. {REAL}")),
    "an invalid Date": ({"day": "soon"}, ("DATA_TYPE", "day", f'"soon" is not a valid Date. {DATE}')),
    "a Date outside the calendar": (
        {"day": "2020-02-30"},
        ("DATA_TYPE", "day", f'"2020-02-30" is not a valid Date. {DATE}'),
    ),
    "a Date as a number": ({"day": 20200131}, ("DATA_TYPE", "day", f"20200131 is not a valid Date. {DATE}")),
    "an invalid Time": ({"hour": "25:00"}, ("DATA_TYPE", "hour", f'"25:00" is not a valid Time. {TIME}')),
    "an invalid Datetime": (
        {"seen": "2020-01-01"},
        ("DATA_TYPE", "seen", f'"2020-01-01" is not a valid Datetime. {DATETIME}'),
    ),
    "an invalid Year": (
        {"since": 20000},
        ("DATA_TYPE", "since", "20000 is not a Year. Use a whole number from 0 to 9999."),
    ),
    "a Text that is a number": ({"story": 7}, ("DATA_TYPE", "story", f"7 is not a valid Text. {TEXT}")),
    "too low": ({"height": 0}, ("ATTRIBUTE_RANGE", "height", "0 is too low. Use a value from 1 to 3.")),
    "too high": ({"height": 4}, ("ATTRIBUTE_RANGE", "height", "4 is too high. Use a value from 1 to 3.")),
    "below the only bound": (
        {"salary": -1},
        ("ATTRIBUTE_RANGE", "salary", "-1 is too low. The minimum is 0."),
    ),
    "above the only bound": (
        {"tax": 0.6},
        ("ATTRIBUTE_RANGE", "tax", "0.6 is too high. The maximum is 0.5."),
    ),
    "a Date out of range": (
        {"day": "01/01/2021"},
        ("ATTRIBUTE_RANGE", "day", "01/01/2021 is too high. Use a value from 01/01/2020 to 31/12/2020."),
    ),
    "a Time out of range": (
        {"hour": "07:59"},
        ("ATTRIBUTE_RANGE", "hour", "07:59 is too low. The minimum is 08:00."),
    ),
    "a Datetime out of range": (
        {"seen": "2019-12-31T23:59:59Z"},
        (
            "ATTRIBUTE_RANGE",
            "seen",
            "31/12/2019 23:59 (2019-12-31T23:59:59.000Z) is too low. The minimum is 01/01/2020 00:00.",
        ),
    ),
    "a Year out of range": (
        {"since": "2101"},
        ("ATTRIBUTE_RANGE", "since", "2101 is too high. The maximum is 2100."),
    ),
    "too many decimals": (
        {"salary": "1.234"},
        ("ATTRIBUTE_REAL_DECIMAL_DIGITS", "salary", "1.234 has 3 decimal places. The maximum is 2."),
    ),
    "too short": (
        {"title": "t"},
        ("ATTRIBUTE_STRING_LENGTH", "title", "The text has 1 character. The minimum is 2."),
    ),
    "too long": (
        {"title": "t" * 10},
        ("ATTRIBUTE_STRING_LENGTH", "title", "The text has 10 characters. The maximum is 9."),
    ),
    "longer than any String": (
        {"plain": "é" * 256},
        ("ATTRIBUTE_STRING_LENGTH", "plain", "The text has 256 characters. The maximum is 255."),
    ),
    "a text that matches no pattern": (
        {"code": "AB1"},
        ("ATTRIBUTE_STRING_PATTERN", "code", f'"AB1" is not allowed. {CODE}'),
    ),
    "a text that matches a pattern partly": (
        {"code": "ABC\n"},
        ("ATTRIBUTE_STRING_PATTERN", "code", f'"ABC\\n" is not allowed. {CODE}'),
    ),
    "none of the values": (
        {"size": "M"},
        ("ATTRIBUTE_STRING_PATTERN", "size", '"M" is not allowed. It must match "S" or "L".'),
    ),
    "an invalid email address": (
        {"email": "nobody"},
        (
            "ATTRIBUTE_EMAIL",
            "email",
            '"nobody" is not a valid email address. Use an address such as name@example.com.',
        ),
    ),
    "an invalid phone number": (
        {"phone": "call me"},
        (
            "ATTRIBUTE_PHONE",
            "phone",
            '"call me" is not a valid phone number. Use 3 to 15 digits, such as +39 06 1234567.',
        ),
    ),
    "an invalid partita IVA": (
        {"vat": "12345678901"},
        ("ATTRIBUTE_PARTITA_IVA", "vat", f'"12345678901" is not a valid partita IVA. {VAT}'),
    ),
    "an invalid codice fiscale of a person": (
        {"fiscal": "RSSMRA85T10A562X"},
        (
            "ATTRIBUTE_CODICE_FISCALE_PERSONA_FISICA",
            "fiscal",
            f'"RSSMRA85T10A562X" is not a valid codice fiscale. {FISCAL}',
        ),
    ),
    "an invalid codice fiscale of a legal entity": (
        {"fiscal": "12345678901"},
        (
            "ATTRIBUTE_CODICE_FISCALE_PERSONA_GIURIDICA",
            "fiscal",
            f'"12345678901" is not a valid codice fiscale. {FISCAL}',
        ),
    ),
    "a file that was never uploaded": (
        {"photo": FILE},
        ("ENTITY_NOT_FOUND", "photo", f'The pending file "p" does not exist. {UPLOAD}'),
    ),
    "a file with more than an id": (
        {"photo": {**FILE, "pendingFileId": LONG_ID}},
        ("ENTITY_NOT_FOUND", "photo", f'The pending file "{LONG_ID[:60]}…" does not exist. {UPLOAD}'),
    ),
    "a file of another type that is too large": (
        {"photo": {**FILE, "name": "a.exe", "size": 11}},
        (
            "ATTRIBUTE_FILE_TYPE",
            "photo",
            'The type of the file "a.exe" is not allowed. Use a file with the extension png.',
        ),
        ("ATTRIBUTE_FILE_SIZE", "photo", "The file has 11 bytes. The maximum is 10."),
        ("ENTITY_NOT_FOUND", "photo", f'The pending file "p" does not exist. {UPLOAD}'),
    ),
    "a file with an invalid date": (
        {"photo": {**FILE, "uploadedOn": "never"}},
        ("DATA_TYPE", "photo", f'uploadedOn: "never" is not a valid Datetime. {DATETIME}'),
    ),
    "all errors together": (
        {"title": "", "height": 9, "salary": "x", "day": "2021-01-01", "email": "@"},
        ("ATTRIBUTE_STRING_LENGTH", "title", "The text has 0 characters. The minimum is 2."),
        ("ATTRIBUTE_RANGE", "height", "9 is too high. Use a value from 1 to 3."),
        ("DATA_TYPE", "salary", f'"x" is not a Real. {REAL}'),
        ("ATTRIBUTE_RANGE", "day", "01/01/2021 is too high. Use a value from 01/01/2020 to 31/12/2020."),
        (
            "ATTRIBUTE_EMAIL",
            "email",
            '"@" is not a valid email address. Use an address such as name@example.com.',
        ),
    ),
}
"""What is given, and what is wrong with it: the type of the issue, the attribute, what is said."""


def sheet(issues: Iterable[tuple[str, str, str]]) -> list[Issue]:
    return [attribute(type_, f"Sheet.{name}", message) for type_, name, message in issues]


NEW = [
    *(
        making(says, "Sheet", {"title": "new", **data}, *sheet(issues))
        for says, (data, *issues) in VALUES.items()
    ),
    making(
        "with a name",
        "Sheet",
        {"_clientId": "S", "title": "new", "height": 0},
        attribute("ATTRIBUTE_RANGE", "Sheet.height", "0 is too low. Use a value from 1 to 3.").called("S"),
    ),
    loosely("nothing at all", "Sheet", {}, required("Sheet.title")),
    loosely(
        "null where a value is required",
        "Sheet",
        {"title": None, "_clientId": "S"},
        required("Sheet.title").called("S"),
    ),
    making(
        "a value that another has",
        "Sheet",
        {"title": "new", "code": "ABC"},
        taken("Sheet", {"code": '"ABC"'}),
    ),
    making(
        "values that together another has, with a name",
        "Sheet",
        {"_clientId": "S", "title": "first", "day": "2020-02-02"},
        taken("Sheet", {"title": '"first"', "day": "02/02/2020"}).called("S"),
    ),
    making(
        "values that two others have",
        "Sheet",
        {"title": "first", "day": "02/02/2020", "code": "DEF"},
        taken("Sheet", {"code": '"DEF"'}),
        taken("Sheet", {"title": '"first"', "day": "02/02/2020"}),
    ),
    making(
        "a value that another has, beside one that is out of bounds",
        "Sheet",
        {"title": "new", "code": "ABC", "height": 4},
        taken("Sheet", {"code": '"ABC"'}),
        attribute("ATTRIBUTE_RANGE", "Sheet.height", "4 is too high. Use a value from 1 to 3."),
    ),
]
CHANGED = [
    *(
        changing(says, "Sheet", {"_id": "<sheet>", **data}, *(issue.of("<sheet>") for issue in sheet(issues)))
        for says, (data, *issues) in VALUES.items()
    ),
    changing(
        "a required value is cleared",
        "Sheet",
        {"_id": "<sheet>", "title": None},
        required("Sheet.title").of("<sheet>"),
    ),
    changing(
        "a value that another has",
        "Sheet",
        {"_id": "<sheet>", "code": "DEF"},
        taken("Sheet", {"code": '"DEF"'}).of("<sheet>"),
    ),
    changing(
        "values that together another has, of which one was there",
        "Sheet",
        {"_id": "<sheet>", "title": "second", "day": "2020-03-03"},
        taken("Sheet", {"title": '"second"', "day": "03/03/2020"}).of("<sheet>"),
    ),
    changing(
        "an object that is not there",
        "Sheet",
        {"_id": "none", "title": "new"},
        entity("ENTITY_NOT_FOUND", "Sheet", 'Sheet "none" does not exist.', "data._id").of("none"),
        without=["updateBulk", "validateUpdateBulk"],
    ),
    changing(
        "an object that is not there, with a value that cannot be",
        "Sheet",
        {"_id": "none", "height": 9},
        entity("ENTITY_NOT_FOUND", "Sheet", 'Sheet "none" does not exist.', "data._id").of("none"),
        without=["updateBulk", "validateUpdateBulk"],
    ),
    changing(
        "an object of another class",
        "Sheet",
        {"_id": "<ann>", "title": "new"},
        entity("ENTITY_NOT_FOUND", "Sheet", 'Sheet "<ann>" does not exist.', "data._id").of("<ann>"),
        without=["updateBulk", "validateUpdateBulk"],
    ),
]
TOO_LONG = "The text has 10 characters. The maximum is 9."
OTHER_KINDS = [
    housing(
        "a singleton without what is required",
        {"name": None, "director": None},
        required("House.name"),
    ),
    housing(
        "a singleton with too long a name",
        {"name": "n" * 10},
        attribute("ATTRIBUTE_STRING_LENGTH", "House.name", TOO_LONG),
    ),
    filling(
        "a form with too long a text",
        {"text": "n" * 10, "by": "<ann>"},
        attribute("ATTRIBUTE_STRING_LENGTH", "Complaint.text", TOO_LONG),
    ),
    filling(
        "a form without what is required",
        {"_clientId": "C", "by": "<ann>", "text": None},
        required("Complaint.text").called("C"),
    ),
]


@each_row("case", NEW)
def test_a_create_with_an_invalid_value_is_refused(refuse: Callable[[Case], None], case: Case) -> None:
    refuse(case)


@each_row("case", CHANGED)
def test_an_update_with_an_invalid_value_is_refused(refuse: Callable[[Case], None], case: Case) -> None:
    refuse(case)


@each_row("case", OTHER_KINDS)
def test_singletons_and_forms_with_invalid_values_are_refused(
    refuse: Callable[[Case], None], case: Case
) -> None:
    refuse(case)
