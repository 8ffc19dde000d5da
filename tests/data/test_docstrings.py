import os
import subprocess
import sys
import types
import zlib

import pytest

from classmark.data import Corpus, load_docstrings
from classmark.data.docstrings import PACKAGES, _distinct, _entries, _exports


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_docstrings()


def module_of(name: str, **namespace: object) -> types.ModuleType:
    module = types.ModuleType(name)
    vars(module).update(namespace)
    return module


def function_of(module: str, docstring: str | None) -> object:
    def function() -> None: ...

    function.__module__ = module
    function.__doc__ = docstring
    return function


def test_size(corpus):
    assert len(corpus) >= 2500
    assert len({label for labels in corpus.labels for label in labels}) >= 80


def test_ids_are_sorted_and_distinct(corpus):
    assert corpus.ids == sorted(set(corpus.ids))


def test_texts_begin_with_the_name_and_are_distinct(corpus):
    texts = dict(zip(corpus.ids, corpus.documents, strict=True))
    assert all(text.split("\n", 1)[0] == name.removeprefix(f"{category}.") for name, (category,), text in rows(corpus))
    assert all(len(text.split("\n", 1)[1]) >= 80 for text in texts.values())
    assert len({text.split("\n", 1)[1] for text in texts.values()}) == len(texts)


def rows(corpus: Corpus) -> list[tuple[str, list[str], str]]:
    return list(zip(corpus.ids, corpus.labels, corpus.documents, strict=True))


def test_every_document_has_one_category_of_the_hierarchy(corpus):
    assert all(len(labels) == 1 and labels[0] in corpus.hierarchy for labels in corpus.labels)
    assert all(name.startswith(f"{labels[0]}.") for name, labels, _ in rows(corpus))


def test_the_hierarchy_is_package_subpackage_module(corpus):
    tops = [corpus.hierarchy.names[node] for node in corpus.hierarchy.tops]
    assert tops == list(PACKAGES)
    assert corpus.hierarchy.is_tree
    assert ("scipy", "scipy.stats", "scipy.stats.mstats") in corpus.hierarchy.paths("scipy.stats.mstats")


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("numpy.add", "numpy"),
        ("numpy.linalg.svd", "numpy.linalg"),
        ("numpy.ndarray.sort", "numpy"),
        ("scipy.special.gamma", "scipy.special"),
        ("scipy.stats.norm", "scipy.stats"),
        ("sklearn.svm.LinearSVC", "sklearn.svm"),
        ("sklearn.ensemble.RandomForestClassifier", "sklearn.ensemble"),
    ],
)
def test_objects_everybody_knows(corpus, name, category):
    assert corpus.labels[corpus.ids.index(name)] == [category]


def test_splits_are_a_fixed_quarter(corpus):
    expected = ["test" if zlib.crc32(name.encode()) % 4 == 0 else "train" for name in corpus.ids]
    assert corpus.splits == expected
    assert 0.2 < corpus.splits.count("test") / len(corpus) < 0.3


def test_two_calls_agree(corpus):
    assert load_docstrings() == corpus


def test_two_processes_agree():
    code = "import classmark, zlib; print(zlib.crc32(str(classmark.load_docstrings().documents).encode()))"
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_no_private_or_foreign_or_testing_module(corpus):
    parts = {part for name in corpus.hierarchy.names for part in str(name).split(".")}
    assert not any(part.startswith("_") for part in parts)
    assert not parts & {"tests", "conftest", "setup", "externals", "f2py", "experimental"}


def test_no_warning_escapes_in_a_fresh_process():
    code = "from classmark.data import load_docstrings; load_docstrings()"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_python_without_docstrings_is_refused():
    code = "from classmark.data import load_docstrings; load_docstrings()"
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("which takes the docstrings away; run it without")


def test_exports_honour_all():
    inner, outer = function_of("numpy._inner", "x"), function_of("collections", "x")
    module = module_of("numpy.some", __all__=["inner", "outer", "lazy", "_inner"], inner=inner, outer=outer, more=inner)
    assert list(_exports(module)) == [("inner", inner)]


def test_exports_without_all_are_what_the_module_defines():
    own, imported = function_of("numpy.some", "x"), function_of("numpy.other", "x")
    below = function_of("numpy.some._below", "x")
    module = module_of("numpy.some", own=own, imported=imported, below=below, _private=own)
    assert list(_exports(module)) == [("below", below), ("own", own)]


def test_a_shim_exports_nothing_and_is_not_asked():
    def warn(name: str) -> object:
        raise AssertionError(name)

    assert list(_exports(module_of("scipy.shim", __all__=["old"], __getattr__=warn))) == []


def test_entries_are_documented_once_and_methods_follow_their_class():
    long = "x" * 80

    class Known:
        __doc__ = long + "1"
        __module__ = "numpy.some"

        def method(self) -> None: ...

        def _private(self) -> None: ...

        value = property(lambda self: 1, doc=long + "2")

    Known.method.__doc__ = long + "3"
    Known._private.__doc__ = long + "4"
    documented, short = function_of("numpy.some", long), function_of("numpy.some", "x" * 79)
    bare = function_of("numpy.some", None)
    module = module_of("numpy.some", Known=Known, a=documented, alias=documented, b=short, c=bare, d=Known())
    assert [entry.name for entry in _entries([module])] == ["Known", "Known.method", "a"]


def test_the_first_of_equal_docstrings_stays():
    twins = [module_of(name, f=function_of(name, "x" * 80)) for name in ("numpy", "numpy.some")]
    assert [entry.category for entry in _distinct(_entries(twins))] == ["numpy"]
