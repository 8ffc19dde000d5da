import csv
import gzip
import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from classmark import TextClassifier, metrics, read_corpus
from classmark.labels import encode

KEYS = ["documents", "leaves", "nodes", "hierarchical", "first", "hamming_loss", "subset_accuracy", "consistency"]
PATHS = {"owl": "animal/bird/owl", "gull": "animal/bird/gull", "cod": "animal/fish/cod", "oak": "plant/oak"}
RENAMED = ["--text-column", "body", "--label-column", "topics", "--id-column", "number", "--split-column", "part"]


@pytest.fixture
def expected(run, model, animals):
    """What the dataset folder gives, which every other form must give too."""
    return run("evaluate", model, animals, "--json").json


def write_table(name, documents, *, labels, columns=("id", "text", "labels", "split"), encoding="utf-8", **dialect):
    with Path(name).open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, **dialect)
        writer.writerow(columns)
        for document in documents:
            writer.writerow([document["id"], document["text"], labels(document["labels"]), document["split"]])


class TestNumbers:
    def test_keys(self, expected):
        assert list(expected) == KEYS
        assert set(expected["hierarchical"]) == {"hp", "hr", "hf"}
        assert set(expected["first"]) == {"accuracy", "hf"}
        assert set(expected["leaves"]) == set(expected["nodes"]) >= {"micro_f1", "macro_f1"}

    def test_some_answers_are_right_and_some_wrong(self, expected):
        assert expected["documents"] == 6
        assert 0 < expected["leaves"]["micro_f1"] < 1
        assert 0 < expected["subset_accuracy"] < 1
        assert expected["consistency"] == 1

    def test_counted_by_hand_from_the_answers(self, run, model, animals, documents, expected, hierarchy):
        answers = run("predict", model, animals, "--leaves").answers
        truth = {document["id"]: set(document["labels"]) for document in documents}
        given = {answer["id"]: set(answer["labels"]) for answer in answers}
        # The most specific label of an answer may be an inner category.
        inner = {line.split("\t")[0] for line in hierarchy.splitlines()}
        right = sum(len(labels & truth[name]) for name, labels in given.items())
        total = sum(len(labels - inner) + len(truth[name]) for name, labels in given.items())
        assert expected["leaves"]["micro_f1"] == pytest.approx(2 * right / total)
        exact = sum(labels == truth[name] for name, labels in given.items())
        assert expected["subset_accuracy"] == pytest.approx(exact / 6)

    def test_for_people(self, run, model, animals, expected):
        said = run("evaluate", model, animals).out
        assert said.startswith("6 documents\n")
        assert f"\nhF {expected['hierarchical']['hf']:.3f} (" in said
        assert "left out" not in said

    def test_unlabelled_documents_are_left_out(self, run, model, folder, documents, expected):
        name = folder("some", [*documents, {"text": "who knows", "split": "test"}])
        result = run("evaluate", model, name, "--json")
        assert result.json == expected | {"left_out": 1}
        assert re.search(r"left out 1 .*not labelled\n$", run("evaluate", model, name).out)

    def test_splits(self, run, model, animals, folder, documents):
        assert run("evaluate", model, animals, "--json", "--split", "train").json["documents"] == 9
        assert run("evaluate", model, animals, "--json", "--split", "train,test").json["documents"] == 15
        for document in documents:
            document["split"] = None
        assert run("evaluate", model, folder("whole", documents), "--json").json["documents"] == 15


class TestAll:
    def test_every_figure_of_the_metrics(self, run, model, animals, expected):
        found = run("evaluate", model, animals, "--all", "--json").json
        loaded, corpus = TextClassifier.load(model), read_corpus(animals).select(["test"])
        true = encode(corpus.labels, loaded.hierarchy_).indicator
        predicted, scores = loaded.predict_indicator(corpus.documents), loaded.node_scores(corpus.documents)
        further = metrics.further_figures(true, predicted, scores, loaded.hierarchy_, ends=loaded.classifier_.ends_)
        averages = expected["hierarchical"] | further.pop("hierarchical")
        assert found == expected | further | {"hierarchical": averages}
        assert found["tree_distance"] == metrics.tree_distance_error(true, predicted, loaded.hierarchy_) > 0

    def test_for_people(self, run, model, animals):
        plain, whole = run("evaluate", model, animals).out, run("evaluate", model, animals, "--all")
        found = run("evaluate", model, animals, "--all", "--json").json
        assert whole.out.startswith(plain)
        for words in (
            f"\ntree distance {found['tree_distance']:.3f}, label cosine {found['cosine']:.3f}\n",
            f"\nLCA-based F {found['lca']['f']:.3f} (",
            f"\nmacro hF {found['hierarchical']['macro']['hf']:.3f} (",
            f"\ninstance hF {found['hierarchical']['instance']['hf']:.3f} (",
            f" ndcg at 5 {found['ranking']['ndcg_at_5']:.3f}\n",
        ):
            assert words in whole.out


