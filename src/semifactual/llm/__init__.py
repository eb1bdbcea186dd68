"""Rewrites, judgements and solutions asked of any OpenAI-compatible server; nothing that comes back is trusted."""
