"""A small corpus and a small table, to run in milliseconds."""

import json
from pathlib import Path
from typing import Any

EDGES = "ROOT\tanimal\nROOT\tplant\nanimal\towl\nanimal\tcod\nplant\toak\n"


def labelled(lines: str) -> list[tuple[str, list[str]]]:
    """Read one document per line: its labels, a colon, its text."""
    documents = (line.split(": ") for line in lines.strip().splitlines())
    return [(text, labels.split()) for labels, text in documents]


TRAIN = labelled("""
owl: hoots at night in the barn
owl: silent wings at night
cod: swims in cold deep water
cod: a grey fish of the cold sea
oak: grows acorns in the forest
owl oak: an owl sits in the tall tree of the forest at night
""")
TEST = labelled("""
owl: who hoots at night?
cod: cold water fish
oak: acorns fall into the cold sea
owl oak: an owl in the forest
""")

TABLE = """
title = "Two methods on animals"
citation = "A. Author, *A Paper*, 2000."
about = "F1 over the leaves."
protocol = "Words as they come."
notes = ["The numbers are invented."]

[columns]
method = "method"
"settings.C" = "C"

[measures.micro]
title = "micro-F1"
measured = "leaves.micro_f1"

[measures.hf]
title = "hF"
measured = "hierarchical.hf"
decimals = 2

[measures.time]
title = "time, ratio"
measured = "train_seconds"
ratio = true

[quick.most]
"settings.C" = 1

[condition]
experiment = "method"
corpus = "animals"

[[parts]]
title = "majority"
tolerance = { micro = 0.01, hf = 1.0 }
rows = [{ at = { method = "majority" }, reported = { micro = 0.9, hf = 0.5, time = 4.0 } }]

[[parts]]
title = "SVM"
condition = { method = "linear-svm", settings = { C = 1, stemmer = "none" } }
tolerance = { micro = 1.0 }
rows = [
    { at = {}, reported = { micro = 0.5, hf = 0.5 } },
    { at = { settings = { C = 10 } }, reported = { micro = 0.5 }, note = "as printed", verdict = false },
]
"""

REPEATED = """
citation = "A. Author, *A Paper*, 2000."
about = "F1."
protocol = "Repeated."

[columns]
method = "method"

[measures.micro]
title = "micro-F1"
measured = "micro_f1"
always = true

[quick.condition]
seeds = 1

[condition]
experiment = "few-labels"
corpus = "animals"
training = 8
labelled = 1.0
"""


def repeated(title: str, seeds: int, parts: str) -> str:
    """Give a table whose rows are run by several seeds, with further measures and the parts as they are given."""
    return f'title = "{title}"{REPEATED}seeds = {seeds}\n{parts}'


def with_change(table: str, old: str, new: str) -> str:
    """Give a table with something in it replaced."""
    assert old in table
    return table.replace(old, new)


def write_corpus(folder: Path, splits: dict[str, Any] | None = None) -> Path:
    """Write the documents as a dataset folder."""
    folder.mkdir(parents=True)
    (folder / "hierarchy.tsv").write_text(EDGES, encoding="utf-8")
    with (folder / "docs.jsonl").open("w", encoding="utf-8") as file:
        for split, documents in (splits or {"train": TRAIN, "test": TEST}).items():
            for number, (text, labels) in enumerate(documents, 1):
                document = {"id": f"{split}{number}", "text": text, "labels": labels, "split": split}
                file.write(json.dumps(document) + "\n")
    return folder
