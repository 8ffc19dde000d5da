"""A live index: what was acknowledged is there, whatever happens to the process or to the files."""

import os
import shutil
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classmark.neighbours import LiveIndex
from classmark.neighbours.manifest import LOCK, NAME
from classmark.text import TextSettings
from classmark.text.analyser import TermReader

PLAIN = TextSettings(stop_words=None, stemmer=None)
WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=6).map(" ".join)


@pytest.fixture
def index(tmp_path):
    """Five documents in one segment, one of them deleted."""
    live = LiveIndex.create(tmp_path / "index", text=PLAIN)
    live.add(list("12345"), ["a b", "c d", "e f", "g h", "a c"], [["x"], ["x", "y"], [], None, ["y"]])
    live.delete(["3"])
    return live


@settings(max_examples=40)
@given(
    st.lists(
        st.one_of(
            st.dictionaries(st.integers(0, 20).map(str), WORDS, max_size=8),
            st.sets(st.integers(0, 20).map(str), max_size=5),
            st.just("compact"),
        ),
        max_size=7,
    ),
    WORDS,
)
def test_any_history_equals_an_index_built_anew(tmp_path_factory, steps, query):
    folder = tmp_path_factory.mktemp("live")
    live, known = LiveIndex.create(folder, text=PLAIN), {}
    for step in steps:
        if step == "compact":
            live.compact()
        elif isinstance(step, dict):
            live.add(list(step), list(step.values()))
            known = {name: text for name, text in known.items() if name not in step} | step
        else:
            live.delete(step & set(known))
            known = {name: text for name, text in known.items() if name not in step}
    anew = LiveIndex.create(tmp_path_factory.mktemp("anew"), text=PLAIN)
    anew.add(list(known), list(known.values()))
    again = LiveIndex.open(folder)
    assert again.ids == live.ids == list(known)
    assert again.search([query], 30) == live.search([query], 30) == anew.search([query], 30)
    # The folder holds what the manifest names, and nothing else.
    assert {path.name for path in folder.iterdir()} == {NAME, LOCK, *live.manifest.files}
    again.verify()
    shutil.rmtree(folder)


def test_answers_have_ids_labels_and_the_scores_of_an_index(tmp_path):
    live = LiveIndex.create(tmp_path / "index", scoring="overlap", text=PLAIN)
    live.add(list("1234"), ["a b", "c d", "e f", "a c"], [["x"], ["x", "y"], None, ["y"]])
    found = live.search(["a c unknown", ""], 3)
    # Three features, "unknown" among them: two of them in document 4, one each in documents 1 and 2.
    assert found[0] == [
        ("4", float(np.float32(2 / (2 + 3 - 2))), ["y"]),
        ("1", 1 / (2 + 3 - 1), ["x"]),
        ("2", 1 / (2 + 3 - 1), ["x", "y"]),
    ]
    assert found[1] == []


def test_documents_may_be_features_and_come_again(index):
    index.add(["1", "9"], [{"a": 2.5}, {"z": 1}])
    assert index.ids == ["2", "4", "5", "1", "9"]
    assert [one.id for one in index.search([{"z": 1}])[0]] == ["9"]
    assert (len(index), index.n_terms) == (5, 9)


def test_writes_merge_segments_and_keep_their_number_low(tmp_path):
    live = LiveIndex.create(tmp_path / "index", text=PLAIN)
    for number in range(40):
        live.add([str(number)], [f"a w{number}"])
    assert len(live.manifest.segments) <= 6
    live.delete([str(number) for number in range(0, 40, 2)])
    assert live.info()["deleted"] == 20
    live.compact()
    assert (len(live.manifest.segments), live.info()["deleted"], len(live)) == (1, 0, 20)


def test_another_writer_is_seen_and_a_reader_keeps_what_it_opened(index):
    reader, other = LiveIndex.open(index.folder), LiveIndex.open(index.folder)
    other.add(["6"], ["z z"])
    other.compact()
    assert (len(reader), reader.search(["z"])[0]) == (4, [])
    reader.add(["7"], ["y"])
    assert LiveIndex.open(index.folder).ids == reader.ids == ["1", "2", "4", "5", "6", "7"]


def held_by_a_search(folder, n_terms):
    """The most bytes that a second search of an index of so many terms holds."""
    live = LiveIndex.create(folder, scoring="overlap", text=PLAIN)
    live.add(["1"], [{f"w{number}": 1 for number in range(n_terms)}])
    for _ in range(2):
        tracemalloc.start()
        found = live.search(["some words that it has not", {"w7": 1, "other": 1}])
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert [one.id for row in found for one in row] == ["1"]
    return most


