import msgspec
import pytest

from classmark.service import listing, results


def test_settings_have_defaults_and_words():
    (svm,) = listing.methods("linear-svm")
    settings = {setting.name: setting for setting in svm.settings}
    assert settings["C"].default == 1
    assert settings["stemmer"].default == "language"
    assert all(setting.description for setting in svm.settings)


def test_all_of_them_are_plain_data():
    listed = results.plain(listing.methods())
    assert msgspec.json.decode(msgspec.json.encode(listed)) == listed
    assert len(listed) > 1


def test_an_unknown_one():
    with pytest.raises(ValueError, match="unknown method 'nonsense'"):
        listing.methods("nonsense")
