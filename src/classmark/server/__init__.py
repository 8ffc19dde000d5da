"""The server: models at an address that other programs can ask, by Annif's interface and by our own."""

from classmark.server.application import create_app
from classmark.server.running import serve
from classmark.server.settings import Limits, ServerSettings, for_projects, named_models

__all__ = ["Limits", "ServerSettings", "create_app", "for_projects", "named_models", "serve"]
