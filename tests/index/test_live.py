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

from classmark.index import LiveIndex
from classmark.index import live as live_module
from classmark.index.manifest import LOCK, NAME, checksum_of
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


def test_all_that_are_there_are_found_some_queries_at_a_time(index, monkeypatch):
    found = index.search(["a", "b", "c", "h"], 2**31)
    assert [[one.id for one in row] for row in found] == [["1", "5"], ["1"], ["2", "5"], ["4"]]
    monkeypatch.setattr(live_module, "ENTRIES_AT_A_TIME", 10)
    assert index.search(["a", "b", "c", "h"], 2**31) == found
    for k in (0, -1):
        with pytest.raises(ValueError, match="give numbers from 1"):
            index.search(["a"], k)


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


def test_compacting_leaves_no_word_of_a_deleted_document(tmp_path):
    live = LiveIndex.create(tmp_path / "index", text=PLAIN)
    live.add(["1", "2"], ["a b", "a secretword"])
    live.add(["2"], ["a c"])
    # Merged away, but its words still have their columns, whatever documents have them.
    assert live.terms == ["a", "b", "secretword", "c"]
    live.delete(["1"])
    live.compact()
    assert live.terms == LiveIndex.open(live.folder).terms == ["a", "c"]
    assert not any(b"secretword" in path.read_bytes() for path in live.folder.iterdir())
    writes = live.manifest.writes
    live.compact()
    assert live.manifest.writes == writes
    live.add(["3"], ["secretword b"])
    assert [found.id for found in live.search(["b secretword"])[0]] == ["3"]


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
    assert after.add(["last"], ["z"]).added == 1
    assert {path.name for path in index.folder.iterdir()} == {NAME, LOCK, *after.manifest.files}


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
    fields = msgspec.json.decode(manifest.read_bytes())

    def rewrite(**changes):
        """Write another manifest, as one who can compute a checksum."""
        changed = {name: value for name, value in (fields | changes).items() if name != "checksum"}
        manifest.write_bytes(msgspec.json.encode(changed | {"checksum": checksum_of(changed)}))

    def exchange():
        """Put one whole file in the place of another."""
        index.add(["6"], ["a a"])
        one, other = (index.folder / name for name in index.manifest.segments)
        content = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(content)

    changes = {
        "truncated": lambda: os.truncate(segment, segment.stat().st_size // 2),
        "header": lambda: os.truncate(segment, 20),
        "empty": lambda: os.truncate(segment, 0),
        "missing": segment.unlink,
        "bit": lambda: flip(segment, -1),
        "bit in the manifest": lambda: flip(manifest, manifest.read_bytes().index(b"deleted")),
        "exchanged": exchange,
        "version": lambda: rewrite(format=9),
        "manifest": lambda: os.truncate(manifest, 30),
        "outside": lambda: rewrite(segments=["../x"]),
        "twice": lambda: rewrite(segments=fields["segments"] * 2),
        "measure": lambda: rewrite(scoring="cosine"),
        "text": lambda: rewrite(text={"language": "elvish"}),
        "gone": manifest.unlink,
    }
    changes[kind]()


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("truncated", "segment: not a classmark"),
        ("header", "segment: not a classmark"),
        ("empty", "segment: not a classmark"),
        ("missing", r"the index is damaged: .*segment: no such model file; build it again"),
        ("bit", r"segment:.*checksum.*not fit"),
        ("bit in the manifest", r"index.json: the checksum does not fit, the manifest is damaged"),
        ("exchanged", r"segment: another file than the one that was written"),
        ("version", r"index format 9, this version of classmark reads 1; build it again"),
        ("manifest", r"manifest is damaged \(.*"),
        ("outside", r"index.json: the manifest names '../x', which is no file of an index; build the index again"),
        ("twice", r"index.json: the manifest names '.*segment' 2 times; build the index again"),
        ("measure", r"index.json: scoring='cosine' is not known"),
        ("text", r"index.json: .*language=elvish"),
        ("gone", r"no index \(index.json is missing\); make one with classmark index create"),
    ],
)
def test_a_damaged_index_is_one_line(index, kind, message):
    damage(index, kind)
    with pytest.raises((ValueError, FileNotFoundError), match=message) as caught:
        LiveIndex.open(index.folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "write",
    [
        lambda live: live.verify(),
        lambda live: live.compact(),
        lambda live: live.add(["6", "7", "8"], ["a", "b", "c"]),
    ],
)
def test_a_file_that_was_damaged_since_it_was_opened_is_not_merged(index, write):
    flip(index.folder / index.manifest.segments[0], -1)
    before = {path: path.read_bytes() for path in index.folder.iterdir()}
    with pytest.raises(ValueError, match=r"segment:.*checksum.*not fit"):
        write(index)
    assert {path: path.read_bytes() for path in index.folder.iterdir()} == before


def flip(path, place):
    """Change one bit of a file, in its place."""
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def test_a_manifest_without_checksums_is_read_and_has_them_after_a_write(index):
    manifest = index.folder / NAME
    old = msgspec.json.decode(manifest.read_bytes())
    for name in ("checksum", "checksums", "numbered"):
        del old[name]
    manifest.write_bytes(msgspec.json.encode(old))
    live = LiveIndex.open(index.folder)
    live.add(["6", "7", "8"], ["a", "b", "c"])
    assert set(live.manifest.checksums) == set(live.manifest.files)
    assert LiveIndex.open(index.folder).ids == ["1", "2", "4", "5", "6", "7", "8"]


def test_documents_without_an_id_get_numbers_that_no_other_has_or_had(index):
    assert index.add(None, ["a", "b"]) == (2, 0, ["#1", "#2"])
    index.delete(["#2"])
    index.add(["#4"], ["c"])
    other = LiveIndex.open(index.folder)
    assert other.add([None, "1", None], ["d", "e", "f"]) == (2, 1, ["#3", "1", "#5"])
    assert index.add([None], ["g"]).ids == ["#6"]
    assert index.ids == ["2", "4", "5", "#1", "#4", "#3", "1", "#5", "#6"]


def test_what_is_left_of_a_killed_process_goes_with_the_next_write(index):
    for name in (".tmpAbCdEf", ".x.segment.12345678.classmark.tmp", "00000009-0.segment", "notes.txt"):
        (index.folder / name).touch()
    index.delete(["1"])
    assert {path.name for path in index.folder.iterdir()} == {NAME, LOCK, "notes.txt", *index.manifest.files}


def test_a_folder_whose_making_was_killed_is_taken_for_a_new_one(tmp_path):
    for name in (LOCK, ".index.json.12345678.classmark.tmp"):
        (tmp_path / name).touch()
    LiveIndex.create(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {NAME, LOCK}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda live: live.add(["a", "a"], ["x", "y"]), "the id 'a' is there twice"),
        (lambda live: live.add([1], ["x"]), "the id 1 is not a string; write '1'"),
        (lambda live: live.add(["a"], ["x"], ["owl"]), r"the labels 'owl'.*not a list.*\['owl'\]"),
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
