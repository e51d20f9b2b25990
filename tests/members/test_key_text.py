"""The text of API keys: it names the member, and a wrong character anywhere is noticed."""

import re
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.store.ids import id_text
from stratabase.members.key_text import KEY_PATTERN, KEY_PREFIX, key_hash, member_of_key, new_key_text
from tests.rows import each_row

IDS = st.integers(0, 2**128 - 1).map(id_text)
MEMBER = "06h0591rh9cjbrhjuu6ae1f0ok"
BEFORE = f"stratabase_{MEMBER}_"


@given(IDS)
def test_a_key_names_its_member(member: str) -> None:
    text = new_key_text(member)
    assert text.startswith(KEY_PREFIX)
    assert member_of_key(text) == member
    assert len(text) == 87


@given(IDS, st.text(st.characters(codec="utf-8"), max_size=20), st.text(max_size=20))
def test_scanners_find_a_key_in_a_text(member: str, before: str, after: str) -> None:
    text = new_key_text(member)
    assert text in re.findall(KEY_PATTERN, f"{before} {text} {after}")
    assert re.findall(KEY_PATTERN, f"key={text};") == [text]


@given(IDS, st.integers(0, 86), st.characters())
def test_another_character_anywhere_is_no_key(member: str, place: int, character: str) -> None:
    text = new_key_text(member)
    changed = f"{text[:place]}{character}{text[place + 1 :]}"
    assert (member_of_key(changed) is not None) == (changed == text)


@given(st.text())
def test_any_other_text_is_no_key(text: str) -> None:
    assert member_of_key(text) is None
    assert member_of_key(f"stratabase_{text}") is None
    assert len(key_hash(text)) == 64


@each_row(
    "text",
    [
        f"{BEFORE}0000000000000000000000000000000000000000000" + "0X0xBt",
        f"{BEFORE}yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1" + "3LL8yz",
    ],
)
def test_the_form_is_fixed_for_good(text: str) -> None:
    """Clients keep keys, and scanners know their form. These have the least and the greatest number."""
    assert member_of_key(text) == MEMBER
    assert key_hash(text) == sha256(text.encode()).hexdigest()


def test_keys_are_random() -> None:
    secrets = {new_key_text(MEMBER).removeprefix(BEFORE)[:43] for _ in range(200)}
    assert len(secrets) == 200
    # At the last place, every digit is equally likely.
    assert len({text[-1] for text in secrets}) > 40
