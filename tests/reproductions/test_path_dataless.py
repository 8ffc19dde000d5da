"""Weak labels in place of labels."""

import pytest

from reproductions import Surroundings
from reproductions.experiments import EXPERIMENTS
from reproductions.experiments.dataless import Dataless
from tests.reproductions.toys import write_corpus

OF_A_LABEL = {
    "owl": ("an owl hoots", "the owl, a bird of the night", "owls hoot at night"),
    "cod": ("a cod swims", "the cod, a fish", "cod swim in the sea"),
    "oak": ("an oak grows", "the oak, a tall tree", "oaks grow in a forest"),
}
TEXTS = [(text, [label]) for label, texts in OF_A_LABEL.items() for text in texts]


@pytest.mark.parametrize("method", ["nb", "pcnb", "em", "pcem", "linear-svm"])
def test_names_stand_for_labels(tmp_path, method):
    # The truth is turned round: who learned from it would be right, who learned from the words is wrong.
    wrong = {"owl": "cod", "cod": "oak", "oak": "owl"}
    for name, turned in (("right", lambda label: label), ("wrong", wrong.__getitem__)):
        write_corpus(tmp_path / name, {"train": [(text, [turned(label)]) for text, (label,) in TEXTS]})
    settings = {"stemmer": "language", "language": "english"}
    conditions = [
        Dataless(corpus=name, method=method, training=6, labelled=1.0, seeds=3, settings=settings)
        for name in ("right", "wrong")
    ]
    right, wrong_ones = EXPERIMENTS["dataless"].run(conditions, Surroundings(tmp_path))
    assert right["micro_f1"] > wrong_ones["micro_f1"]


def test_descriptions_are_read_from_the_dataset(tmp_path):
    folder = write_corpus(tmp_path / "described", {"train": [(text, ["owl"]) for text, _ in TEXTS]})
    (folder / "label_descriptions.tsv").write_text("nonsense\tsome words\n", encoding="utf-8")
    condition = Dataless(corpus="described", method="nb", training=6, labelled=1.0, seeds=1)
    with pytest.raises(ValueError, match=r"the category 'nonsense'.*not in.*hierarchy"):
        EXPERIMENTS["dataless"].run([condition], Surroundings(tmp_path))


def test_an_encoder_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="nonsense"):
        Dataless(corpus="any", method="nb", training=6, labelled=1.0, encoder="nonsense").check()
