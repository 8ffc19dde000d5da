"""What answering takes: `classmark predict` on 60,000 documents by a model of neighbours with 30,000 categories.

Documents and hierarchy are generated (`synthetic_lshtc`): Zipfian terms, about 40 a document, as texts.
Every command runs in a process of its own, whose peak of memory and CPU seconds are printed.

    python benchmarks/answering.py                 3,000 documents, 3,000 categories
    python benchmarks/answering.py --large         60,000 documents, 30,000 categories
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

from processes import classmark
from synthetic_lshtc import make_lshtc, make_lshtc_hierarchy

SIZES = {"small": (3_000, 3_000), "large": (60_000, 30_000)}
ASKED: dict[str, list[str]] = {
    "predict": [],
    "predict --scores": ["--scores"],
    "predict --scores --top 5": ["--scores", "--top", "5"],
}


def documents(count: int, categories: int, stream: int, names: list[str]) -> Iterator[str]:
    """Yield JSON lines, the words of a document named after the numbers of their terms."""
    split = ("train", "test")[stream]
    options = {"n_terms": 10 * categories, "n_categories": categories, "stream": stream}
    for block in make_lshtc(count, **options):
        counts = block.counts
        for row, category in enumerate(block.categories):
            entries = slice(counts.indptr[row], counts.indptr[row + 1])
            pairs = zip(counts.indices[entries], counts.data[entries], strict=True)
            text = " ".join(f"term{term:x}" for term, times in pairs for _ in range(int(times)))
            yield json.dumps({"text": text, "labels": [names[category]], "split": split}) + "\n"


def write_data(folder: Path, count: int, categories: int) -> None:
    """Write as many documents to learn from, one in each category at least, as there are to classify."""
    hierarchy, leaves = make_lshtc_hierarchy(categories)
    names = [str(hierarchy.names[leaf]) for leaf in leaves]
    hierarchy.to_tsv(folder / "hierarchy.tsv")
    with (folder / "docs.jsonl").open("w") as file:
        file.writelines(documents(count, categories, 0, names))
        file.writelines(
            json.dumps({"text": f"term{number:x} own{number:x}", "labels": [name], "split": "train"}) + "\n"
            for number, name in enumerate(names)
        )
        file.writelines(documents(count, categories, 1, names))


def main(size: str) -> None:
    """Print a row a command."""
    count, categories = SIZES[size]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "data")
        folder.mkdir()
        # In a process of its own: the peak of those that follow begins with what this one holds.
        writing = get_context("spawn").Process(target=write_data, args=(folder, count, categories))
        writing.start()
        writing.join()
        data, model, answers = str(folder), str(Path(name, "model")), str(Path(name, "answers"))
        print(f"# answering: {count:,} documents, {categories:,} categories, knn-bm25")
        rows = {"train": ["train", data, "-o", model, "--method", "knn-bm25"]}
        rows |= {what: ["predict", model, data, "-o", answers, *asked] for what, asked in ASKED.items()}
        rows["evaluate"] = ["evaluate", model, data]
        for what, command in rows.items():
            taken = classmark(*command)
            print(f"  {what:26} peak {taken.megabytes:6,.0f} MB, {taken.seconds:6.1f} s of CPU", flush=True)


if __name__ == "__main__":
    main("large" if "--large" in sys.argv else "small")
