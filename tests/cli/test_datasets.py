import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from classmark.cli.main import main
from classmark.data import read_corpus
from classmark.data.sets import CATALOGUE
from tests.data.sets import test_reuters90 as reuters90
from tests.data.sets.archives import POSTS, small_newsgroups
from tests.data.sets.server import Site, free_port, serving

REAL = CATALOGUE["newsgroups20"].files[0]


@pytest.fixture
def root(tmp_path, monkeypatch) -> Path:
    """The folder of datasets, which does not exist yet, and no proxy between us and this machine."""
    folders = {"CLASSMARK_DATA": tmp_path / "datasets", "XDG_DATA_HOME": tmp_path / "share"}
    for variable, value in {**folders, "no_proxy": "127.0.0.1"}.items():
        monkeypatch.setenv(variable, str(value))
    return tmp_path / "datasets"


@pytest.fixture
def site(root) -> Site:
    with serving() as site:
        yield site


@pytest.fixture
def run(root, monkeypatch, capsys):
    """Run a command; give its exit code, output and errors."""

    def command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["classmark", "datasets", *arguments])
        monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
        with pytest.raises(SystemExit) as ended, warnings.catch_warnings():
            warnings.simplefilter("default")
            main()
        return ended.value.code, *capsys.readouterr()

    return command


@pytest.fixture
def newsgroups(site, monkeypatch) -> str:
    """The address of a server that has a small archive of 20 Newsgroups, which the catalogue knows."""
    source, site.files["20news-bydate.tar.gz"] = small_newsgroups()
    monkeypatch.setitem(CATALOGUE, "newsgroups20", source)
    return site.url


def one_line(errors: str) -> bool:
    return errors.startswith("classmark: ") and errors.count("\n") == 1


class TestList:
    def test_table_and_terms(self, run, root):
        code, output, errors = run("list")
        assert (code, errors) == (0, "")
        lines = [line.split() for line in output.splitlines()]
        assert lines[0] == ["name", "documents", "download", "here"]
        assert ["newsgroups20", "18,846", "14", "MB", "no"] in lines
        assert ["lshtc", "by", "hand", "no"] in lines
        assert "none stated" in output

    def test_what_is_here(self, run, root):
        for name in ("newsgroups20", "owls"):
            (root / name).mkdir(parents=True)
            (root / name / "docs.jsonl").write_text("")
        _, output, _ = run("list")
        lines = [line.split() for line in output.splitlines()]
        assert ["newsgroups20", "18,846", "14", "MB", "yes"] in lines
        assert ["owls", "yes"] in lines

    def test_json(self, run, root):
        (root / "owls").mkdir(parents=True)
        (root / "owls" / "docs.jsonl").write_text("")
        code, output, _ = run("list", "--json")
        rows = {row["name"]: row for row in json.loads(output)}
        assert code == 0
        assert set(rows) == {*CATALOGUE, "owls"}
        assert rows["owls"]["folder"] == str(root / "owls")
        assert rows["newsgroups20"]["bytes"] == 14_464_277
        assert rows["newsgroups20"]["folder"] is None


class TestPath:
    def test_folder(self, run, root):
        (root / "owls").mkdir(parents=True)
        (root / "owls" / "docs.jsonl").write_text("")
        assert run("path", "owls") == (0, f"{root / 'owls'}\n", "")

    def test_not_there(self, run):
        code, output, errors = run("path", "newsgroups20")
        assert (code, output) == (2, "")
        assert one_line(errors)
        assert "classmark datasets get newsgroups20 gets it" in errors

    def test_unknown(self, run):
        code, _, errors = run("path", "owls")
        assert code == 2
        assert re.search(r"owls: no such dataset.*none", errors)


class TestGet:
    def test_get_then_path_then_read(self, run, root, newsgroups):
        code, output, errors = run("get", "newsgroups20", "--base-url", newsgroups)
        assert (code, output) == (0, f"{root / 'newsgroups20'}\n")
        assert errors == f"terms of use: {CATALOGUE['newsgroups20'].terms}\n"
        assert run("path", "newsgroups20") == (0, output, "")
        corpus = read_corpus(output.strip())
        assert corpus.labels == [["comp.sys.mac.hardware"], ["rec.autos"], ["rec.autos"], ["rec.autos"]]
        assert corpus.splits == ["train", "train", "train", "test"]

    def test_again(self, run, newsgroups):
        run("get", "newsgroups20", "--base-url", newsgroups)
        code, _, errors = run("get", "newsgroups20", "--base-url", newsgroups)
        assert code == 0
        assert "newsgroups20 is already here; --force gets it again" in errors
        code, _, errors = run("get", "newsgroups20", "--base-url", newsgroups, "--force")
        assert (code, "already here" in errors) == (0, False)

    def test_to_and_from(self, run, tmp_path, newsgroups, site):
        (tmp_path / "20news-bydate.tar.gz").write_bytes(site.files["20news-bydate.tar.gz"])
        arguments = ("get", "newsgroups20", "--from", str(tmp_path), "--to", str(tmp_path / "here"))
        code, output, _ = run(*arguments)
        assert (code, output) == (0, f"{tmp_path / 'here' / 'newsgroups20'}\n")
        assert len(read_corpus(output.strip())) == len(POSTS)
        assert site.asked == []

    def test_a_file_without_a_published_checksum_is_told_of(self, run, newsgroups, monkeypatch):
        source = CATALOGUE["newsgroups20"]
        known = source.files[0].sha256
        file = replace(source.files[0], sha256=None, mirrors=())
        monkeypatch.setitem(CATALOGUE, "newsgroups20", replace(source, files=(file,)))
        code, _, errors = run("get", "newsgroups20", "--base-url", newsgroups)
        assert code == 0
        assert f"20news-bydate.tar.gz: no published checksum: its SHA-256 is {known}\n" in errors

    def test_another_file_by_hand_is_a_warning(self, run, tmp_path, newsgroups, site):
        (tmp_path / "20news-bydate.tar.gz").write_bytes(site.files["20news-bydate.tar.gz"] + b"\0")
        code, _, errors = run("get", "newsgroups20", "--from", str(tmp_path))
        assert code == 0
        assert "classmark: warning: " in errors
        assert "taken as it" in errors


