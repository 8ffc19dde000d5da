"""Table 2, Figures 2 and 3 of the path prediction paper; `figures` draws what `classmark reproduce --write` writes."""
