"""Answers that are left out, and labels that back off: `evaluate --coverage`, `predict --min-confidence` and around."""

import random
import re

import pytest

WORDS = {
    "owl": "hoots barn night mice",
    "gull": "cries harbour ships sea",
    "cod": "swims deep cold sea",
    "oak": "acorns forest tall green",
}
PARENTS = {"owl": "bird", "gull": "bird", "cod": "fish", "oak": "plant", "bird": "animal", "fish": "animal"}
LINE = (
    r"classmark: min-confidence 0.8: of 160 training documents held out \d+ % were answered in full, \d+ % higher up "
    r"or in part, \d+ % not at all; \d+\.\d % of the labels given were right, each with a probability of at least "
    r"0\.\d+"
)


@pytest.fixture(scope="module")
def many():
    """Documents enough to promise something, with words of other categories among theirs."""
    draw = random.Random(0)
    everything = " ".join(WORDS.values()).split()
    documents = []
    for number in range(240):
        label = list(WORDS)[number % 4]
        words = draw.choices(WORDS[label].split(), k=3) + draw.choices(everything, k=3)
        split = "test" if number >= 160 else "train"
        documents.append({"id": str(number), "text": " ".join(words), "labels": [label], "split": split})
    return documents


@pytest.fixture
def calibrated(run, folder, many):
    run("train", folder("many", many), "-o", "sure.classmark", "--calibration", "softmax")
    return "sure.classmark", "many"


class TestCoverage:
    def test_for_people(self, run, model, animals):
        said = run("evaluate", model, animals, "--coverage").out
        head, table = said.split("\nthe surest answers, by ")
        assert head == run("evaluate", model, animals).out
        lines = table.splitlines()
        assert lines[0] == "the lowest score of a document's own labels"
        assert lines[1].split("  ")[0] == "answered"
        assert [line.split()[0] for line in lines[2:12]] == [f"{tenth}0%" for tenth in range(1, 11)]
        assert lines[12].startswith("label set right, mean over all shares: ")

    def test_as_json(self, run, calibrated):
        model, data = calibrated
        found = run("evaluate", model, data, "--coverage", "--json").json
        assert found["coverage"]["confidence"] == "the least probability of a document's own labels"
        points = found["coverage"]["points"]
        assert len(points) == 10
        assert points[-1]["accuracy"] == pytest.approx(found["subset_accuracy"])
        assert points[-1]["hf"] == pytest.approx(found["hierarchical"]["hf"])
        # The surest half is better than all.
        assert points[4]["accuracy"] > points[-1]["accuracy"]
        assert found["coverage"]["area"] > points[-1]["accuracy"]
        assert "coverage" not in run("evaluate", model, data, "--json").json

    def test_beside_everything_else(self, run, model, animals):
        both = run("evaluate", model, animals, "--coverage", "--all", "--by-category", "--json").json
        assert {"coverage", "ranking", "categories"} <= set(both)


class TestMinConfidence:
    def test_labels_back_off_and_a_line_says_what_is_promised(self, run, calibrated):
        plain = run("predict", *calibrated).answers
        result = run("predict", *calibrated, "--min-confidence", "0.8", "--probabilities")
        assert re.fullmatch(LINE, result.err.strip())
        kinds = set()
        for before, answer in zip(plain, result.answers, strict=True):
            assert set(answer["labels"]) <= set(before["labels"])
            assert all(PARENTS[label] in answer["labels"] for label in answer["labels"] if label in PARENTS)
            assert all(chance >= 0.8 for chance in answer["probabilities"].values())
            kinds.add((bool(answer["labels"]), answer["labels"] == before["labels"]))
        assert kinds == {(True, True), (True, False), (False, False)}

    def test_the_leaves_of_what_is_left(self, run, calibrated):
        asked = ["predict", *calibrated, "--min-confidence", "0.8"]
        leaves = run(*asked, "--leaves").answers
        for whole, own in zip(run(*asked).answers, leaves, strict=True):
            above = {PARENTS.get(label) for label in whole["labels"]}
            assert own["labels"] == [label for label in whole["labels"] if label not in above]

    def test_into_a_file(self, run, calibrated, inside):
        printed = run("predict", *calibrated, "--min-confidence", "0.8")
        written = run("predict", *calibrated, "--min-confidence", "0.8", "-o", "answers.jsonl")
        assert (inside / "answers.jsonl").read_text() == printed.out
        assert written.err == printed.err

    def test_own_probabilities_and_nothing_measured(self, run, animals):
        run("train", animals, "-o", "nb.classmark", "-m", "nb")
        result = run("predict", "nb.classmark", animals, "--min-confidence", "0.9", "--probabilities")
        assert "min-confidence 0.9: the probabilities are taken as they are, and how often they come true" in result.err
        assert result.err.count("\n") == 1
        assert all(chance >= 0.9 for answer in result.answers for chance in answer["probabilities"].values())

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ("0", r"min_precision=0\.0.*number > 0 and <= 1"),
            ("2", r"min_precision=2\.0.*number > 0 and <= 1"),
            ("nan", r"min_precision=nan.*number > 0 and <= 1"),
            ("much", "Invalid value for '--min-confidence'"),
            ("1", r"min_precision=1.*more than the 160.*can promise.*at most 0\."),
        ],
    )
    def test_what_cannot_be(self, refused, calibrated, given, message):
        assert re.search(message, refused("predict", *calibrated, "--min-confidence", given))

    def test_without_probabilities(self, refused, model, animals):
        message = "the model has no probabilities; train it with --calibration platt, isotonic or softmax"
        assert message in refused("predict", model, animals, "--min-confidence", "0.9")

    def test_not_with_top(self, refused, calibrated):
        assert "leave it out, or min_precision" in refused(
            "predict", *calibrated, "--min-confidence", "0.5", "--top", 2
        )


class TestWhatIsSaidOfIt:
    def test_info_shows_the_table(self, run, calibrated):
        model, _ = calibrated
        table = run("info", model).out.split("\nwhat 160 training documents held out promise\n")[1].splitlines()
        assert table[0].split() == ["min-confidence", "probability", "right", "in", "full", "in", "part", "without"]
        promises = run("info", model, "--json").json["promises"]
        assert [line.split()[0] for line in table[1:]] == [f"{one['confidence']:g}" for one in promises]
        for one in promises:
            assert one["right"] >= one["confidence"]
            assert one["probability"] >= one["confidence"]
            assert one["in_full"] + one["in_part"] + one["without"] == pytest.approx(1)

    def test_info_of_a_model_that_promises_nothing(self, run, model):
        assert "promise" not in run("info", model).out
        assert "promises" not in run("info", model, "--json").json

    def test_train_says_what_is_promised_at_nine_tenths(self, run, folder, many):
        easy = [one | {"text": " ".join(WORDS[one["labels"][0]].split() * 2)} for one in many]
        easy = [one | {"text": f"{one['text']} word{one['id']}"} for one in easy]
        asked = ["train", folder("easy", easy), "-o", "easy.classmark", "--calibration", "platt"]
        promised = run(*asked, "--json").json["promised"]
        assert (promised["confidence"], promised["right"]) == (0.9, 1)
        assert re.search(r"promised    of 160.*documents held out 100.*answered in full", run(*asked).out)

    def test_train_keeps_quiet_where_it_cannot_promise_that(self, run, animals):
        asked = ["train", animals, "-o", "model", "--calibration", "platt"]
        assert "promised" not in run(*asked, "--json").json
        assert "promised" not in run(*asked).out
