import json
import os
import re
import signal
import stat
import sys
from pathlib import Path

import pytest

from classmark import TextClassifier

OWL = b'{"id": "a", "text": "hoots at night", "labels": ["owl"]}\n'
GULL = b'{"id": "b", "text": "cries over the sea", "labels": ["gull"]}\n'
REPORTING = """
from classmark.progress import listening
def listen(what, done, total):
    if (what, done) == ("{what}", {number}):
        print(total, flush=True)
context = listening(listen)
context.__enter__()
"""
"""What a process runs first that says when it is at work: how much there is to do, once so much of it is done."""


class TestOutput:
    def test_what_it_says(self, run, animals):
        said = run("train", animals, "-o", "model", "--json").json
        assert said.pop("language") in ("english", "none that is known: words are not stemmed")
        assert said | {"seconds": 0, "bytes": 0, "terms": 0} == {
            "model": "model",
            "method": "linear-svm",
            "documents": 9,
            "categories": 8,
            "terms": 0,
            "decision": "threshold,value=0.0,consistency=close,otherwise=nearest",
            "because": "9 labelled documents are too few to learn another one from",
            "seconds": 0,
            "bytes": 0,
        }
        assert said["bytes"] == Path("model").stat().st_size
        assert said["terms"] > 0
        assert said["seconds"] > 0

    def test_same_input_same_bytes(self, run, animals):
        for name, more in (("a", []), ("b", []), ("c", ["--jobs", "2"])):
            run("train", animals, "-o", name, "--seed", "3", *more)
        assert Path("a").read_bytes() == Path("b").read_bytes() == Path("c").read_bytes()

    def test_a_new_model_replaces_the_old_one(self, run, animals, trained):
        Path("model").write_text("an old model")
        run("train", animals, "-o", "model")
        assert Path("model").read_bytes() == trained
        assert set(Path().iterdir()) == {Path("animals"), Path("model")}

    def test_what_a_link_points_to_is_replaced(self, run, animals, trained):
        Path("current").symlink_to("model")
        run("train", animals, "-o", "current")
        assert Path("current").is_symlink()
        assert Path("model").read_bytes() == trained

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
    def test_a_model_is_as_readable_as_any_file(self, run, animals):
        Path("other").touch()
        run("train", animals, "-o", "model")
        assert stat.S_IMODE(Path("model").stat().st_mode) == stat.S_IMODE(Path("other").stat().st_mode)

    @pytest.mark.parametrize("output", ["missing/model", "animals", "", "animals/docs.jsonl/model"])
    def test_a_place_that_cannot_be_written_is_found_out_first(self, refused, animals, monkeypatch, output):
        monkeypatch.setattr("classmark.service.training.fit", lambda *_: pytest.fail("it trained"))
        assert "folder" in refused("train", animals, "-o", output)

    @pytest.mark.parametrize("output", ["animals/docs.jsonl", "animals/hierarchy.tsv", "names.tsv"])
    def test_what_is_read_is_not_written_over(self, refused, animals, hierarchy, output):
        Path("names.tsv").write_text(hierarchy)
        said = refused("train", animals, "-o", output, "--hierarchy", "names.tsv")
        assert re.search(rf"{re.escape(str(output))}:.*then replaced", said)

    def test_a_table_is_not_replaced_by_the_model_of_it(self, refused):
        Path("docs.csv").write_text("text,labels\nhoots,owl\nswims,cod\n")
        assert re.search(r"docs\.csv:.*then replaced", refused("train", "docs.csv", "-o", "docs.csv"))

    def test_a_pipe_is_not_replaced_by_a_file(self, refused, animals):
        os.mkfifo("pipe")
        assert "pipe: not a regular" in refused("train", animals, "-o", "pipe")
        assert Path("pipe").is_fifo()