def test_a_search_holds_as_much_for_any_vocabulary(tmp_path):
    small, large = held_by_a_search(tmp_path / "small", 1_000), held_by_a_search(tmp_path / "large", 100_000)
    # A copy of the larger vocabulary takes megabytes.
    assert large < small + 10_000


def test_searches_share_a_reader_of_text(index, monkeypatch):
    made, make = [], TermReader.__init__

    def count(self, analyser):
        made.append(self)
        make(self, analyser)

    monkeypatch.setattr(TermReader, "__init__", count)
    live = LiveIndex.open(index.folder)
    for _ in range(3):
        live.search(["a"])
    assert len(made) == 1
    live.add(["6"], ["z"])
    for _ in range(3):
        assert [one.id for one in live.search(["z"])[0]] == ["6"]
    assert len(made) == 2


def test_a_search_sees_one_state_whatever_another_thread_writes(tmp_path):
    """Every document is a letter, its id and its label, so that an answer shows when numbers are of another state."""
    letters = list("abcdefgh")
    live = LiveIndex.create(tmp_path / "index", text=PLAIN)
    live.add(letters, letters, [[letter] for letter in letters])
    wrong, done = [], threading.Event()

    def ask():
        while not done.is_set():
            for letter, found in zip(letters, live.search(letters), strict=True):
                wrong.extend((letter, one) for one in found if not letter == one.id == one.labels[0])

    threads = [threading.Thread(target=ask) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        for letter in "aeaeaeaeaeaeaeae":
            live.delete([letter])
            live.compact()
            live.add([letter], [letter], [[letter]])
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert wrong == []


WRITER = """
import sys
from classmark.neighbours import LiveIndex
live = LiveIndex.open(sys.argv[1])
number = 0
while True:
    number += 1
    live.add([f"n{number}"], [f"word{number} common"])
    if number % 5 == 0:
        live.delete([f"n{number - 2}"])
        print("deleted", number - 2, flush=True)
    print("added", number, flush=True)
"""


def acknowledged(lines):
    """What the writer said was done, as ids."""
    there = set()
    for line in lines:
        what, number = line.split()
        (there.add if what == "added" else there.discard)(f"n{number}")
    return there


@pytest.mark.parametrize("delay", [0.0, 0.013, 0.029])
def test_a_killed_writer_loses_nothing(index, delay):
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(index.folder)], stdout=subprocess.PIPE, text=True)
    lines = [process.stdout.readline() for _ in range(9)]
    time.sleep(delay)
    process.kill()
    lines += process.communicate()[0].splitlines()
    there = acknowledged(lines)
    after = LiveIndex.open(index.folder)
    found = {name for name in after.ids if name.startswith("n")}
    # What was not told of yet may be done or not: the next addition, and the deletion that follows a fifth one.
    following = 1 + max(int(line.split()[1]) for line in lines if line.startswith("added"))
    assert found - there <= {f"n{following}"}
    assert there - found <= ({f"n{following - 2}"} if following % 5 == 0 else set())
    assert {"1", "2", "4", "5"} <= set(after.ids)
    after.verify()
    assert after.add(["last"], ["z"]) == 1
    assert not list(index.folder.glob(".*.tmp"))


OLD_INDEX = Path(__file__).parents[1] / "models" / "index-without-idf"


def test_a_folder_that_names_no_idf_answers_as_it_did(tmp_path):
    """The folder was made before the idf could be chosen; its answers are those of then."""
    folder = shutil.copytree(OLD_INDEX, tmp_path / "index")
    live = LiveIndex.open(folder)
    assert live.info()["idf"] == "robertson"
    found = live.search(["sea wood", "sea cliff hoot", "wood wood fish stone"], 9)
    assert [[(one.id, one.labels) for one in row] for row in found] == [
        [],
        [("1", ["gull"]), ("2", ["owl"]), ("4", ["owl"])],
        [("6", ["gull"])],
    ]
    scores = [one.score for row in found for one in row]
    assert scores == pytest.approx(
        [1.1988147497177124, 0.6139397025108337, 0.5423355102539062, 1.381169319152832], rel=1e-6
    )
    live.add(["8"], ["sea stone"])
    again = LiveIndex.open(folder)
    assert (again.info()["idf"], again.search(["sea"])[0]) == ("robertson", [])


