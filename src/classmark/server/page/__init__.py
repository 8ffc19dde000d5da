"""The page for people: templates, the texts of all languages (`catalogue.json`), styles and small scripts."""

from classmark.server.page.rendering import FLOWS, render

__all__ = ["FLOWS", "render"]
