"""The routes, a file for each kind: Annif's own, those past it, reviewing, models, and the server's state."""
