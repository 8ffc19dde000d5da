"""The functions of the service: one list, and imported one by one."""

import pytest

from classmark import service


def test_every_name_is_there():
    assert sorted(service._HOMES) == sorted(service.__all__)
    for name in service.__all__:
        assert getattr(service, name).__module__.startswith(f"classmark.{service._HOMES[name]}")


def test_other_names_do_not_exist():
    with pytest.raises(AttributeError, match=r"module 'classmark\.service' has no attribute 'method'"):
        service.method  # noqa: B018
