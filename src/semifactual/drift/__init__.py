"""Drift of a model's tokens under semifactual prompts: the log-prob tensor, its measures, the report."""
