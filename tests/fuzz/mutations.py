"""Mutations of files: damage, which must be found, and lies with a right checksum, which must do no harm."""

import random
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from safetensors.numpy import load as tensors_of
from safetensors.numpy import save as as_safetensors

from classmark.index.manifest import NAME, checksum_of
from classmark.persistence import Header, _checksum
from tests.fuzz.subjects import Files

Random = random.Random
ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 7, 2**31, 2**63, -(2**63), 2**200, 0.5, -0.5, 1e-300, 1e308, -1e308),
    *("", "x", "auto", "é\0\n", "a" * 1000, "../x", [], [1], ["x", "x"], [[]], {}, {"x": 1}, {"$array": "x"}),
]
EXTREMES = (0, 1, -1, 2**31 - 1, 2**62, -(2**62), 0.5, np.nan, np.inf, -np.inf, 1e308, 1e-308)
KINDS = ("?", "i1", "u1", "i2", "i4", "i8", "u8", "f2", "f4", "f8")


# Damage: nobody has computed a new checksum.


def flip(rng: Random, content: bytes) -> bytes:
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :]


def set_byte(rng: Random, content: bytes) -> bytes:
    place = rng.randrange(len(content))
    return content[:place] + bytes([rng.randrange(256)]) + content[place + 1 :]


def cut(rng: Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content))]


def extend(rng: Random, content: bytes) -> bytes:
    return content + rng.randbytes(rng.randrange(1, 100))


def blank(rng: Random, content: bytes) -> bytes:
    start, stop = piece(rng, content)
    return content[:start] + bytes(stop - start) + content[stop:]


def repeat(rng: Random, content: bytes) -> bytes:
    start, stop = piece(rng, content)
    return content[:stop] + content[start:]


def leave_out(rng: Random, content: bytes) -> bytes:
    start, stop = piece(rng, content)
    return content[:start] + content[stop:]


def move(rng: Random, content: bytes) -> bytes:
    start, stop = piece(rng, content)
    rest, place = content[:start] + content[stop:], rng.randrange(len(content))
    return rest[:place] + content[start:stop] + rest[place:]


def start_anew(rng: Random, content: bytes) -> bytes:
    """Change the first bytes, which say how long the header of a safetensors file is."""
    return rng.choice([rng.randrange(2**63), rng.randrange(200), 2**64 - 1]).to_bytes(8, "little") + content[8:]


def piece(rng: Random, content: bytes) -> tuple[int, int]:
    start = rng.randrange(len(content))
    return start, min(len(content), start + rng.choice([1, 8, 64, 512]))


DAMAGE: list[Callable[[Random, bytes], bytes]] = [
    *(flip, flip, flip, set_byte, cut, extend, blank, repeat, leave_out, move, start_anew),
]


def damage_a_file(rng: Random, files: Files) -> Files:
    name = rng.choice([name for name in files if files[name]])
    return {**files, name: rng.choice(DAMAGE)(rng, files[name])}


def exchange_files(rng: Random, files: Files) -> Files:
    """Exchange two files of a folder, put one in the place of another, rename one or take one away."""
    one, other = rng.sample(sorted(files), 2)
    rest = {name: content for name, content in files.items() if name != one}
    return rng.choice(
        [
            {**files, one: files[other], other: files[one]},
            {**files, one: files[other]},
            {**rest, "other": files[one]},
            rest,
        ]
    )


def change_the_manifest(rng: Random, files: Files) -> Files:
    fields = msgspec.json.decode(files[NAME])
    checksum = fields.pop("checksum")
    changed = with_names_changed(rng, fields) if rng.random() < 0.3 else changed_somewhere(rng, fields)
    return {**files, NAME: msgspec.json.encode(changed | {"checksum": checksum})}


# Lies: the checksums are those of what is there.


def lie_in_a_file(rng: Random, files: Files) -> Files:
    """Change what a model or a segment says, sign it, and tell the manifest."""
    name = rng.choice([name for name in files if name not in (NAME, "index.lock")])
    content, checksum = signed_again(rng, files[name])
    changed = {**files, name: content}
    if NAME in files:
        fields = msgspec.json.decode(files[NAME])
        fields["checksums"][name] = checksum
        changed[NAME] = signed_manifest(fields)
    return changed


def lie_in_the_manifest(rng: Random, files: Files) -> Files:
    fields = msgspec.json.decode(files[NAME])
    return {
        **files,
        NAME: signed_manifest(
            with_names_changed(rng, fields) if rng.random() < 0.3 else changed_somewhere(rng, fields)
        ),
    }


