"""Table 2 and Figure 2 of the path prediction paper; `figures` draws what `classmark reproduce --write` has written."""
