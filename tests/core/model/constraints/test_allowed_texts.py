"""Domain patterns are those of RE2: linear in time, with RE2's semantics, and limited in size."""

import json
import subprocess
import sys

import pytest

from stratabase.core.model.constraints.allowed_texts import MAX_COST, compile_pattern
from stratabase.values.formats.invalid_value import InvalidValue
from tests.evil_patterns import EVIL, LENGTH
from tests.models import violations
from tests.rows import each_row

CPU_SECONDS = 20
"""All evil patterns together take milliseconds; one of them, with backtracking, would never end."""
JUDGE = f"""
import json, resource, sys

resource.setrlimit(resource.RLIMIT_CPU, ({CPU_SECONDS}, {CPU_SECONDS}))
from stratabase.core.model.constraints import build_constraints
from stratabase.core.model.types import TYPES

for pattern, text in json.load(sys.stdin):
    constraints = build_constraints(TYPES["Text"], {{"pattern": (pattern,)}})
    violations = [each for one in constraints for each in one.violations(text, TYPES["Text"], None)]
    print(json.dumps([each.issue for each in violations]), flush=True)
"""


def breaches(pattern: str, text: str) -> list[str]:
    """Return the violations of a text in a domain with one pattern."""
    return [mistake.issue for mistake in violations("Text", text, pattern=(pattern,))]


def judged(cases: list[tuple[str, str]]) -> list[list[str]]:
    """Return the violations of each pattern and text. They are computed in a process that can be killed."""
    done = subprocess.run(
        [sys.executable, "-c", JUDGE],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"no end of {cases[len(done.stdout.splitlines())]}: {done.stderr}"
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_no_pattern_backtracks() -> None:
    assert len(EVIL) == 40
    assert {len(evil.text) for evil in EVIL} == {LENGTH}
    assert judged([(evil.pattern, evil.text) for evil in EVIL]) == [["ATTRIBUTE_STRING_PATTERN"]] * 40
    assert judged([(evil.pattern, evil.admitted) for evil in EVIL]) == [[]] * 40


MATCHES = {
    "digits are those of ASCII": (r"\d{5}", ["12345"], ["١٢٣٤٥"]),
    "letters of words are those of ASCII": (r"\w+", ["a_1"], ["è", "日"]),
    "letters of any script": (r"[\p{L}\p{N}_]+", ["è_1", "日本", "٣"], ["-"]),
    "letters of one script": (r"\p{Greek}+", ["αβγ"], ["abc"]),
    "white space is that of ASCII": (r"a\sb", ["a b", "a\tb"], ["a\u00a0b", "a\u2003b"]),
    "borders of words": (r".*\bb", ["a b"], ["ab"]),
    "a character, not a byte or half": (".{2}", ["日本", "a\U0001f600"], ["\U0001f600", "日"]),
    "a line's end is not a character of .": ("a.b", ["a b"], ["a\nb"]),
    "but with the flag s it is": ("(?s)a.b", ["a\nb"], ["ab"]),
    "^ and $ are the ends of the text": ("^a$", ["a"], ["a\n", "b\na"]),
    "and of lines with the flag m": ("(?m)a$\n^b", ["a\nb"], ["ab"]),
    "case": ("(?i)straße", ["STRAßE", "Straẞe"], ["STRASSE"]),
    "case folds one character to one": ("(?i)k", ["K", "\u212a"], ["kk"]),
    "dotless i is a letter of its own": ("(?i)i", ["I"], ["\u0131", "\u0130"]),
    "POSIX classes": ("[[:alpha:]]+", ["abc"], ["è", "[:"]),
    "characters by code": (r"\x{20AC}\x41", ["€A"], ["A"]),
    "octal codes": (r"\101\060", ["A0"], ["101"]),
    "the null character": ("a\0b", ["a\0b"], ["ab", "a"]),
    "the most repetitions": ("a{1000}", ["a" * 1000], ["a" * 999, "a" * 1001]),
    "plain braces": (r"a{}\{,2\}[{,2}]", ["a{}{,2}{"], ["a"]),
    "named groups": ("(?P<year>[0-9]{4})|(?<no>n)", ["2026", "n"], ["n2026"]),
    "the end of the text, said twice": (r"\Aa\z", ["a"], ["a\n"]),
    "nothing": ("", [""], ["a"]),
}


@each_row("case", MATCHES.values())
def test_a_pattern_matches_the_whole_value_and_ascii_classes(case: tuple[str, list[str], list[str]]) -> None:
    """A pattern matches the whole value; classes without \\p are those of ASCII."""
    pattern, admitted, refused = case
    assert [text for text in admitted if breaches(pattern, text)] == []
    assert [breaches(pattern, text) for text in refused] == [["ATTRIBUTE_STRING_PATTERN"]] * len(refused)


@each_row("pattern", ["a{,5}", "a{,}", "a{01,2}", "a{1,02}", "a{1000000000000}", r"(?:a{,5}\{,5})"])
def test_a_repetition_that_re2_reads_as_text_is_refused(pattern: str) -> None:
    """Python repeats here; RE2 would want the braces themselves, without a word."""
    with pytest.raises(
        InvalidValue, match=r"not a repetition, because RE2 reads it as plain text: write \{min,max\}"
    ):
        compile_pattern(pattern)


@each_row("pattern", ["(a)" * 10 + r"\10", r"a\12"])
def test_a_back_reference_that_re2_reads_as_a_character_is_refused(pattern: str) -> None:
    with pytest.raises(
        InvalidValue, match=r"not a back reference, because RE2 reads it as a character code: write \\01[02]"
    ):
        compile_pattern(pattern)


@each_row("pattern", [r"[\12]", r"\Q{,5}\12", r"\{,5}", r"\\{1,2}", r"[]{,5}]", "[[:alpha:]{,5}]"])
def test_quoted_and_bracketed_repetitions_are_accepted(pattern: str) -> None:
    """Character classes, escapes and literal texts contain no repetitions."""
    assert compile_pattern(pattern) is not None


def test_a_text_too_long_for_a_large_pattern_is_reported_by_its_length() -> None:
    """A large pattern over a long text would take seconds: the answer says how long the text may be."""
    large = "(?:[ab]{0,300}c){2}"
    most = MAX_COST // compile_pattern(large).programsize
    assert breaches(large, "a" * most) == ["ATTRIBUTE_STRING_PATTERN"]

    (mistake,) = violations("Text", "a" * (2 * most), pattern=(large, "b+"))

    assert mistake.issue == "ATTRIBUTE_STRING_LENGTH"
    assert mistake.message == (
        f"The text has {2 * most:,} characters, which is too long to match against the pattern. "
        f"The maximum is {most:,}."
    )
    assert breaches(large, "é" * (most // 4 + 1)) == ["ATTRIBUTE_STRING_LENGTH"]


def test_a_text_too_long_for_one_pattern_may_match_another() -> None:
    """That a text is too long for one pattern says nothing against it, where another one matches."""
    large = "(?:[ab]{0,300}c){2}"
    text = "a" * (MAX_COST // compile_pattern(large).programsize + 1)
    assert violations("Text", text, pattern=(large, "a+")) == []
    assert violations("Text", text, pattern=("a+", large)) == []


def test_the_longest_string_can_be_matched_with_the_largest_pattern() -> None:
    """The longest String without a maxLength can be compared with the largest pattern."""
    largest = "[^<>]{1,1000}"
    assert compile_pattern(largest).programsize > 10_000
    assert breaches(largest, "\U0001f600" * 255) == []
