"""Table 2 and Figures 2 and 3 of the path prediction paper; `figures` plots written results."""