def signed_manifest(fields: dict[str, Any]) -> bytes:
    unsigned = {name: value for name, value in fields.items() if name != "checksum"}
    return msgspec.json.encode(unsigned | {"checksum": checksum_of(unsigned)})


def signed_again(rng: Random, content: bytes) -> tuple[bytes, str]:
    length = int.from_bytes(content[:8], "little")
    about = msgspec.json.decode(content[8 : 8 + length])["__metadata__"]["classmark"]
    header, arrays = msgspec.json.decode(about, type=Header), tensors_of(content)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        if arrays and rng.random() < 0.6:
            name = rng.choice(sorted(arrays))
            arrays[name] = rng.choice(OF_ARRAYS)(rng, arrays[name])
        else:
            header.state = changed_somewhere(rng, header.state)
    header.checksum = _checksum(header, arrays)
    return as_safetensors(arrays, {"classmark": msgspec.json.encode(header).decode()}), header.checksum


def changed_somewhere(rng: Random, state: dict[str, Any]) -> dict[str, Any]:
    """Change one value, key or length, however deep in plain data."""
    copy: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(state))
    place: Any = copy
    while place:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = rng.choice(keys)
        inner = place[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.8:
            place = inner
            continue
        rng.choice(OF_ENTRIES)(rng, place, key)
        break
    return copy


def put_odd(rng: Random, place: Any, key: Any) -> None:
    place[key] = rng.choice(ODD)


def put_near(rng: Random, place: Any, key: Any) -> None:
    """Change a value a little, or put another one of its kind there."""
    value = place[key]
    if isinstance(value, str):
        place[key] = value[:-1] if rng.random() < 0.5 else value + value
    elif isinstance(value, int | float):
        place[key] = rng.choice([value + 1, value - 1, -value, value * 10**6, float(value)])
    else:
        place[key] = rng.choice(ODD)


def take_away(rng: Random, place: Any, key: Any) -> None:
    del place[key]


def put_twice(rng: Random, place: Any, key: Any) -> None:
    if isinstance(place, list):
        place.append(place[key])
    else:
        place[f"{key}2"] = place[key]


def put_deep(rng: Random, place: Any, key: Any) -> None:
    """Nest a value in lists, deeper than anybody does."""
    for _ in range(200):
        place[key] = [place[key]]


OF_ENTRIES: list[Callable[[Random, Any, Any], None]] = [
    *(put_odd, put_odd, put_near, put_near, take_away, put_twice, put_deep),
]


def with_names_changed(rng: Random, fields: dict[str, Any]) -> dict[str, Any]:
    """Name other files: in another order, one twice, one left out, none deleted, one instead of another."""
    segments, deleted = fields["segments"], fields["deleted"]
    return rng.choice(
        [
            fields | {"segments": segments[::-1]},
            fields | {"segments": segments + segments[:1]},
            fields | {"segments": segments[1:]},
            fields | {"deleted": None},
            fields | {"deleted": segments[0]},
            fields | {"segments": [*segments, deleted]},
        ]
    )


def set_entries(rng: Random, array: Any) -> Any:
    if not array.size:
        return array
    flat = array.ravel().copy()
    with np.errstate(all="ignore"):
        value = np.array(rng.choice(EXTREMES)).astype(array.dtype)
    flat[[rng.randrange(flat.size) for _ in range(rng.choice([1, 1, 3, flat.size]))]] = value
    return flat.reshape(array.shape)


def shift(rng: Random, array: Any) -> Any:
    return np.roll(array, 1) if rng.random() < 0.5 else array[::-1].copy()


def resize(rng: Random, array: Any) -> Any:
    if not array.ndim or not array.size:
        return np.zeros(3, array.dtype)
    return rng.choice(
        [array[:-1], array[:0], np.concatenate([array, array[-1:]]), np.tile(array, 3), array[None]]
    ).copy()


def retype(rng: Random, array: Any) -> Any:
    with np.errstate(all="ignore"):
        return array.astype(rng.choice(KINDS))


OF_ARRAYS: list[Callable[[Random, Any], Any]] = [set_entries, set_entries, set_entries, shift, resize, retype]


def mutate(rng: Random, files: Files) -> tuple[Files, str, bool]:
    """Give other files, what was done, and whether it was signed: then other answers are allowed."""
    is_index = NAME in files
    kinds: list[tuple[Callable[[Random, Files], Files], bool]] = [
        *((damage_a_file, False), (lie_in_a_file, True)),
        *(((exchange_files, False), (change_the_manifest, False), (lie_in_the_manifest, True)) if is_index else ()),
    ]
    change, signed = rng.choice(kinds)
    return change(rng, files), change.__name__, signed
