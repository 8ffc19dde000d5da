"""Where datasets live, and how a name becomes a folder.

The folder that the environment variable `CLASSMARK_DATA` names is looked in first, then the user's own data folder as
the platform has it. Each holds dataset folders; a dataset's name is the name of its folder.
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from classmark.data.formats.dataset import is_dataset
from classmark.data.sets.catalogue import CATALOGUE
from classmark.environment import DATA

NAME = re.compile(r"\w[\w.+-]*")


def platform_folder(xdg: str, linux: Path, mac: Path, platform: str, environment: Mapping[str, str]) -> Path:
    """Give the user's folder for the files of this program of a kind, as the platform has it.

    Parameters
    ----------
    xdg : str
        The variable that names the folder for files of the kind, as the XDG specification has it.
    linux, mac : Path
        Where they are otherwise, below the user's home.
    platform : str
        What `sys.platform` says.
    environment : mapping
        The variables.
    """
    places = {"win32": ("LOCALAPPDATA", Path("AppData", "Local")), "darwin": ("", mac)}
    variable, usual = places.get(platform, (xdg, linux))
    given = Path(environment.get(variable, ""))
    # The XDG specification: a path that is not absolute is to be passed over.
    return (given if given.is_absolute() else Path.home() / usual) / "classmark"


def user_folder(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> Path:
    """Give the user's folder of datasets, as the platform has it.

    >>> user_folder("linux", {"XDG_DATA_HOME": "/data"}).as_posix()
    '/data/classmark/datasets'
    """
    linux, mac = Path(".local", "share"), Path("Library", "Application Support")
    return platform_folder("XDG_DATA_HOME", linux, mac, platform, environment) / "datasets"


def roots() -> list[Path]:
    """Give the folders that datasets are looked for in, the first first; new ones go to the first."""
    given = os.environ.get(DATA)
    return [*([Path(given)] if given else []), user_folder()]


def installed() -> dict[str, Path]:
    """Give every dataset there is, by name; of two with one name, the one that is found first."""
    found: dict[str, Path] = {}
    for root in filter(Path.is_dir, roots()):
        for folder in sorted(root.iterdir()):
            if NAME.fullmatch(folder.name) and is_dataset(folder):
                found.setdefault(folder.name, folder)
    return found


def find(name: str) -> Path:
    """Give the folder of a dataset.

    Raises
    ------
    FileNotFoundError
        If there is none of that name: one line that lists what there is, and how to get this one.
    """
    there = installed()
    if name in there:
        return there[name]
    if name in CATALOGUE:
        raise FileNotFoundError(
            f"{name}: not here yet; classmark datasets get {name} gets it (there is: {_listed(there)})"
        )
    raise FileNotFoundError(
        f"{name}: no such dataset; there is: {_listed(there)}; to be had with classmark datasets get:"
        f" {_listed(CATALOGUE)}"
    )


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(names) or "none"


def resolve(data: str) -> str:
    """Give the folder of a dataset where the data is named like one and no such file or folder exists.

    Anything else comes back as it is. The name of a corpus in the catalogue that is not here yet is refused, with the
    command that gets it.

    >>> resolve("no/such/folder"), resolve("-")
    ('no/such/folder', '-')
    """
    if not NAME.fullmatch(data) or Path(data).exists():
        return data
    return str(find(data)) if data in CATALOGUE or data in installed() else data