class TestAgainst:
    @pytest.fixture
    def other(self, run, animals):
        run("train", animals, "-o", "other", "-m", "majority")
        return "other"

    def test_p_values_of_the_metrics(self, run, model, other, animals, expected):
        found = run("evaluate", model, animals, "--against", other, "--json").json
        first, second = TextClassifier.load(model), TextClassifier.load(other)
        corpus, tree = read_corpus(animals).select(["test"]), first.hierarchy_
        true = tree.close(encode(corpus.labels, tree).indicator)
        answers = [one.predict_indicator(corpus.documents) for one in (first, second)]
        assert found.pop("significance") == {
            "micro_sign_test": asdict(metrics.micro_sign_test(true, *answers, tree.leaves)),
            "macro_t_test": asdict(metrics.macro_t_test(true, *answers, tree.leaves)),
            "bootstrap_hf": asdict(metrics.paired_bootstrap(true, *answers, "hf", hierarchy=tree)),
        }
        assert found.pop("against") == run("evaluate", other, animals, "--json").json
        assert found == expected

    def test_for_people(self, run, model, other, animals):
        plain, whole = run("evaluate", model, animals).out, run("evaluate", model, animals, "--against", other).out
        tests = run("evaluate", model, animals, "--against", other, "--json").json["significance"]
        assert whole.startswith(f"{plain}\nagainst the other model\n")
        rows = [line.split() for line in whole.splitlines()[-3:]]
        assert [row[0] for row in rows] == ["micro", "macro", "hF"]
        for row, test in zip(rows, ("micro_sign_test", "macro_t_test", "bootstrap_hf"), strict=True):
            assert f"{tests[test]['p_value']:.4f}" in row

    def test_with_all(self, run, model, other, animals):
        every, against, both = (
            run("evaluate", model, animals, "--json", *options).json
            for options in (["--all"], ["--against", other], ["--all", "--against", other])
        )
        assert both == against | every
        assert set(both) == {*every, "against", "significance"}

    def test_another_hierarchy(self, run, refused, model, animals, folder, documents):
        run("train", folder("flat", documents, None), "-o", "flat.classmark")
        said = refused("evaluate", model, animals, "--against", "flat.classmark")
        assert "different hierarchies" in said

    def test_the_same_hierarchy_in_another_order(self, run, model, other, animals, folder, documents, hierarchy):
        turned = folder("turned", documents, "".join(reversed(hierarchy.splitlines(keepends=True))))
        run("train", turned, "-o", "turned.classmark", "-m", "majority")
        found = [
            run("evaluate", model, animals, "--json", "--against", one).json for one in (other, "turned.classmark")
        ]
        assert found[0] == found[1]

    def test_a_missing_model(self, refused, model, animals):
        assert "missing: no such model" in refused("evaluate", model, animals, "--against", "missing")


