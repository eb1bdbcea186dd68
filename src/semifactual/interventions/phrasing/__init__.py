"""Rewording by patterns: phrases with slots, matched over a text's spans, that never touch what is frozen."""
