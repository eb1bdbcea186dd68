"""Versions of a problem that change its answer on purpose, each with the answer that it then has."""