class TestForms:
    """The same documents in another form give the same model and the same numbers."""

    def test_jsonl(self, run, documents, hierarchy, animals, expected, trained):
        Path("docs.jsonl").write_text("".join(json.dumps(document) + "\n" for document in documents))
        run("train", "docs.jsonl", "-o", "again", "--hierarchy", "animals/hierarchy.tsv")
        assert Path("again").read_bytes() == trained
        assert run("evaluate", "again", "docs.jsonl", "--json").json == expected

    def test_compressed_jsonl(self, run, model, animals, expected):
        Path("docs.jsonl.gz").write_bytes(gzip.compress(Path("animals/docs.jsonl").read_bytes()))
        assert run("evaluate", model, "docs.jsonl.gz", "--json").json == expected

    @pytest.mark.parametrize(("name", "delimiter"), [("docs.csv", ","), ("docs.tsv", "\t")])
    def test_tables(self, run, documents, animals, expected, trained, name, delimiter):
        write_table(name, documents, labels=",".join, delimiter=delimiter)
        run("train", name, "-o", "again", "--hierarchy", "animals/hierarchy.tsv")
        assert Path("again").read_bytes() == trained
        assert run("evaluate", "again", name, "--json").json == expected

    @pytest.mark.parametrize("line_end", ["\n", "\r\n"])
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
    def test_paths_in_a_table_with_its_own_columns(self, run, documents, expected, line_end, encoding):
        write_table(
            "export.csv",
            documents,
            labels=lambda labels: "; ".join(PATHS[label] for label in labels),
            columns=("number", "body", "topics", "part"),
            encoding=encoding,
            lineterminator=line_end,
        )
        options = [*RENAMED, "--label-separator", ";"]
        run("train", "export.csv", "-o", "again", "--path-separator", "/", *options)
        assert run("evaluate", "again", "export.csv", "--json", *options).json == expected
        answer = run("predict", "again", "export.csv", *options).answers[0]
        assert answer == {"id": "test1", "labels": ["animal", "animal/bird", "animal/bird/owl"]}
        assert run("explain", "again", "hoots").out.startswith("animal › animal/bird › animal/bird/owl: ")
        assert "a tree of 8 categories, 4 leaves, depth 3" in run("info", "again").out

    def test_an_empty_cell_is_unlabelled_or_nowhere(self, run, model, documents):
        documents[-1]["labels"] = []
        write_table("docs.csv", documents, labels=",".join)
        unlabelled = run("evaluate", model, "docs.csv", "--json").json
        nowhere = run("evaluate", model, "docs.csv", "--json", "--empty-labels", "nowhere").json
        assert (unlabelled["documents"], unlabelled["left_out"]) == (5, 1)
        assert nowhere["documents"] == 6
        assert "left_out" not in nowhere

    @pytest.mark.parametrize(
        ("table", "options", "words"),
        [
            ("text,labels\nhoots,owl\n", ["--text-column", "body"], r"docs\.csv:1: no text column 'body'; name one of"),
            ("text,labels\nhoots,owl\n", ["--label-column", "topic"], r"docs\.csv:1: no label column 'topic'"),
            ("text,labels\nhoots\n", [], r"docs\.csv:2: 1 cell\(s\) for 2 columns"),
            ('text,labels\n"hoots,owl\n', [], r"docs\.csv:2: not a valid"),
            ("", [], r"docs\.csv:1:.*file has no document"),
            ("text,labels\n", [], r"docs\.csv:1:.*file has no document"),
        ],
    )
    def test_bad_tables(self, refused, model, table, options, words):
        Path("docs.csv").write_text(table)
        assert re.search(words, refused("evaluate", model, "docs.csv", *options))


class TestRefusals:
    def test_a_hierarchy_that_changed(self, refused, model, folder, documents, hierarchy):
        moved = folder("moved", documents, hierarchy.replace("bird\towl", "animal\towl"))
        said = refused("evaluate", model, moved)
        assert "hierarchy changed" in said
        assert "1 edge(s) new, such as animal → owl; 1 edge(s) gone, such as bird → owl" in said

    def test_a_hierarchy_that_grew(self, refused, model, folder, documents, hierarchy):
        grown = folder("grown", documents, hierarchy + "ROOT\tfungus\n")
        assert "1 edge(s) new, such as ROOT → fungus; train again" in refused("evaluate", model, grown)

    def test_the_order_of_the_lines_is_no_change(self, run, model, folder, documents, hierarchy, expected):
        lines = hierarchy.splitlines(keepends=True)
        name = folder("turned", documents, "".join(reversed(lines)))
        assert run("evaluate", model, name, "--json").json == expected

    def test_an_unknown_label(self, refused, run, model, folder, documents, expected):
        documents[-1]["labels"].append("emu")
        name = folder("more", documents)
        assert "docs.jsonl:15: the label 'emu' of document 'test6'" in refused("evaluate", model, name)
        result = run("evaluate", model, name, "--json", "--unknown-labels", "drop")
        assert result.json == expected
        assert result.err.count("\n") == 1

    def test_no_labelled_document(self, refused, model, folder):
        name = folder("unlabelled", [{"text": "hoots"}])
        assert "unlabelled: no labelled document" in refused("evaluate", model, name)

    def test_an_unknown_split(self, refused, model, animals):
        assert re.search(r"no document.*split 'dev'", refused("evaluate", model, animals, "--split", "dev"))

    @pytest.mark.parametrize("data", ["missing", "missing.csv"])
    def test_missing_documents(self, refused, model, data):
        assert re.search(rf"{re.escape(str(data))}:.*no such file", refused("evaluate", model, data))

    def test_invalid_json(self, refused, model, folder):
        assert "docs.jsonl:2: not valid JSON" in refused("evaluate", model, folder("bad", b'{"text": "x"}\n{\n'))


