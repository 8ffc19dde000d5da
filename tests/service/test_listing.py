import msgspec
import pytest

from classmark import service


def test_settings_have_defaults_and_words():
    (svm,) = service.methods("linear-svm")
    settings = {setting.name: setting for setting in svm.settings}
    assert settings["C"].default == 1
    assert settings["stemmer"].default == "language"
    assert all(setting.description for setting in svm.settings)


def test_all_of_them_are_plain_data():
    listed = service.plain(service.methods())
    assert msgspec.json.decode(msgspec.json.encode(listed)) == listed
    assert len(listed) > 1


def test_an_unknown_one():
    with pytest.raises(ValueError, match="unknown method 'nonsense'"):
        service.methods("nonsense")