class TestSplits:
    @pytest.fixture
    def three(self, folder, documents):
        for document in documents[:2]:
            document["split"] = "train-extra"
        return folder("three", documents)

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            ([], 7),
            (["--split", "train,train-extra"], 9),
            (["--split", "train, train-extra, test"], 15),
            (["--split", "test"], 6),
        ],
    )
    def test_splits(self, run, three, options, expected):
        assert run("train", three, "-o", "model", "--json", *options).json["documents"] == expected

    def test_everything_where_there_are_none(self, run, folder, documents):
        for document in documents:
            del document["split"]
        assert run("train", folder("whole", documents), "-o", "model", "--json").json["documents"] == 15

    def test_an_unknown_split(self, refused, three):
        said = refused("train", three, "-o", "model", "--split", "train,dev")
        assert re.search(r"no document.*split 'dev'; there is 'test', 'train', 'train-extra'", said)

    def test_no_document_in_the_usual_split(self, refused, folder, documents):
        name = folder("untrained", [document for document in documents if document["split"] == "test"])
        assert re.search(r"no document.*split 'train'; there is 'test'", refused("train", name, "-o", "model"))


class TestSettings:
    @pytest.mark.parametrize(
        ("decision", "described"),
        [
            ("threshold,value=0.2", r"threshold\b.*,value=0\.2\b"),
            ("threshold,consistency=filter", r"threshold\b.*,consistency=filter\b"),
            ("best-path", r"best-path"),
            ("tuned", r"tuned\b.*,value=-?0\.\d+"),
        ],
    )
    def test_decision(self, run, animals, decision, described):
        said = run("train", animals, "-o", "model.classmark", "--json", "--decision", decision).json["decision"]
        assert re.match(described, said)
        assert run("info", "model.classmark", "--json").json["decision"] == said

    def test_a_threshold_that_nothing_reaches(self, run, animals):
        run("train", animals, "-o", "model", "--decision", "threshold,value=100")
        assert all(answer["labels"] == [] for answer in run("predict", "model", animals).answers)

    def test_best_path_answers_for_everything_with_one_path(self, run, animals):
        run("train", animals, "-o", "model", "--decision", "best-path")
        answers = run("predict", "model", animals, "--leaves").answers
        assert [len(answer["labels"]) for answer in answers] == [1] * 6

    def test_the_best_path_is_usual_where_every_document_has_one_label(self, run, folder, documents):
        name = folder("single", [document for document in documents if len(document["labels"]) == 1])
        assert run("train", name, "-o", "model", "--json").json["decision"] == "best-path"

    def test_set_and_seed_are_kept(self, run, animals):
        run("train", animals, "-o", "m.classmark", "--set", "C=10", "--set", "stemmer=none", "--seed", "7")
        info = run("info", "m.classmark", "--json").json
        assert (info["settings"], info["seed"]) == ({"C": "10", "stemmer": "none"}, 7)
        assert info["text"]["stemmer"] is None

    @pytest.mark.parametrize("written", ["no", "No", "false", "0"])
    def test_truth_values(self, run, animals, written):
        run("train", animals, "-o", "model", "--set", f"lowercase={written}")
        assert run("info", "model", "--json").json["text"]["lowercase"] is False

    def test_a_language_with_a_stemmer_alone(self, run, animals):
        run("train", animals, "-o", "model", "--set", "language=danish", "--set", "stop_words=none")
        assert run("info", "model", "--json").json["text"]["language"] == "danish"

    def test_a_language_with_neither(self, run, animals):
        settings = ["language=klingon", "stop_words=none", "stemmer=none"]
        run("train", animals, "-o", "model", *(word for setting in settings for word in ("--set", setting)))

    def test_set_changes_the_model(self, run, animals):
        terms = [
            run("train", animals, "-o", "model", "--json", "--set", f"ngrams={most}").json["terms"] for most in (1, 2)
        ]
        assert terms[0] < terms[1]

    @pytest.mark.parametrize("method", ["linear-svm", "logistic", "majority"])
    def test_methods(self, run, animals, method):
        assert run("train", animals, "-o", "model", "-m", method, "--json").json["method"] == method
        assert run("evaluate", "model", animals, "--json").json["documents"] == 6

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["-m", "nonsense"], "unknown method 'nonsense'"),
            (["--set", "nonsense=1"], "method 'linear-svm' has no setting 'nonsense'; its settings: C, "),
            (["--set", "C=much"], "setting C=much: must be a number > 0"),
            (["--set", "C=-1"], "setting C=-1: must be a number > 0"),
            (["--set", "C"], "--set C: write it as name=value"),
            (["--set", "weighting=nonsense"], "setting weighting=nonsense: must be one of tfidf, counts, binary"),
            (["--set", "lowercase=perhaps"], "setting lowercase=perhaps: must be yes or no"),
            (
                ["--set", "language=danish", "--set", "stop_words=language"],
                "language=danish: it has a stemmer, but no stop words here; set stop_words=",
            ),
            (["--set", "language=klingon"], r"language=klingon: must be auto.*one of arabic, "),
            (["--set", "language=klingon"], "yiddish; for any other set stop_words=none and stemmer=none"),
            (["--set", "stemmer=klingon"], r"setting stemmer=klingon: must be language.*one of arabic, "),
            (["--set", "stop_words=danish"], r"stop_words=danish: must be language.*one of dutch, english, "),
            (["--set", "token_pattern=("], r"token_pattern='\('.*no regular expression"),
            (["--set", "min_df=100"], "min_df=100"),
            (["--decision", "nonsense"], r"unknown decision 'nonsense'.*auto, threshold, tuned"),
            (["--decision", "threshold,level=1"], "decision 'threshold' has no setting 'level'"),
            (["--decision", "threshold,value=high"], "decision 'threshold', setting value=high"),
            (["--decision", "threshold,value=nan"], "value=nan"),
            (["--decision", "threshold,consistency=none"], "consistency=none.*close, filter"),
            (["--select", "nonsense"], "unknown selection 'nonsense'.*information-gain, chi-square"),
            (["--select", "chi-square,top=3"], "selection 'chi-square' has no setting 'top'.*globalise, n_terms"),
            (["--select", "chi-square,share=2"], "share=2.*> 0 and <= 1"),
            (["--jobs", "0"], "jobs=0"),
            (["--jobs", "0", "-m", "majority"], "jobs=0"),
            (["--seed", "-1"], "'--seed'"),
            (["--seed", "luck"], "'--seed'"),
            (["--hierarchy", "missing.tsv"], r"missing\.tsv:.*no such hierarchy"),
            (["--empty-labels", "nonsense"], "empty_labels='nonsense'.*'unlabelled' or 'nowhere'"),
            (["--unknown-labels", "nonsense"], "--unknown-labels='nonsense'.*'error' or 'drop'"),
            (
                ["--path-separator", ""],
                r"path_separator is empty.*path_separator out",
            ),
            (["--path-columns", "a,b", "--label-column", "c"], "path_columns and label_column are both given"),
            (["--path-columns", "a,b"], r"columns of.*this is dataset"),
            (["--kind", "nonsense"], "no format 'nonsense'; name one of dataset,"),
            (["--text-column", "nonsense"], r"docs\.jsonl:1:.*document has no 'nonsense'"),
        ],
    )
    def test_a_wrong_option(self, refused, animals, options, words):
        assert re.search(words, refused("train", animals, "-o", "model", *options))

    @pytest.mark.parametrize(
        "options",
        [["--decision", "nonsense"], ["--select", "nonsense"], ["--set", "language=klingon"]],
        ids=["decision", "selection", "language"],
    )
    def test_a_wrong_option_is_found_out_before_anything_is_read(self, refused, animals, monkeypatch, options):
        monkeypatch.setattr("classmark.service.training.read", lambda *_: pytest.fail("it read"))
        refused("train", animals, "-o", "model", *options)


