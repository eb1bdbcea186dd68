"""What other trainers load from this package."""
