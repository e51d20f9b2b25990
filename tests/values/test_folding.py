"""Folded texts are the same on every Python, and never change."""

import random
from hashlib import sha256
from itertools import product

from stratabase.values.folding import FOLDED, FOLDED_NO_ACCENTS, coarser, fold, fold_without_accents
from tests.values.folded_words import folded_words

CHARACTERS = "".join(map(chr, [*range(0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x20000)]))
"""All but the ideographs and the Hangul, most of which fold to themselves, and what is beyond them."""


def test_words_of_many_scripts_fold_as_listed() -> None:
    scripts = folded_words()
    words = [word for each in scripts.values() for word in each]
    assert len(scripts) >= 20
    assert len(words) >= 300
    assert [(each.written, fold(each.written)) for each in words] == [
        (each.written, each.folded) for each in words
    ]
    assert [(each.written, fold_without_accents(each.written)) for each in words] == [
        (each.written, each.without_accents) for each in words
    ]


def test_no_character_folds_in_another_way_than_in_unicode_14() -> None:
    """The hashes are those of Python 3.11, and also those of later versions, which know more characters."""
    apart = "\n".join(CHARACTERS)
    assert sha256(fold(apart).encode()).hexdigest() == (
        "cbe71c4af1b079d26b0c638dd55983db75ffd38cfda8fb61a822d1eb82916c54"
    )
    assert sha256(fold_without_accents(apart).encode()).hexdigest() == (
        "2ec0adc417553ad56d5e3cad402bad08538cdfbc0621bbb7d2849c26f245543a"
    )


def test_no_sequence_of_characters_folds_in_another_way_than_in_unicode_14() -> None:
    chance = random.Random(5)
    texts = "\n".join("".join(chance.choices(CHARACTERS[:0x3000], k=6)) for _ in range(50_000))
    assert sha256(fold(texts).encode()).hexdigest() == (
        "251b0d7492d0031c389e6bc1353997cd45f2af233ad43b8e4b681d2aa8b147d9"
    )
    assert sha256(fold_without_accents(texts).encode()).hexdigest() == (
        "3a5e78dc169d98ce81d96dcb0ed8e28f55134ed187fbde095dad53c60c656c9f"
    )


def test_a_folded_text_folds_to_itself() -> None:
    words = [word.written for each in folded_words().values() for word in each]
    for text in [*CHARACTERS[:0x3000], *words, *map("".join, product(words[::9], words[::11]))]:
        assert fold(fold(text)) == fold(text)
        assert fold_without_accents(fold_without_accents(text)) == fold_without_accents(text)


def test_a_long_text_folds_like_its_parts() -> None:
    words = [word for each in folded_words().values() for word in each]
    apart = [(each.written, fold(each.written), fold_without_accents(each.written)) for each in words]
    written, folded, plain = (" ".join(each) for each in zip(*apart, strict=True))
    assert fold(written) == folded
    assert fold_without_accents(written) == plain


def test_many_marks_in_any_order_are_sorted() -> None:
    marks = 1000
    in_order, mixed = "a" + "\u0316" * marks + "\u0301" * marks, "a" + "\u0301\u0316" * marks
    assert fold(mixed) == fold(in_order) == fold("a" + "\u0301" * marks + "\u0316" * marks)
    assert fold(mixed).startswith("\u00e1\u0316\u0316")
    assert fold_without_accents(mixed) == "a"


def test_the_coarser_of_two_foldings_is_the_one_that_ignores_more() -> None:
    assert coarser(None, FOLDED, FOLDED_NO_ACCENTS, FOLDED) is FOLDED_NO_ACCENTS
    assert coarser(None, FOLDED) is FOLDED
    assert coarser(None, None) is None