class TestSelection:
    def test_a_selection_makes_the_vocabulary_smaller(self, run, animals):
        whole, small = (
            run("train", animals, "-o", name, "--json", *options).json["terms"]
            for name, options in (("whole", []), ("small", ["--select", "information-gain,n_terms=6"]))
        )
        assert small == 6 < whole
        vocabulary = [set(TextClassifier.load(name).vectoriser_.vocabulary_) for name in ("small", "whole")]
        assert vocabulary[0] < vocabulary[1]
        assert run("evaluate", "small", animals, "--json").json["documents"] == 6

    @pytest.mark.parametrize(
        "selection", ["chi-square,share=0.5,globalise=max", "odds-ratio,per_category=2", "document-frequency,n_terms=4"]
    )
    def test_any_selection(self, run, animals, selection):
        run("train", animals, "-o", "model", "--select", selection)
        assert run("info", "model", "--json").json["selection"] == selection


class TestNames:
    """DATA may be the name of a corpus instead of a path."""

    def test_the_embedded_corpus(self, run):
        said = run("train", "docstrings", "-o", "model", "-m", "majority", "--json").json
        assert said["documents"] > 1000
        assert run("evaluate", "model", "docstrings", "--json").json["documents"] > 300
        assert len(run("predict", "model", "docstrings").answers) > 300

    def test_a_folder_of_that_name_comes_first(self, run, folder, documents):
        folder("docstrings", documents)
        assert run("train", "docstrings", "-o", "model", "--json").json["documents"] == 9

    def test_a_dataset(self, run, folder, documents, trained, monkeypatch, inside):
        monkeypatch.setenv("CLASSMARK_DATA", str(inside / "shelf"))
        Path("shelf").mkdir()
        folder("shelf/birds", documents)
        assert run("train", "birds", "-o", "model", "--json").json["documents"] == 9
        assert Path("model").read_bytes() == trained
        assert run("evaluate", "model", "birds", "--json").json["documents"] == 6
        assert len(run("predict", "model", "birds").answers) == 6

    def test_a_dataset_that_is_not_here(self, refused, monkeypatch, inside):
        monkeypatch.setenv("CLASSMARK_DATA", str(inside))
        monkeypatch.setenv("XDG_DATA_HOME", str(inside))
        said = refused("train", "newsgroups20", "-o", "model")
        assert re.search(r"newsgroups20:.*classmark datasets get newsgroups20 gets it", said)


