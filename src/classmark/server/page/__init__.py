"""The page for people: templates, the texts of all languages (`catalogue.json`), styles and small scripts."""

from classmark.server.page.rendering import FLOWS, render
from classmark.server.page.static import static_file

__all__ = ["FLOWS", "render", "static_file"]
