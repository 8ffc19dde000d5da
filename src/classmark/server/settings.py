"""What a server is told: models, access, store and limits, in a form that its worker processes are given too."""

import os
import re
from collections.abc import Mapping, Sequence
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Self

import msgspec

from classmark.environment import SERVER
from classmark.errors import InputError
from classmark.service.batching.folders import folder_beside

PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What the name of a project may be: it stands in addresses."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one request, and all together, may take."""

    body: int = 16 << 20
    """The most bytes of a body."""
    texts: int = 1000
    """The most texts in a request."""
    length: int = 1_000_000
    """The most characters of a text."""
    explained: int = 100_000
    """The most characters of a text that is explained, which takes far longer than classifying it."""
    requests: int = 512
    """The most requests that are worked on at a time, by one worker."""
    seconds: float = 60.0
    """How long a request may take, its sending included."""
    upload: int = 200_000_000
    """The most bytes of a file that is brought as a batch."""
    upload_seconds: float = 3600.0
    """How long a file may take to come or to go, as long as something of it moves."""


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a server is told."""

    models: dict[str, str]
    """The models by the names of their projects: model files, or folders of live indexes."""
    host: str = "127.0.0.1"
    """The address to listen at."""
    port: int = 8000
    """The port; 0 takes one that is free."""
    workers: int = 1
    """How many processes answer."""
    trusted_proxies: tuple[str, ...] = ()
    """IP addresses and networks of proxies whose `X-Forwarded-Proto` and `X-Forwarded-For` headers are believed."""
    tokens: str | None = None
    """The file of tokens."""
    store: str = "classmark.sqlite"
    """Where corrections are kept: a file, or the URL of a database."""
    batches: str | None = None
    """The folder of batches; by default beside the store, or in the working folder where that is a database."""
    allow_learn: bool = False
    """Whether documents may be learned from."""
    open_reading: bool = False
    """Whether anybody may read who gets here, without a token."""
    log_texts: bool = False
    """Whether texts are logged."""
    figures: dict[str, str] = {}
    """How good models are: by project, a file that `evaluate --by-category --json` printed."""
    reports: dict[str, str] = {}
    """The reports of models: by project, a page that `classmark report` wrote."""
    descriptions: dict[str, str] = {}
    """Words about categories: by project, a file such as `nodes.tsv`."""
    train_from: dict[str, str] = {}
    """What models were trained on: by project, the data, and options of `classmark train` after it."""
    limits: Limits = Limits()
    """What requests may take."""

    @property
    def local(self) -> bool:
        """Whether the address can be reached from this machine alone."""
        return is_loopback(self.host)

    @property
    def batch_folder(self) -> Path:
        """Folder of the uploaded files: `batches`, or the default beside the store."""
        return folder_beside(self.store) if self.batches is None else Path(self.batches)

    def check(self) -> None:
        """Raise ValueError if the settings cannot be served, such as a public address without tokens."""
        for name in self.models:
            if not PROJECT.fullmatch(name):
                raise InputError(f"the name {name!r}: use letters, digits, '.', '_' and '-', as in NAME=MODEL")
        if not self.models:
            raise InputError("there is no model to serve; give one, or several as NAME=MODEL")
        if self.batch_folder.exists() and not self.batch_folder.is_dir():
            raise InputError(f"--batches {self.batch_folder}: not a folder; give the name of a folder")
        if not self.local and self.tokens is None and not self.open_reading:
            raise InputError(
                f"--host {self.host} can be reached from other machines; give --token-file, or --open-reading to let "
                "anybody read"
            )
        for proxy in self.trusted_proxies:
            try:
                ip_network(proxy)
            except ValueError as error:
                raise InputError(
                    f"--trusted-proxy {proxy!r}: must be an IP address or a network such as 10.0.0.0/8 ({error})"
                ) from None

    def to_environment(self) -> None:
        """Leave the settings where worker processes find them."""
        os.environ[SERVER] = msgspec.json.encode(self).decode()

    @classmethod
    def from_environment(cls) -> Self:
        """Take the settings that the process was started with."""
        return msgspec.json.decode(os.environ[SERVER], type=cls)


def is_loopback(host: str) -> bool:
    """Say whether an address is this machine's own, for itself alone.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def named_models(given: Sequence[str]) -> dict[str, str]:
    """Read models as they are given on the command line: a path, or a name, `=` and a path.

    >>> named_models(["news=models/reuters.classmark", "mesh.classmark"])
    {'news': 'models/reuters.classmark', 'mesh': 'mesh.classmark'}
    """
    found: dict[str, str] = {}
    for one in given:
        name, separator, path = one.partition("=")
        if not separator or not PROJECT.fullmatch(name) or Path(one).exists():
            name, path = Path(one).name.removesuffix(".classmark"), one
        if name in found:
            raise InputError(f"two models would be called {name!r}; give one another name: NAME={path}")
        found[name] = path
    return found


def for_projects(given: Sequence[str], models: Mapping[str, str], option: str) -> dict[str, str]:
    """Read what is given for projects: the name of one, `=` and a value; or the value alone, for the only one.

    >>> for_projects(["news=a.json"], {"news": "…", "mesh": "…"}, "--figures")
    {'news': 'a.json'}
    >>> for_projects(["a.json"], {"news": "…"}, "--figures")
    {'news': 'a.json'}
    """
    found: dict[str, str] = {}
    for one in given:
        name, separator, value = one.partition("=")
        if not separator or name not in models:
            if len(models) > 1:
                raise InputError(f"{option} {one}: say of which model, as in {next(iter(models))}={value or name}")
            name, value = next(iter(models), ""), one
        if name in found:
            raise InputError(f"{option}: {name} has two; give one")
        found[name] = value
    return found
