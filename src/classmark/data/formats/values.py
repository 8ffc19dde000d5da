"""What a cell of JSON or Parquet may hold: ids, splits and labels, each of a known type or refused."""

from collections.abc import Collection
from typing import Any

from classmark.data.formats.records import check_field, check_id, check_label
from classmark.errors import InputError


def type_word(value: Any) -> str:
    """Name the JSON type of a value that is not the one asked for."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else f"a {type(value).__name__}")


def is_integer(value: Any) -> bool:
    """Say whether a value is a whole number; a bool is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def id_of(value: Any, where: str) -> str | None:
    """Give an id as a string, None where there is none."""
    if value is None:
        return None
    if not (isinstance(value, str) or is_integer(value)):
        raise InputError(f"{where}: the id is {type_word(value)}; write a string or an integer")
    return check_id(str(value), where)


def split_of(value: Any, where: str) -> str | None:
    """Give the name of a split, None where it is empty or missing."""
    if not isinstance(value, str | None):
        raise InputError(f"{where}: the split is {type_word(value)}; write its name as a string, or null")
    return value or None


def field_of(value: Any, name: str, where: str, there: Collection[str] = ()) -> str:
    """Give what stands in a column beside all others as a string; a list or an object is refused."""
    if isinstance(value, dict | list | bool):
        raise InputError(f"{where}: {name!r} is {type_word(value)}; write a string or a number")
    return check_field(None if value is None else str(value), name, where, there)


def label_of(value: Any, where: str) -> str:
    """Give a label as a string."""
    if isinstance(value, str):
        return check_label(value, where)
    if is_integer(value):
        return str(value)
    raise InputError(f"{where}: a label is {type_word(value)}; write labels as strings or integers")
