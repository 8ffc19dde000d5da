"""What doctor finds: of this installation, and of ones where something is wrong."""

from importlib import metadata

import pytest

import classmark
from classmark.service import checkup as module
from classmark.service.checkup import PARTS, Finding, Requirement, caught, doctor
from classmark.service.results import plain


def by_name(findings):
    return {one.name: one for one in findings}


@pytest.fixture(scope="module")
def checkup():
    return doctor()


def test_this_installation_is_well(checkup):
    assert [one for one in checkup.findings if one.state == "failed"] == []
    assert checkup.failed == 0
    assert list(dict.fromkeys(one.part for one in checkup.findings)) == [*PARTS, "self-test"]


def test_versions_and_extras_are_those_of_the_package(checkup):
    found = by_name(checkup.findings)
    assert found["numpy"].said == metadata.version("numpy")
    assert found["classmark"].said.startswith(f"{classmark.__version__} in ")
    extras = {one.extra for one in module.requirements() if one.extra}
    assert extras == set(metadata.metadata("classmark").get_all("Provides-Extra"))
    assert extras <= set(found)


@pytest.mark.parametrize(
    ("written", "least", "extra"),
    [
        ("numba<0.69,>=0.60", "0.60", None),
        ("uvicorn[standard]>=0.30; extra == 'serve'", "0.30", "serve"),
        ("dask; extra == 'dask'", None, "dask"),
    ],
)
def test_requirements_reads_minimum_beside_upper_bound(monkeypatch, written, least, extra):
    monkeypatch.setattr(module.metadata, "requires", lambda _: [written])
    [requirement] = module.requirements()
    assert (requirement.least, requirement.extra) == (least, extra)


def test_the_self_test_says_how_good_each_method_is(checkup):
    tested = [one for one in checkup.findings if one.part == "self-test"]
    assert [one.name for one in tested] == ["linear-svm", "nb", "mp-boost"]
    assert all("hF 0." in one.said for one in tested)


def test_every_state_is_in_json(checkup):
    assert {one["state"] for one in plain(checkup)["findings"]} <= {"ok", "absent", "warning"}


def test_the_self_test_can_be_left_out(monkeypatch):
    monkeypatch.setattr("classmark.service.checkup.PARTS", {})
    assert doctor(test=False).findings == []


def test_a_figure_that_is_wrong_fails(monkeypatch):
    monkeypatch.setattr(module, "TRIALS", {"nb": ({}, 0.1, 0.01)})
    (found,) = module.self_test()
    assert (found.state, found.name) == ("failed", "nb")
    assert found.said.startswith("hF is 0.")
    assert found.said.endswith("and should be 0.1 ± 0.01")
    assert "reinstall" in found.remedy


def test_a_look_that_breaks_off_is_a_failure():
    def broken():
        yield Finding(part="birds", name="owl", said="hoots")
        raise OSError("no such\nbird")

    first, second = caught("birds", broken)
    assert (first.state, second.state, second.said) == ("ok", "failed", "OSError: no such bird")


def test_an_old_package_and_one_that_is_not_there(monkeypatch):
    needed = [Requirement("numpy", "999.1", None), Requirement("no-such-owl", "1", None)]
    monkeypatch.setattr(module, "requirements", lambda: needed)
    found = by_name(module.versions())
    assert (found["numpy"].state, found["numpy"].remedy) == ("failed", "pip install 'numpy>=999.1'")
    assert (found["no-such-owl"].state, found["no-such-owl"].said) == ("failed", "not installed")


def test_an_extra_that_is_not_there(monkeypatch):
    monkeypatch.setattr(module, "requirements", lambda: [Requirement("no-such-owl", None, "excel")])
    found = by_name(module.extras())["excel"]
    assert (found.state, found.said) == ("absent", "without no-such-owl")
    assert found.remedy == "pip install 'classmark[excel]'"


class TestCores:
    def test_machine_limited_container_shows_allowed_of_all_cores(self, monkeypatch):
        monkeypatch.setattr(module, "n_cores", lambda: 2)
        monkeypatch.setattr(module.os, "cpu_count", lambda: 64)
        cores = by_name(module.machine())["cores"]
        assert (cores.state, cores.said) == ("ok", "2 of 64")

    def test_little_memory(self, monkeypatch):
        monkeypatch.setattr(module, "available_memory", lambda: 2.0**29)
        found = by_name(module.machine())["memory"]
        assert (found.state, found.said) == ("warning", "0.5 GiB free for this process")


class TestPlaces:
    def test_off(self, monkeypatch):
        monkeypatch.setenv("CLASSMARK_CACHE", "off")
        assert by_name(module.caches())["vectors"].state == "absent"

    def test_a_folder_that_cannot_be_written(self, monkeypatch, tmp_path):
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("CLASSMARK_DATA", str(tmp_path / "file" / "below"))
        found = by_name(module.caches())["datasets"]
        assert found.state == "warning"
        assert "cannot be written" in found.said
        assert "CLASSMARK_DATA" in found.remedy

    def test_kernels_that_are_not_kept(self, monkeypatch):
        monkeypatch.setattr(module, "first_from", len)
        found = by_name(module.caches())["kernels"]
        assert (found.state, found.remedy) == ("warning", "set NUMBA_CACHE_DIR to a writable folder")
