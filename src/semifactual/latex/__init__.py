"""Formulas by TeX's own rules, and when two of them are the same mathematics. Knows formulas, not texts."""
