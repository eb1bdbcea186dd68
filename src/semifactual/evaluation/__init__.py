"""Accuracy and what follows from it: pass@k, intervals, runs side by side."""
