from __future__ import annotations

import json
from typing import Any

import pytest

from semifactual.llm.forms import Form, Unusable, build_text, reply_schema
from semifactual.llm.placeholders import mask
from semifactual.llm.prompts import form_of
from semifactual.text.document import Document

STORY = "A baker packs 4 boxes. How many rolls has the baker?"


def built(form: Form, value: Any, text: str = STORY) -> str:
    document = Document(text)
    return build_text(form, value, document, mask(document))


@pytest.mark.parametrize(
    ("form", "value", "expected"),
    [
        (Form.TEXT, {"text": "⟦M1⟧ boxes?"}, "4 boxes?"),
        (Form.ENDING, {"ending": " Velvet is velvet. "}, f"{STORY} Velvet is velvet."),
        (Form.FRAME, {"frame": "On a page:", "place": "before"}, f"On a page: {STORY}"),
        (Form.FRAME, {"frame": "As told,", "place": "before"}, f"As told, a{STORY[1:]}"),
        (Form.FRAME, {"frame": "So it goes.", "place": "behind"}, f"{STORY} So it goes."),
        (Form.SLIP, {"word": "packs", "misspelt": "pakcs"}, STORY.replace("packs", "pakcs")),
        (Form.MARKS, {"marks": ["⟦M1⟧ four"]}, STORY.replace("4", "four")),
    ],
)
def test_what_a_model_hands_in_becomes_a_text(form: Form, value: dict[str, str], expected: str) -> None:
    assert built(form, value) == expected


def test_a_name_keeps_its_capital_behind_a_frame() -> None:
    assert built(Form.FRAME, {"frame": "As told,", "place": "before"}, "Mia eats.") == "As told, Mia eats."


def test_an_ending_behind_an_option_or_a_formula_gets_a_line() -> None:
    assert built(Form.ENDING, {"ending": "Hm."}, "Pick: (A) 1 (B) 2") == "Pick: (A) 1 (B) 2\nHm."
    assert built(Form.ENDING, {"ending": "Hm."}, "Find $x$.\n") == "Find $x$.\nHm."


@pytest.mark.parametrize(
    ("form", "value", "check", "evidence"),
    [
        (Form.TEXT, "⟦M1⟧ boxes?", "reply", "valid dictionary"),
        (Form.TEXT, {"text": 3}, "reply", "text: Input should be a valid string"),
        (Form.TEXT, {"text": "⟦M1⟧", "note": "x"}, "reply", "note: Extra inputs"),
        (Form.TEXT, {"text": "boxes?"}, "placeholders", "⟦M1⟧ is missing"),
        (Form.TEXT, {"text": "⟦M1⟧" + "x" * 3000}, "reply", "characters came back"),
        (Form.ENDING, {"ending": "  "}, "reply", "empty"),
        (Form.ENDING, {"ending": "⟦M1⟧ again."}, "placeholders", "nothing of the text"),
        (Form.FRAME, {"frame": "On a page:", "place": "inside"}, "reply", "place: Input should be"),
        (Form.SLIP, {"word": "cats", "misspelt": "cast"}, "reply", "no ordinary word"),
        (Form.MARKS, {"marks": []}, "reply", "marks: List should have at least 1 item"),
        (Form.MARKS, {"marks": ["four"]}, "placeholders", "'four' is no known placeholder"),
        (Form.MARKS, {"marks": ["⟦M9⟧ four"]}, "placeholders", "is no known placeholder"),
        (Form.MARKS, {"marks": ["⟦M1⟧ four", "⟦M1⟧ 4"]}, "placeholders", "is no known placeholder"),
        (Form.MARKS, {"marks": ["⟦M1⟧ "]}, "placeholders", "is no known placeholder"),
        (Form.MARKS, {"marks": ["⟦M1⟧ 4 ⟦M2⟧"]}, "placeholders", "is no known placeholder"),
        (Form.SLIP, {"word": "packs", "misspelt": "pa cks"}, "reply", "not one word"),
    ],
)
def test_what_makes_no_text_is_refused_by_name(form: Form, value: Any, check: str, evidence: str) -> None:
    with pytest.raises(Unusable) as refused:
        built(form, value)
    assert refused.value.check == check
    assert evidence in refused.value.evidence


def test_the_white_space_around_a_text_is_kept() -> None:
    assert built(Form.TEXT, {"text": "⟦M1⟧ boxes?"}, " 4 boxes!\n") == " 4 boxes?\n"


def test_the_schema_is_what_strict_servers_take() -> None:
    schema = json.loads(reply_schema((("paraphrase", Form.TEXT), ("scenario_wrap", Form.FRAME))))
    assert schema["required"] == ["paraphrase", "scenario_wrap"]
    for part in (schema, *schema["properties"].values()):
        assert part["additionalProperties"] is False
        assert sorted(part["properties"]) == sorted(part["required"])
    assert "$ref" not in json.dumps(schema)


def test_kinds_from_elsewhere_hand_in_the_whole_text() -> None:
    assert form_of("polite") is Form.TEXT
    assert form_of("typo_noise") is Form.SLIP
