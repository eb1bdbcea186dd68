"""Validated semifactual rewrites of problems, token drift under them, and SCAPO training."""

__version__ = "0.1.0"