class TestDocuments:
    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (b"", r"docs\.jsonl:1:.*file has no document"),
            (b"\n\n", r"docs\.jsonl:1:.*file has no document"),
            (OWL + GULL + b'{"id": \n', r"docs\.jsonl:3: not valid JSON"),
            (OWL + b'{"labels": ["owl"]}\n', r"docs\.jsonl:2:.*document has no 'text'"),
            (OWL + b'{"text": null, "labels": ["owl"]}\n', r"docs\.jsonl:2: 'text' is null"),
            (OWL + b"\n" + OWL, r"docs\.jsonl:3: the id 'a'.*stands on line 1"),
            (OWL + b'{"text": "x", "labels": ["emu"]}\n', r"docs\.jsonl:2: the label 'emu'.*not in.*hierarchy"),
            (OWL + b'{"text": "x", "labels": "owl"}\n', r"docs\.jsonl:2: 'labels' is a string; write a list"),
            (OWL + b'{"text": "\xff", "labels": ["owl"]}\n', r"docs\.jsonl:2: not UTF-8"),
            (b'{"text": "x"}\n{"text": "y", "labels": null}\n', r"no document.*labelled"),
            (b'{"text": "x", "labels": []}\n', "no document belongs"),
            (b'{"text": "12", "labels": ["owl"]}\n{"text": "", "labels": ["cod"]}\n', r"no term.*left"),
        ],
        ids=[
            *("empty", "blank", "invalid", "no-text", "null-text", "duplicate-id", "unknown-label", "string-labels"),
            *("not-utf-8", "unlabelled", "nowhere", "no-terms"),
        ],
    )
    def test_bad_documents(self, refused, folder, data, words):
        assert re.search(words, refused("train", folder("bad", data), "-o", "model"))

    @pytest.mark.parametrize("name", ["missing", "missing.jsonl", "missing.csv"])
    def test_a_missing_file(self, refused, name):
        assert re.search(rf"{re.escape(str(name))}:.*no such file", refused("train", name, "-o", "model"))

    def test_a_file_of_another_kind(self, refused):
        Path("docs.xls").touch()
        assert "docs.xls: no reader" in refused("train", "docs.xls", "-o", "model")

    def test_a_label_dropped_on_request(self, run, folder, documents):
        documents[0]["labels"] = ["owl", "emu"]
        result = run("train", folder("more", documents), "-o", "model", "--unknown-labels", "drop")
        assert result.err.startswith("classmark: warning: ")
        assert re.search(r"dropped 1.*hierarchy.*not have.*'emu'", result.err)
        assert result.err.count("\n") == 1

    def test_documents_that_are_not_labelled_are_left_out(self, run, folder, documents, trained):
        name = folder("some", [*documents, {"text": "who knows", "split": "train"}])
        result = run("train", name, "-o", "model")
        assert re.fullmatch(r"classmark: warning: left out 1 of 10 .*not labelled\n", result.err)

    def test_only_one_category(self, run, folder):
        name = folder("one", OWL + b'{"text": "silent wings", "labels": ["owl"]}\n', hierarchy=None)
        assert run("train", name, "-o", "model", "--json").json["categories"] == 1
        assert [answer["labels"] for answer in run("predict", "model", name).answers] == [["owl"], ["owl"]]

    def test_without_a_hierarchy_the_labels_are_one_level(self, run, folder, documents):
        assert run("train", folder("flat", documents, None), "-o", "model", "--json").json["categories"] == 4

    def test_features_instead_of_text(self, run, folder):
        documents = [
            {"features": {"night": 2, "barn": 1}, "labels": ["owl"]},
            {"features": {"sea": 1}, "labels": ["gull"]},
        ]
        name = folder("features", documents)
        assert run("train", name, "-o", "model", "--json").json["terms"] == 3
        assert [a["labels"][-1] for a in run("predict", "model", name).answers] == ["owl", "gull"]


