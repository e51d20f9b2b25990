"""Classic regular expressions with catastrophic backtracking, and texts that trigger it.

They are of OWASP's page on ReDoS, of published outages and advisories, and of Stack Overflow. No pattern
matches its text of 10,000 characters as a whole.
"""

from typing import NamedTuple

LENGTH = 10_000


class Evil(NamedTuple):
    """A pattern, a text that it must not match, and a short text that it must match."""

    pattern: str
    before: str
    pumped: str
    behind: str
    admitted: str

    @property
    def text(self) -> str:
        """The text to attack with."""
        return attack(self.before, self.pumped, self.behind)


def attack(before: str, pumped: str, behind: str, length: int = LENGTH) -> str:
    """Return a text of `length` characters whose middle is one piece over and over."""
    middle = length - len(before) - len(behind)
    return before + (pumped * (middle // len(pumped) + 1))[:middle] + behind


_CLASS_NAME = r"^(([a-z])+.)+[A-Z]([a-z])+$"
_ADDRESS = (
    r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}"
    r"(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$"
)
_FIREWALL = (
    r"""(?:(?:"|'|\]|\}|\\|\d|(?:nan|infinity|true|false|null|undefined|symbol|math)|`|\-|\+)+"""
    r"""[)]*;?((?:\s|-|~|!|{}|\|\||\+)*.*(?:.*=.*)))"""
)
_SITE = r"^(https?:\/\/)?([\da-z\.-]+)\.([a-z\.]{2,6})([\/\w \.-]*)*\/?$"

EVIL = (
    Evil(r"([a-z]+)*[0-9]", "", "a", "", "abc1"),
    Evil(r"(a+)+", "", "a", "!", "aaa"),
    Evil(r"([a-zA-Z]+)*", "", "aB", "!", "aBc"),
    Evil(r"(a|aa)+", "", "a", "!", "aaa"),
    Evil(r"(a|a?)+", "", "a", "!", "aaa"),
    Evil(r"(.*a){12}", "", "a", "!", "a" * 12),
    Evil(r"(x+x+)+y", "", "x", "", "xxxy"),
    Evil(r"(.*)*=.*", "", "x", "", "a=b"),
    Evil(r"(a*)*b", "", "a", "", "aab"),
    Evil(r"(a*)+b", "", "a", "", "aab"),
    Evil(r"(a|b|ab)*c", "", "ab", "", "ababc"),
    Evil(r"(a?b?)*c", "", "ab", "", "abc"),
    Evil(r"((ab)*a*b*)*c", "", "ab", "", "abac"),
    Evil(r"(a{1,3}){1,100}b", "", "a", "", "aaaab"),
    Evil(r"(a?){50}a{50}b", "", "a", "", "a" * 60 + "b"),
    Evil(r"(.|a)*x", "", "a", "", "aax"),
    Evil(r"(.+)+;", "", "a", "", "a;"),
    Evil(r"(\w*)*\.", "", "a", "", "a."),
    Evil(r"(\w+\s?)*", "", "a", "!", "some words"),
    Evil(r"(\s*\S+\s*)*x", "", "a", "", "a b x"),
    Evil(r"(\d+\.?)+x", "", "1", "", "1.2x"),
    Evil(r"(\+|-)?(\d+,?)*(\.\d+)?", "", "1", "x", "-1,000.5"),
    Evil(r"(-?[0-9]+)*;", "", "1", "", "1-2;"),
    Evil(r"([A-Z]+[a-z]*)+_", "", "A", "", "AbC_"),
    Evil(r"(([0-9a-f]{1,4}:?)+)+z", "", "f", "", "ab:cdz"),
    Evil(r'"(\\.|[^"])*"', '"', "\\", "", r'"a\"b"'),
    Evil(r"/\*(\*?.)*\*/", "/*", "*", "x", "/* a */"),
    Evil(r"#([^}]+)*{", "#", "a", "", "#a{"),
    Evil(r"(?:\s*[a-z]+\s*,?)*;", "", "a", "", "a, b;"),
    Evil(r"(?i)(select|union|\s|.)*from", "", "SELECT", "", "Select from"),
    Evil(r"(a+)+(b+)+c", "", "a", "", "abc"),
    Evil(r"([\w.-]+)+@[\w.-]+\.[a-z]+", "", "a", "", "a.b@c.it"),
    Evil(r"[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*[0-9]", "", "a", "", "abc1"),
    Evil(r".*.*.*.*.*=", "", "x", "", "x="),
    Evil(r"\s*\s*\s*\s*\s*x", "", " ", "", "  x"),
    Evil(r"(<[^>]*)*;", "", "<", "", "<a <b;"),
    Evil(_CLASS_NAME, "", "a", "!", "java.Lang"),
    Evil(_ADDRESS, "", "a", "!", "a.b@example.com"),
    Evil(_FIREWALL, "", "1", "", "1a=b"),
    Evil(_SITE, "http://a.aa", "/a", "!", "http://example.com/a b"),
)
"""Forty of them."""
