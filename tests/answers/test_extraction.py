from __future__ import annotations

import pytest

from semifactual.answers import Extraction, Found, extract


@pytest.mark.parametrize(
    ("response", "found", "text"),
    [
        (r"Thus \boxed{7}.", Found.BOXED, "7"),
        (r"\boxed{\frac{1}{\sqrt{2}}}", Found.BOXED, r"\frac{1}{\sqrt{2}}"),
        (r"\boxed{\{1,2\}}", Found.BOXED, r"\{1,2\}"),
        (r"\fbox{7}", Found.BOXED, "7"),
        (r"\boxed {7}", Found.BOXED, "7"),
        (r"\boxed 7", Found.BOXED, "7"),
        (r"\boxed{\boxed{7}}", Found.BOXED, "7"),
        ("\\boxed{\n7\n}", Found.BOXED, "\n7\n"),
        (r"First \boxed{6}; no: \boxed{7}", Found.BOXED, "7"),
        (r"Put it in \boxed{}: \boxed{7}", Found.BOXED, "7"),
        (r"\boxed{7} and again \boxed{7}", Found.BOXED, "7"),
        (r"\boxed{7}\boxed{7}", Found.BOXED, "7"),
        (r"\boxed{6 then \boxed{7}", Found.BOXED, "7"),
        (r"} stray, then \boxed{7}", Found.BOXED, "7"),
        (r"\boxed{7} and \boxed{", Found.TRUNCATED, ""),
        (r"\boxed{7", Found.TRUNCATED, ""),
        (r"\boxed{\frac{1}{2}", Found.TRUNCATED, ""),
        (r"\boxed{}", Found.EMPTY, ""),
        ("\\boxed{ \u200b }", Found.EMPTY, ""),
        (r"\boxed{7} no: \boxed{}", Found.EMPTY, ""),
        (r"\boxed{6}\boxed{7}", Found.SEVERAL, ""),
        (r"\boxed{6} or \boxed{7}", Found.SEVERAL, ""),
        (r"$\boxed{5}$, $\boxed{6}$, $\boxed{7}$", Found.SEVERAL, ""),
        (r"\boxed{5}\boxed{7}\boxed{7}", Found.SEVERAL, ""),
        ("The answer is 7.", Found.NONE, ""),
        ("", Found.NONE, ""),
    ],
)
def test_the_last_box_counts(response: str, found: Found, text: str) -> None:
    assert extract(response) == Extraction(found, text)


@pytest.mark.parametrize(
    ("response", "found", "text"),
    [
        ("The answer is 7.", Found.PHRASE, "7"),
        ("The answer is 6. No, the final answer is: **7**", Found.PHRASE, "7"),
        ("Work.\n#### 72", Found.PHRASE, "72"),
        ("We add.\n\n7\n", Found.PHRASE, "7"),
        ("7", Found.PHRASE, "7"),
        (r"The answer is 6, so \boxed{7}", Found.BOXED, "7"),
        (r"The answer is 7, so \boxed{", Found.TRUNCATED, ""),
        (
            "We add four numbers and then we stop without saying",
            Found.PHRASE,
            "We add four numbers and then we stop without saying",
        ),
        ("One line.\nAnd then quite a long closing line without any answer", Found.NONE, ""),
    ],
)
def test_phrases_count_only_when_asked_for(response: str, found: Found, text: str) -> None:
    assert extract(response, strict=False) == Extraction(found, text)


def test_a_repeated_prompt_is_cut_off() -> None:
    prompt = r"Is it \boxed{7}?"
    assert extract(prompt + " I cannot say.", prompt=prompt).found is Found.NONE
    assert extract(prompt + r" \boxed{8}", prompt=prompt).text == "8"
