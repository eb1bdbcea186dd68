"""Two texts laid side by side."""

from hypothesis import given
from hypothesis import strategies as st

from semifactual.text.document import Document
from semifactual.validate.wording.alignment import CLOSE, Alignment

STORY = "Ada picks 12 ripe pears in the morning and sells 5 of them at the market for $2 each."


def aligned(original, rewrite):
    return Alignment(Document(original), Document(rewrite))


def test_a_text_is_all_kept_beside_itself():
    alignment = aligned(STORY, STORY)
    assert alignment.closeness == 1 and not alignment.changes and not alignment.lost and not alignment.gained


def test_a_moved_clause_loses_nothing():
    alignment = aligned(STORY, "In the morning, Ada picks 12 ripe pears and sells 5 of them at the market for $2 each.")
    assert alignment.closeness == 1 and not alignment.lost and not alignment.gained and alignment.changes


def test_another_number_in_the_same_surroundings_is_a_tight_change():
    (change,) = aligned(STORY, STORY.replace("12", "14")).changes
    assert [token.key for token in (*change.before, *change.after)] == ["#12", "#14"] and change.tight


def test_the_same_value_in_other_digits_is_no_change():
    assert not aligned(STORY, STORY.replace("12", "twelve")).changes


def test_inflections_and_plain_synonyms_are_no_change():
    assert not aligned("The kids buy a car.", "The child purchases a car.").gained


def test_a_text_of_its_own_is_not_close():
    assert (
        aligned(STORY, "A dozen fruits were gathered by Ada at dawn; customers later took 5 off her hands.").closeness
        < CLOSE
    )


def test_a_text_that_only_lost_its_end_is_close():
    assert aligned(STORY, "Ada picks 12 ripe pears in the morning.").closeness == 1


def test_long_texts_are_not_aligned_word_by_word():
    numbered = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}" for n in range(20_000))
    (change,) = aligned(numbered, numbered.replace("wordab", "other")).changes
    assert len(change.before) == 20_000


@given(st.text(max_size=120), st.text(max_size=120))
def test_the_changes_lead_from_the_one_text_to_the_other(before, after):
    alignment = aligned(before, after)
    assert 0 <= alignment.closeness <= 1
    changed = sum(len(change.after) - len(change.before) for change in alignment.changes)
    assert changed == len(alignment.after) - len(alignment.before)
