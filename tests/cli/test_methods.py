import pytest

from classmark.registry import METHODS
from tests.encoders import every_method, settings_for


def test_every_method_has_a_line(run):
    lines = run("methods").out.splitlines()
    assert [line.split()[0] for line in lines] == list(METHODS)
    assert all(METHODS[line.split()[0]].summary in line for line in lines)


def test_the_summaries_stand_below_each_other(run):
    lines = run("methods").out.splitlines()
    (place,) = {line.index(METHODS[line.split()[0]].summary) for line in lines}
    assert place == max(map(len, METHODS)) + 2


@pytest.mark.parametrize("method", METHODS)
def test_the_descriptions_stand_below_each_other(run, method):
    _, *lines = run("methods", method).out.splitlines()
    (listed,) = run("methods", method, "--json").json
    pairs = zip(lines, listed["settings"], strict=True)
    assert len({line.rindex(setting["description"]) for line, setting in pairs}) == 1


def test_the_list_of_methods_imports_only_the_table(start):
    told = "import atexit, sys\natexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    process = start("methods", before=told, new=True)
    imported = process.communicate()[1].decode().split()
    assert process.returncode == 0
    assert "classmark.registry" in imported
    assert not {"numpy", "scipy", "sklearn", "numba"} & set(imported)


def test_json(run):
    listed = run("methods", "--json").json
    assert [method["name"] for method in listed] == list(METHODS)
    for method in listed:
        assert all(set(setting) == {"name", "default", "allowed", "description"} for setting in method["settings"])
        assert all(setting["description"] for setting in method["settings"])


def test_one_method(run):
    said = run("methods", "linear-svm").out
    assert said.startswith("linear-svm ")
    assert "  --set C=1.0 " in said
    assert "logistic" not in said
    assert [method["name"] for method in run("methods", "linear-svm", "--json").json] == ["linear-svm"]


@every_method
def test_what_is_shown_can_be_given_to_train(run, animals, method):
    own = settings_for(method)
    shown = [line.split()[:2] for line in run("methods", method).out.splitlines()[1:]]
    options = [word for pair in shown if pair[1].partition("=")[0] not in own for word in pair]
    assert options
    tiny = [word for name, value in own.items() for word in ("--set", f"{name}={value}")]
    run("train", animals, "-o", "plain", "-m", method, *tiny)
    run("train", animals, "-o", "spelled", "-m", method, *options, *tiny)
    plain, spelled = (run("predict", name, animals, "--scores").answers for name in ("plain", "spelled"))
    assert plain == spelled


def test_an_unknown_method(refused):
    assert "unknown method 'nonsense'" in refused("methods", "nonsense")
