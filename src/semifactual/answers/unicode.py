"""Characters that stand for others: widths, minus signs, superscripts, mathematical letters, invisible marks."""

from __future__ import annotations

import unicodedata

from .words import words

INVISIBLE = frozenset(
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""Zero-width characters and direction marks: dropped, so that they neither help nor hurt an answer."""

_SAME_AS = {
    **dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d", "-"),
    **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t\r\n", " "),
    **dict.fromkeys("\u2032\u2019\u02b9", "'"),
    **dict.fromkeys("\u2033\u201d\u201c", '"'),
    "×": r"\times ",
    "⋅": r"\cdot ",
    "·": r"\cdot ",
    "∙": r"\cdot ",
    "÷": r"\div ",
    "±": r"\pm ",
    "∓": r"\mp ",
    "≤": r"\le ",
    "⩽": r"\le ",
    "≥": r"\ge ",
    "⩾": r"\ge ",
    "≠": r"\ne ",
    "≈": r"\approx ",
    "∈": r"\in ",
    "∪": r"\cup ",
    "∩": r"\cap ",
    "∖": r"\setminus ",
    "∅": r"\emptyset ",
    "∞": r"\infty ",
    "√": r"\sqrt ",
    "∛": r"\sqrt[3]",
    "∠": r"\angle ",
    "°": r"^\circ ",
    "º": r"^\circ ",
    "→": r"\to ",
    "⇒": r"\Rightarrow ",
    "…": r"\ldots ",
    "ℝ": r"\mathbb{R}",
    "ℤ": r"\mathbb{Z}",
    "ℕ": r"\mathbb{N}",
    "ℚ": r"\mathbb{Q}",
    "ℂ": r"\mathbb{C}",
    "⟨": r"\langle ",
    "⟩": r"\rangle ",
    "⌊": r"\lfloor ",
    "⌋": r"\rfloor ",
    "⌈": r"\lceil ",
    "⌉": r"\rceil ",
    "∑": r"\sum ",
    "∏": r"\prod ",
    "∫": r"\int ",
    "\uff5b": r"\{",
    "\uff5d": r"\}",
    "：": ":",
    "\uff04": r"\$",
    "％": r"\%",
    "∶": ":",
    "\u2044": "/",
}

_GREEK_NAMES = words(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lamda mu nu xi pi rho sigma tau phi chi psi omega"
)
_SAME_AS |= {
    unicodedata.lookup(f"GREEK SMALL LETTER {name.upper()}"): f"\\{name.replace('lamda', 'lambda')} "
    for name in _GREEK_NAMES
}

_SAME_AS |= {
    unicodedata.lookup(f"GREEK CAPITAL LETTER {name.upper()}"): f"\\{name.replace('Lamda', 'Lambda')} "
    for name in words("Gamma Delta Theta Lamda Xi Pi Sigma Phi Psi Omega")
}
_DIGIT_NAMES = words("zero one two three four five six seven eight nine")
_SUPERSCRIPTS = {
    unicodedata.lookup(f"SUPERSCRIPT {name.upper()}"): str(digit) for digit, name in enumerate(_DIGIT_NAMES)
}
_SUPERSCRIPTS |= {"⁺": "+", "⁻": "-", "ⁿ": "n"}
_SUBSCRIPTS = {chr(0x2080 + digit): str(digit) for digit in range(10)}


def fold(text: str) -> str:
    """The text in the characters that the grammar knows.

    Decimal digits of any script become ASCII digits (other numerals, such as circled or Roman ones, do not); a run of
    superscripts becomes a power and a vulgar fraction a `\\frac`. Letters of other alphabets are kept as they are: a
    Cyrillic letter is not the Latin one that it resembles.
    """
    if text.isascii():
        return text.translate(_ASCII_SPACES)
    pieces: list[str] = []
    index = 0
    while index < len(text):
        char = text[index]
        for table, mark in ((_SUPERSCRIPTS, "^"), (_SUBSCRIPTS, "_")):
            if char in table:
                end = index
                while end < len(text) and text[end] in table:
                    end += 1
                pieces.append(mark + "{" + "".join(table[c] for c in text[index:end]) + "}")
                index = end
                break
        else:
            pieces.append(_fold_one(char))
            index += 1
    return "".join(pieces)


_ASCII_SPACES = str.maketrans("\t\r\n\x0b\x0c", "     ")


def _fold_one(char: str) -> str:
    if char < "\x80":
        return char.translate(_ASCII_SPACES)
    if char in INVISIBLE:
        return ""
    if char in _SAME_AS:
        return _SAME_AS[char]
    if unicodedata.category(char) == "Nd":
        return str(unicodedata.decimal(char))
    decomposed = unicodedata.decomposition(char)
    if decomposed.startswith("<fraction>"):
        top, _, bottom = unicodedata.normalize("NFKC", char).partition("\u2044")
        return rf"\frac{{{top}}}{{{bottom}}}" if bottom else char
    if decomposed.startswith(("<wide>", "<font>")):
        return _SAME_AS.get(plain := unicodedata.normalize("NFKC", char), plain)
    return char


_MEANINGLESS = frozenset(("Cc", "Cs", "Co", "Cn", "Mn", "Me"))


def is_readable(text: str) -> bool:
    """Whether the text holds no control characters, lone surrogates, private or combining characters.

    Such characters have no meaning in an answer; a text with them is refused, not repaired.
    """
    if text.isascii() and text.isprintable():
        return True
    return not any(unicodedata.category(char) in _MEANINGLESS and char not in "\t\r\n" for char in text)
