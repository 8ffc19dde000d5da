"""Six texts, two each of an owl, a gull and an oak, and what may be asked about."""

TEXTS = [
    "The owl hoots at night, and hoots again.",
    "At night an owl hunts mice.",
    "The gull cries over the sea.",
    "A gull follows the ships at sea.",
    "The oak grows acorns.",
    "An old oak, tall and broad.",
]
QUERIES = ["Who hoots at night?", "Ships on the sea", "acorns", "nothing known here", ""]