def test_a_new_folder_has_lucenes_idf_unless_another_is_asked_for(tmp_path):
    for name, parameters, idf, found in (("a", {}, "lucene", ["1"]), ("b", {"idf": "robertson"}, "robertson", [])):
        live = LiveIndex.create(tmp_path / name, text=PLAIN, **parameters)
        live.add(["1", "2"], ["owl", "gull"])
        again = LiveIndex.open(live.folder)
        assert again.info()["idf"] == idf
        assert [one.id for one in again.search(["owl"])[0]] == found


def test_a_full_disk_changes_nothing(index):
    before = {path.name: path.read_bytes() for path in index.folder.iterdir()}
    program = """
import resource, sys
from classmark.neighbours import LiveIndex
live = LiveIndex.open(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
try:
    live.add(["big"], [{f"w{number}": 1 for number in range(5000)}])
except OSError as error:
    print(type(error).__name__, str(error).count(chr(10)), live.ids)
"""
    done = subprocess.run([sys.executable, "-c", program, str(index.folder)], capture_output=True, text=True)
    assert done.stdout == "OSError 0 ['1', '2', '4', '5']\n", done.stderr
    assert {path.name: path.read_bytes() for path in index.folder.iterdir()} == before


def test_two_writers_at_a_time(index):
    import fcntl

    with (index.folder / LOCK).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(OSError, match="another process is writing to this index; try again"):
            index.delete(["1"])
    assert index.delete(["1"]) == 1


def damage(index, kind):
    """Do something to the files of an index."""
    segment, manifest = index.folder / index.manifest.segments[0], index.folder / NAME
    version = msgspec.json.encode({**msgspec.json.decode(manifest.read_bytes()), "format": 9})
    outside = msgspec.json.encode({**msgspec.json.decode(manifest.read_bytes()), "segments": ["../x"]})
    changes = {
        "truncated": lambda: os.truncate(segment, segment.stat().st_size // 2),
        "header": lambda: os.truncate(segment, 20),
        "empty": lambda: os.truncate(segment, 0),
        "missing": segment.unlink,
        "version": lambda: manifest.write_bytes(version),
        "manifest": lambda: os.truncate(manifest, 30),
        "outside": lambda: manifest.write_bytes(outside),
        "gone": manifest.unlink,
    }
    changes[kind]()


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("truncated", r"segment: not a classmark model, or a damaged one"),
        ("header", r"segment: not a classmark model, or a damaged one"),
        ("empty", r"segment: not a classmark model, or a damaged one"),
        ("missing", r"the index is damaged: .*segment: no such model file; build it again"),
        ("version", r"index format 9, this version of classmark reads 1; build it again"),
        ("manifest", r"the manifest is damaged \(.*\); build the index again"),
        ("outside", r"names files outside its folder"),
        ("gone", r"no index \(index.json is missing\); make one with classmark index create"),
    ],
)
def test_a_damaged_index_is_one_line(index, kind, message):
    damage(index, kind)
    with pytest.raises((ValueError, FileNotFoundError), match=message) as caught:
        LiveIndex.open(index.folder)
    assert "\n" not in str(caught.value)


def test_flipped_bits_are_found_when_asked_for(index):
    segment = index.folder / index.manifest.segments[0]
    data = bytearray(segment.read_bytes())
    data[-1] ^= 1
    segment.write_bytes(data)
    with pytest.raises(ValueError, match="the checksum does not fit"):
        LiveIndex.open(index.folder).verify()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda live: live.add(["a", "a"], ["x", "y"]), "the id 'a' is there twice"),
        (lambda live: live.add(["a"], ["x", "y"]), "1 ids for 2 documents and 1 lists of labels"),
        (lambda live: live.delete(["1", "3"]), "has no document '3' \\(1 of 2\\)"),
        (lambda live: LiveIndex.create(live.folder), "already there, and not an empty folder"),
        (lambda live: LiveIndex.create(live.folder / "new", scoring="cosine"), "scoring='cosine' is not known"),
        (lambda live: LiveIndex.create(live.folder / "new", idf="plain"), "idf='plain' is not known"),
        (lambda live: LiveIndex.create(live.folder / "new", text=TextSettings(language="elvish")), "language=elvish"),
        (lambda live: LiveIndex.open(live.folder / "nowhere"), "no index"),
    ],
)
def test_what_makes_no_sense_is_refused(index, call, message):
    before = {path: path.read_bytes() for path in Path(index.folder).iterdir()}
    with pytest.raises((ValueError, OSError), match=message):
        call(index)
    assert {path: path.read_bytes() for path in Path(index.folder).iterdir()} == before
