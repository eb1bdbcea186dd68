"""Are reworded sentences still the same problem? Numbers, relations, questions, clauses and actors, compared."""