class TestHierarchies:
    def test_labels_that_look_like_paths(self, run):
        Path("docs.csv").write_text("text,labels\nhoots,bird/owl\nswims,fish/cod\n")
        result = run("train", "docs.csv", "-o", "model", "--json")
        assert result.json["categories"] == 2
        pattern = (
            r"classmark: warning: 2 of 2 labels have '/'.* 'bird/owl'.* \(--path-separator /, path_separator='/'\)\n"
        )
        assert re.fullmatch(pattern, result.err)
        result = run("train", "docs.csv", "-o", "model", "--json", "--path-separator", "/")
        assert (result.json["categories"], result.err) == (4, "")

    def test_the_remedy_for_an_unknown_label_works(self, run, refused, folder, documents):
        documents[0]["labels"] = ["emu"]
        name = folder("more", documents)
        said = refused("train", name, "-o", "model")
        assert re.search(r"not in.*hierarchy", said)
        run("train", name, "-o", "model", "--unknown-labels", "drop")

    @pytest.mark.parametrize(
        ("hierarchy", "words"),
        [
            ("ROOT\ta\na\tb\nb\tc\nc\tb\n", r"hierarchy\.tsv:.*has a cycle: 'b' → 'c' → 'b'"),
            ("ROOT\ta\na\ta\n", r"hierarchy\.tsv:2: 'a'.*own parent"),
            ("a\tROOT\n", r"hierarchy\.tsv:1: 'ROOT'.*name.*root"),
            ("", r"hierarchy\.tsv:.*hierarchy is empty"),
            ("\n\n", r"hierarchy\.tsv:.*hierarchy is empty"),
            ("ROOT\ta\na b\n", r"hierarchy\.tsv:2: 1 column\(s\) instead"),
            ("ROOT\ta\na\t\n", r"hierarchy\.tsv:2: the edge from 'a' to ''.*empty name"),
        ],
        ids=["cycle", "self", "root", "empty", "blank", "no-tab", "no-child"],
    )
    @pytest.mark.parametrize("given", [False, True], ids=["beside", "given"])
    def test_bad_hierarchies(self, refused, folder, documents, hierarchy, words, given):
        name = folder("bad", documents, None if given else hierarchy)
        Path("hierarchy.tsv").write_text(hierarchy)
        options = ["--hierarchy", "hierarchy.tsv"] if given else []
        assert re.search(words, refused("train", name, "-o", "model", *options))

    def test_a_duplicate_edge_is_only_a_warning(self, run, folder, documents, hierarchy, trained):
        result = run("train", folder("twice", documents, hierarchy + "plant\toak\n"), "-o", "model")
        assert result.err == "classmark: warning: dropped 1 duplicate edge(s), the first from 'plant' to 'oak'\n"
        assert Path("model").read_bytes() == trained

    def test_the_hierarchy_given_wins(self, run, folder, documents, hierarchy, trained):
        name = folder("other", documents, "ROOT\towl\nROOT\tgull\nROOT\tcod\nROOT\toak\n")
        Path("deep.tsv").write_text(hierarchy)
        run("train", name, "-o", "model", "--hierarchy", "deep.tsv")
        assert Path("model").read_bytes() == trained


