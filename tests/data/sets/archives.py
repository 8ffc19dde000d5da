"""Small archives in the shape of the real ones."""

import hashlib
import io
import tarfile
from dataclasses import replace

from classmark.data.sets import CATALOGUE, Source

POSTS = {
    "20news-bydate-train/comp.sys.mac.hardware/50412": "Subject: caf\xe9\r\n\r\nmy Mac is hot\r\n",
    "20news-bydate-train/rec.autos/101550": "Subject: cars\n\nmy car is hot\n",
    "20news-bydate-train/rec.autos/9999": "Subject: old cars\n\nit is cold\n",
    "20news-bydate-test/rec.autos/102986": "Subject: tyres\n\nround\n",
}


def tar_gz(files: dict[str, str]) -> bytes:
    """Pack texts, in Latin-1."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            content = text.encode("latin-1")
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def small_newsgroups() -> tuple[Source, bytes]:
    """An archive like the one of 20 Newsgroups, and the catalogue's entry with its size and checksum."""
    content = tar_gz(POSTS)
    source = CATALOGUE["newsgroups20"]
    file = replace(source.files[0], size=len(content), sha256=hashlib.sha256(content).hexdigest())
    return replace(source, files=(file,)), content
