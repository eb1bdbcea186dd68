"""A dataset's way to others: exports for trainers, the data card, the Hub."""
