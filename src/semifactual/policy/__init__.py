"""Language models as policies: loading, prompts, generation, log-probs under many variants of a prompt."""
