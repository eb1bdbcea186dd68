"""Does an inserted sentence interact with its problem? What it counts, names and refers to."""