class TestPapers:
    """The corpora of the papers from their originals, in real processes."""

    def get(self, *arguments):
        command = [sys.executable, "-m", "classmark", "datasets", "get", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)

    def test_reuters90_with_groups_of_a_file(self, root, tmp_path):
        raw = tmp_path / "raw"
        raw.mkdir()
        for name in reuters90.FILES:
            content = {"reut2-000.sgm": reuters90.FIRST, "reut2-001.sgm": reuters90.SECOND}.get(name, "")
            (raw / name).write_text(reuters90.HEAD + content, encoding="latin-1")
        (tmp_path / "groups.tsv").write_text(reuters90.GIVEN, encoding="utf-8")
        done = self.get("reuters90", "--from", raw, "--groups", tmp_path / "groups.tsv")
        assert (done.returncode, done.stdout) == (0, f"{root / 'reuters90'}\n")
        assert re.search(r"train has 8 documents, 7,770.*published corpus", done.stderr)
        assert "Traceback" not in done.stderr
        corpus = read_corpus(root / "reuters90")
        assert (corpus.splits.count("train"), corpus.splits.count("test")) == (8, 8)
        assert corpus.hierarchy.paths("gold") == [("hard", "gold")]
        (raw / "reut2-021.sgm").unlink()
        done = self.get("reuters90", "--from", raw, "--force")
        assert (done.returncode, done.stdout) == (2, "")
        words = "there is no file called reut2-021.sgm; give all 22, reut2-000.sgm to reut2-021.sgm"
        assert done.stderr == f"classmark: {words}\n"
        assert len(read_corpus(root / "reuters90")) == 16, "the old one stays"


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("get", "owls"), r"'owls'.*not in.*catalogue.*reuters21578, reuters90, newsgroups20"),
            (("get", "lshtc"), r"lshtc:.*Kaggle account"),
            (("get", "rcv1v2_months"), "rcv1v2_months: needs the dates"),
            (("get", "newsgroups20", "--from", "nowhere"), r"nowhere:.*no such folder"),
            (("get", "newsgroups20", "--groups", "groups.tsv"), "newsgroups20: has a hierarchy"),
            (
                ("get", "reuters90", "--groups", "nowhere.tsv"),
                r"nowhere\.tsv: no such file",
            ),
            (("get", "newsgroups20", "--base-url", "ftp://127.0.0.1"), "not a web"),
            (("get",), "Missing argument 'NAME'"),
            (("fetch",), "No such command 'fetch'"),
        ],
    )
    def test_asked_wrongly(self, run, arguments, says):
        code, output, errors = run(*arguments)
        assert (code, output) == (2, "")
        assert one_line(errors)
        assert re.search(says, errors)

    def test_not_found(self, run, site):
        code, _, errors = run("get", "newsgroups20", "--base-url", site.url)
        assert code == 1
        assert one_line(errors)
        assert "20news-bydate.tar.gz: the server answers 404 Not Found" in errors

    def test_refused(self, run):
        code, _, errors = run("get", "newsgroups20", "--base-url", f"http://127.0.0.1:{free_port()}")
        assert code == 1
        assert one_line(errors)
        assert "cannot be reached (Connection refused)" in errors

    def test_wrong_content(self, run, site, root):
        site.files["20news-bydate.tar.gz"] = bytes(REAL.size)
        code, _, errors = run("get", "newsgroups20", "--base-url", site.url)
        assert code == 1
        assert one_line(errors)
        assert REAL.sha256 in errors
        assert list((root / ".downloads" / "newsgroups20").iterdir()) == []

    def test_a_folder_that_is_no_dataset(self, run, root):
        (root / "newsgroups20").mkdir(parents=True)
        code, _, errors = run("get", "newsgroups20")
        assert code == 2
        assert "not a dataset" in errors

    def test_without_a_command_help(self, run):
        code, output, errors = run()
        assert (code, errors) == (0, "")
        assert "get" in output


def test_interrupted_it_goes_on_the_next_time(site, root):
    """A real process and a real signal: the part file stays, and the next process asks for the rest alone."""
    site.files[REAL.name], site.tags[REAL.name] = bytes(REAL.size), '"one"'
    site.stalls_after = 1_000_000
    command = [shutil.which("classmark", path=Path(sys.executable).parent), "datasets", "get", "newsgroups20"]
    command += ["--base-url", site.url]
    part = root / ".downloads" / "newsgroups20" / f"{REAL.name}.part"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not part.exists() or part.stat().st_size < 900_000:
            time.sleep(0.02)
            assert process.poll() is None, process.stderr.read()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
    assert (process.returncode, output) == (1, "")
    assert errors == "classmark: interrupted; the same command goes on from here\n"
    there = part.stat().st_size
    assert 900_000 <= there <= 1_000_000
    site.stalls_after = None
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert site.ranges() == [None, f"bytes={there}-"]
    assert done.returncode == 1
    assert REAL.sha256 in done.stderr, "a whole file of zeros is not the one"