class TestProcess:
    def test_a_full_disk_leaves_the_old_model(self, start, animals, trained):
        pytest.importorskip("resource", reason="needs limits on the size of files")
        Path("model").write_bytes(trained)
        # The limit makes writing fail as a full disk does; Python ignores the signal that comes with it.
        limit = "import resource, classmark.service; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
        process = start("train", animals, "-o", "model", "--set", "C=2", before=limit)
        out, err = process.communicate()
        assert (process.returncode, out) == (1, b"")
        assert err.startswith(b"classmark: model: cannot be written: ")
        assert err.count(b"\n") == 1
        assert Path("model").read_bytes() == trained
        assert set(Path().iterdir()) == {Path("animals"), Path("model")}

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_an_interrupt_leaves_the_old_model(self, start, trained, number):
        Path("model").write_bytes(trained)
        # A category each and all words in common but one: thousands of learners, of which the first is hardly done
        # when the signal comes.
        with Path("many.jsonl").open("w") as file:
            for place in range(3000):
                words = " ".join(f"w{chr(97 + place * i % 26)}{chr(97 + i)}" for i in range(1, 20))
                own = "".join(chr(97 + int(digit)) for digit in str(place))
                file.write(json.dumps({"text": f"{words} x{own}", "labels": [str(place)]}) + "\n")
        process = start("train", "many.jsonl", "-o", "model", before=REPORTING.format(what="categories", number=1))
        assert process.stdout.readline() == b"3000\n"
        process.send_signal(number)
        out, err = process.communicate()
        assert (process.returncode, out) == (1, b"")
        assert err == b"classmark: interrupted; files are as they were before\n"
        assert Path("model").read_bytes() == trained
        assert set(Path().iterdir()) == {Path("many.jsonl"), Path("model")}

    def test_an_interrupted_booster_is_kept_and_said(self, start, run, animals):
        asked = ("-m", "adaboost-mh", "--set", "n_estimators=1000000", "-o", "new")
        process = start("train", animals, *asked, before=REPORTING.format(what="rounds", number=3))
        assert process.stdout.readline() == b"1000000\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        assert process.returncode == 1
        assert b"interrupted  yes" in out
        assert re.search(rb"warning: interrupted: kept the \d+ of 1000000 rounds done", err)
        assert run("evaluate", "new", animals).code == 0


