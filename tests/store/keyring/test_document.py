"""The keys as text: read back as written, and told clearly when they are damaged, without a secret."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.domain.members.key_rotation import SigningKey
from stratabase.store.keyring import document

SECRET = "c2VjcmV0IG9mIGEga2V5LCB3aGljaCBub2JvZHkgc2hvdWxkIHNlZQ=="
GOOD = {"id": "a", "secret": SECRET, "since": 5}


def text(*keys: object, **more: Any) -> str:
    return json.dumps({"layout": 1, "keys": list(keys), **more})


@pytest.mark.soak
@given(
    st.lists(
        st.builds(
            SigningKey, st.text(min_size=1), st.binary(min_size=32, max_size=80), st.integers(0, 2**53)
        ),
        unique_by=lambda key: key.id,
    )
)
def test_keys_are_read_as_they_were_written(keys: list[SigningKey]) -> None:
    written = document.written(keys)
    assert document.read(written) == document.read(written.encode()) == tuple(keys)


def test_the_secret_that_a_template_makes_is_the_first_key() -> None:
    made = "Rz7" * 21 + "x"
    assert document.read(json.dumps({"first": made})) == (SigningKey("first", made.encode(), 0),)


def test_the_first_key_can_be_kept_with_others() -> None:
    first = document.read(json.dumps({"first": "R" * 64}))
    assert document.read(document.written(first)) == first


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        (f'{{"keys": [{{"secret": "{SECRET}"', "it is not JSON"),
        ("[]", "it is not a JSON object"),
        ("null", "it is not a JSON object"),
        ('{"first": 1}', '"first" is not a string'),
        ('{"first": "short"}', "the secret of its key first is shorter than 32 bytes"),
        ("{}", "its layout is not 1, the one that this version of Stratabase knows"),
        (text(GOOD, layout=2), "its layout is not 1, the one that this version of Stratabase knows"),
        (text(keys=None), 'its "keys" are no list'),
        (text(keys={}), 'its "keys" are no list'),
        (text(GOOD, GOOD), "two of its keys have the same id"),
        (text(GOOD, 5), 'its key 1 lacks an "id", a "secret" or a "since"'),
        (text({**GOOD, "id": ""}), 'its key 0 lacks an "id", a "secret" or a "since"'),
        (text({**GOOD, "since": True}), 'its key 0 lacks an "id", a "secret" or a "since"'),
        (text({**GOOD, "since": "5"}), 'its key 0 lacks an "id", a "secret" or a "since"'),
        (text({**GOOD, "secret": "é"}), "the secret of its key 0 is not base64"),
        (text({**GOOD, "secret": "%%%"}), "the secret of its key 0 is not base64"),
        (text({**GOOD, "secret": "c2VjcmV0"}), "the secret of its key a is shorter than 32 bytes"),
    ],
)
def test_damage_is_told_without_a_secret(damaged: str, told: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text follows
        document.read(damaged)
    assert str(caught.value) == told
    assert caught.value.__cause__ is None


def test_bytes_that_are_no_text_are_damage() -> None:
    with pytest.raises(ValueError, match="it is not JSON"):
        document.read(b"\xff\xfe{}")


@pytest.mark.soak
@given(st.binary() | st.from_regex(r"[\[\]{}:,\"a-z0-9]*").map(str.encode))
def test_nothing_else_happens_whatever_the_text_is(damaged: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of the texts above
        document.read(damaged)
