"""XML is well-formed for any text."""

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.http.base.body import render_xml


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cn")), max_size=50))
def test_ordinary_text_round_trips(text: str) -> None:
    assert (ET.fromstring(render_xml("a", {"b": text})).findtext("b") or "") == text


@given(st.text(alphabet=st.characters(), max_size=50))
def test_any_text_makes_a_well_formed_document(text: str) -> None:
    assert ET.fromstring(render_xml("a", {"b": text}, "urn:x")).tag == "{urn:x}a"


def test_characters_invalid_in_xml_are_replaced() -> None:
    assert ET.fromstring(render_xml("a", {"b": "x\x00\ud800\r\n"})).findtext("b") == "x\ufffd\ufffd\r\n"
