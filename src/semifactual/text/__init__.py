"""Typed spans, sentences and edits, all by character offset into the original string."""
