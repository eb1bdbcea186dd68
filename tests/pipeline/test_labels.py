"""What the values of a column of labels mean."""

from __future__ import annotations

import pytest

from semifactual.errors import ConfigError, SourceError
from semifactual.pipeline.labels import USUALLY_CHANGED, USUALLY_KEPT, LabelOptions, Side, read_labels

KEPT, CHANGED = Side.KEPT, Side.CHANGED


@pytest.mark.parametrize(("words", "side"), [(USUALLY_KEPT, KEPT), (USUALLY_CHANGED, CHANGED)])
def test_the_usual_words_need_no_options(words: tuple[str, ...], side: Side) -> None:
    written = [*words, f"{words[3]}.0", *(f" {word.title()}" for word in words)]
    assert read_labels("label", written, LabelOptions()).sides == dict.fromkeys(sorted(written), side)


@pytest.mark.parametrize(
    ("options", "sides", "left_out"),
    [
        (LabelOptions(keeps=["a"]), {"a": KEPT, "b": CHANGED, "c": CHANGED}, ()),
        (LabelOptions(changes=["a", "b"]), {"a": CHANGED, "b": CHANGED, "c": KEPT}, ()),
        (LabelOptions(keeps=["c"], changes=["a"]), {"c": KEPT, "a": CHANGED}, ("b",)),
    ],
)
def test_what_was_said_decides_and_the_rest_follows(
    options: LabelOptions, sides: dict[str, Side], left_out: tuple[str, ...]
) -> None:
    labels = read_labels("sort", "abc", options)
    assert (labels.sides, labels.left_out) == (sides, left_out)
    assert labels.values(KEPT) == [value for value, side in sides.items() if side is KEPT]


def test_an_unknown_label_is_named_with_all_that_were_found() -> None:
    with pytest.raises(SourceError, match="the label 'odd' in the field mine is unknown") as caught:
        read_labels("mine", ["valid", "odd"] + [f"x{n}" for n in range(90)], LabelOptions())
    assert "the field holds: 'odd', 'valid', 'x0'" in caught.value.message
    assert caught.value.message.endswith("and 72 more")


def test_a_value_that_does_not_occur_is_a_misspelling() -> None:
    with pytest.raises(SourceError, match="no row has 'vaild' in the field mine") as caught:
        read_labels("mine", ["valid", "odd"], LabelOptions(keeps=["vaild"]))
    assert caught.value.hint == "it holds: 'odd', 'valid'"


def test_a_value_means_one_thing() -> None:
    with pytest.raises(ConfigError, match="'a' cannot mean both"):
        read_labels("mine", "ab", LabelOptions(keeps=["a"], changes=["a", "b"]))