def reuters_as_table(corpora, file):
    with gzip.open(corpora / "reuters90" / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        write_table(file, map(json.loads, lines), labels=",".join)


class TestCorpora:
    def test_reuters(self, run, corpora):
        run("train", corpora / "reuters90", "-o", "model")
        found = run("evaluate", "model", corpora / "reuters90", "--json").json
        assert found["documents"] == 3299
        assert found["leaves"]["micro_f1"] >= 0.84
        assert found["leaves"]["macro_f1"] >= 0.44

    def test_reuters_in_both_forms(self, run, corpora):
        run("train", corpora / "reuters90", "-m", "nb", "-o", "model")
        found = run("evaluate", "model", corpora / "reuters90", "--json").json
        reuters_as_table(corpora, "reuters.csv")
        options = ["--empty-labels", "nowhere"]
        hierarchy = corpora / "reuters90" / "hierarchy.tsv"
        run("train", "reuters.csv", "-m", "nb", "-o", "again", "--hierarchy", hierarchy, *options)
        assert run("evaluate", "again", "reuters.csv", "--json", *options).json == found
        assert Path("again").read_bytes() == Path("model").read_bytes()

    def test_reuters_with_documents_that_belong_nowhere(self, run, corpora):
        said = run("train", corpora / "reuters90", "-o", "model", "--json", "--split", "train,train-extra").json
        assert said["documents"] == 7770 + 1833
        assert run("evaluate", "model", corpora / "reuters90", "--json").json["leaves"]["micro_f1"] >= 0.84

    def test_newsgroups(self, run, corpora):
        run("train", corpora / "newsgroups20", "-o", "model")
        found = run("evaluate", "model", corpora / "newsgroups20", "--json").json
        assert found["documents"] == 7532
        assert found["leaves"]["micro_f1"] >= 0.84

    def test_clinc(self, run, corpora):
        run("train", corpora / "clinc150", "-o", "model")
        found = run("evaluate", "model", corpora / "clinc150", "--json").json
        assert found["documents"] == 4500
        assert found["leaves"]["micro_f1"] >= 0.82

    def test_clinc_out_of_scope(self, run, corpora):
        run("train", corpora / "clinc150", "-o", "model", "--split", "train,oos_train")
        found = run("evaluate", "model", corpora / "clinc150", "--json", "--split", "oos_test").json
        # Nothing is right here but to say nothing.
        assert found["documents"] == 1000
        assert found["subset_accuracy"] > 0.5
        assert found["first"] == {"accuracy": 0.0, "hf": 0.0}

    def test_rcv1(self, run, corpora):
        run("train", corpora / "rcv1v2_sample", "-o", "model")
        found = run("evaluate", "model", corpora / "rcv1v2_sample", "--json").json
        assert found["documents"] == 579
        assert found["hierarchical"]["hf"] > 0.5

    def test_wordnet(self, run, corpora):
        said = run("train", corpora / "wordnet_nouns", "-m", "majority", "-o", "model", "--json").json
        assert (said["documents"], said["categories"]) == (48719, 17157)
        found = run("evaluate", "model", corpora / "wordnet_nouns", "--json").json
        assert found["documents"] == 16239
        assert found["hierarchical"]["hf"] > 0.1
        assert "a DAG of 17157 categories" in run("info", "model").out


class TestMistakes:
    def test_by_category_and_the_documents_themselves(self, run, animals, model, inside):
        result = run("evaluate", model, animals, "--by-category", "--errors", "wrong.jsonl")
        assert result.code == 0
        header, *rows = result.out.partition("\n\n")[2].splitlines()
        assert header.split() == ["category", "documents", "predicted", "precision", "recall", "F1", "instead"]
        assert {row.split()[0] for row in rows} == {"animal", "bird", "fish", "owl", "gull", "cod", "plant", "oak"}
        wrong = [json.loads(line) for line in (inside / "wrong.jsonl").read_text().splitlines()]
        assert f"wrong or missing labels in {len(wrong)} documents" in result.out
        assert "test6" in {one["id"] for one in wrong}
        found = run("evaluate", model, animals, "--by-category", "--json").json["categories"]
        assert [one["documents"] for one in found if one["category"] == "gull"] == [2]

    def test_the_documents_are_not_written_over(self, refused, animals, model):
        copy = Path("other.classmark")
        copy.write_bytes(Path(model).read_bytes())
        for place in (f"{animals}/docs.jsonl", model, copy):
            message = refused("evaluate", model, animals, "--against", copy, "--errors", place)
            assert "then replaced" in message

    def test_what_was_trained_on_is_said(self, run, animals, model):
        result = run("evaluate", model, animals, "--split", "train")
        assert result.code == 0
        assert "trained on 9 of these 9 documents" in result.err
        assert "trained on 9 of these documents" in result.out
        assert "trained on" not in run("evaluate", model, animals).err
