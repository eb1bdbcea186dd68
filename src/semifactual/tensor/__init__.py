"""Pure functions on tensors: drift, stability, advantages, credit, losses. They know no model and no config."""
