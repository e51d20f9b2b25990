"""The document of signing keys: encoding, decoding, and errors that show no secret."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.members.keys.document import decode_keys, encode_keys
from stratabase.members.keys.key_rotation import SigningKey
from tests.rows import each_row

SECRET = "c2VjcmV0IG9mIGEga2V5LCB3aGljaCBub2JvZHkgc2hvdWxkIHNlZQ=="
GOOD = {"id": "a", "secret": SECRET, "since": 5}


def document(*keys: object, **more: Any) -> str:
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
def test_keys_are_decoded_as_they_were_encoded(keys: list[SigningKey]) -> None:
    text = encode_keys(keys)
    assert decode_keys(text) == decode_keys(text.encode()) == tuple(keys)


def test_the_secret_that_the_template_generates_is_the_first_key() -> None:
    secret = "Rz7" * 21 + "x"
    assert decode_keys(json.dumps({"first": secret})) == (SigningKey("first", secret.encode(), 0),)


def test_the_first_key_can_be_kept_with_others() -> None:
    first = decode_keys(json.dumps({"first": "R" * 64}))
    assert decode_keys(encode_keys(first)) == first


@each_row(
    ("damaged", "message"),
    [
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        (f'{{"keys": [{{"secret": "{SECRET}"', "it is not JSON"),
        ("[]", "it is not a JSON object"),
        ("null", "it is not a JSON object"),
        ('{"first": 1}', '"first" is not a string'),
        ('{"first": "short"}', "the secret of key first is shorter than 32 bytes"),
        ("{}", "its layout is not 1, which this version of Stratabase requires"),
        (document(GOOD, layout=2), "its layout is not 1, which this version of Stratabase requires"),
        (document(keys=None), 'its "keys" are not a list'),
        (document(keys={}), 'its "keys" are not a list'),
        (document(GOOD, GOOD), "two keys have the same id"),
        (document(GOOD, 5), 'key 1 requires an "id", a "secret" and a "since"'),
        (document({**GOOD, "id": ""}), 'key 0 requires an "id", a "secret" and a "since"'),
        (document({**GOOD, "since": True}), 'key 0 requires an "id", a "secret" and a "since"'),
        (document({**GOOD, "since": "5"}), 'key 0 requires an "id", a "secret" and a "since"'),
        (document({**GOOD, "secret": "é"}), "the secret of key 0 is not base64"),
        (document({**GOOD, "secret": "%%%"}), "the secret of key 0 is not base64"),
        (document({**GOOD, "secret": "c2VjcmV0"}), "the secret of key a is shorter than 32 bytes"),
    ],
)
def test_an_error_about_a_damaged_document_shows_no_secret(damaged: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text follows
        decode_keys(damaged)
    assert str(caught.value) == message
    assert caught.value.__cause__ is None


def test_bytes_that_are_not_utf_8_are_refused_as_damaged() -> None:
    with pytest.raises(ValueError, match="it is not JSON"):
        decode_keys(b"\xff\xfe{}")


@pytest.mark.soak
@given(st.binary() | st.from_regex(r"[\[\]{}:,\"a-z0-9]*").map(str.encode))
def test_any_other_text_is_refused_as_damaged(damaged: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of the texts above
        decode_keys(damaged)