class TestHoldout:
    def test_some_are_held_out_and_evaluated_on(self, run, folder, documents):
        data = folder("one", [{key: one[key] for key in ("id", "text", "labels")} for one in documents])
        result = run("train", data, "-o", "m", "--holdout", "20%", "--json").json
        assert result["documents"] + result["held_out"]["documents"] == len(documents)
        assert "seen_in_training" not in result["held_out"]
        shown = run("train", data, "-o", "m", "--holdout", "0.2")
        assert shown.err == ""
        assert "\nheld out\n" in shown.out
        assert f"hF {result['held_out']['hierarchical']['hf']:.3f}" in shown.out

    @pytest.mark.parametrize("share", ["0", "100%", "x", "-20%", "nan"])
    def test_what_is_no_share(self, refused, animals, share):
        message = refused("train", animals, "-o", "m", f"--holdout={share}")
        assert "is no share to hold out; give one above 0 and below 1, such as 20% or 0.2" in message


def test_ds_cut_learns_its_thresholds(run, animals):
    said = run("train", animals, "-m", "knn-bm25", "--decision", "tuned-dscut,folds=3", "-o", "model", "--json").json
    expected = r"tuned-dscut,on=held-out,folds=3,thresholds=(1\.0[0-9./]*),floor=0\.4,most=5"
    found = re.fullmatch(expected, said["decision"])
    assert found is not None, said["decision"]
    assert all(0.4 <= float(threshold) <= 1 for threshold in found[1].split("/"))
    loaded = TextClassifier.load("model").classifier_.decision_
    assert "/".join(map(str, loaded.thresholds)) == found[1]


def test_treeboost_over_committees_is_saved_asked_and_explained(run, animals):
    settings = ("--set", "n_estimators=6", "--set", "committee=steps,starts=1/2/4,sizes=1/2/3")
    run("train", animals, "-m", "treeboost-mh", *settings, "-o", "model")
    local = [one.classifier for one in TextClassifier.load("model").classifier_.models_ if hasattr(one, "classifier")]
    # Rounds 1, 2 and 3, and 4 to 6: 1 + 2·2 + 3·3 stumps, where a node has terms enough.
    assert {(type(one).__name__, len(one.pivots_)) for one in local} == {("AdaBoostMHKR", 14)}
    assert run("predict", "model", animals, "--split", "test").answers[0]["labels"]
    assert "decided by" in run("explain", "model", "hoots at night").out


class TestSimilarities:
    ROWS = "train1\tbird\t.5\ntrain1\towl\t.5\ntrain3\tgull\t.4\ntrain7\toak\t.9\ntest1\towl\t.9\n"

    def test_a_process_learns_from_them(self, start, animals):
        Path("esa.tsv").write_text(self.ROWS)
        process = start("train", animals, "-m", "pcem", "--similarities", "esa.tsv", "-o", "model", "--json")
        out, err = process.communicate()
        assert process.returncode == 0, err
        said = json.loads(out)
        assert (said["labelled"], said["similarities"]) == (3, "esa.tsv")
        assert b"esa.tsv: 6 of 9 documents have no row, such as 'train2', and get no weak label" in err
        assert TextClassifier.load("model").predict(["acorns", "hoots", "cries"]) == [["oak"], ["owl"], ["gull"]]

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("train2\tgul\t.5", r"esa\.tsv:6: the category 'gul'.*not in.*hierarchy \(did you mean 'gull'\?\)"),
            ("train\tgull\t.5", r"esa\.tsv:6:.*no document.*id 'train' \(did you mean 'train"),
        ],
    )
    def test_a_bad_line_is_refused(self, refused, animals, line, words):
        docs = Path(animals) / "docs.jsonl"
        docs.write_text(re.sub(r'"labels": \[[^]]*\]', '"labels": null', docs.read_text()))
        Path("esa.tsv").write_text(f"{self.ROWS}{line}\n")
        assert re.search(words, refused("train", animals, "-m", "pcem", "--similarities", "esa.tsv", "-o", "model"))

    def test_a_file_that_is_not_there(self, refused, animals):
        said = refused("train", animals, "-m", "pcem", "--similarities", "nothing.tsv", "-o", "model")
        assert "nothing.tsv: there is no such file of similarities; check the path" in said
