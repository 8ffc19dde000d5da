"""Write the tables of methods on the README and on the page that compares all of them.

    python tools/write_figures.py

Both are made of the table *Every figure* of `docs/comparison.md`, which `benchmarks/methods.py --write` fills. A test
compares the pages with what this writes.
"""

from tables import Row, cell, tables, write

CHOSEN = {
    "linear-svm": "The default: texts of a paragraph or more, some labelled documents for each category.",
    "auto": "You have minutes to spare, and want the best of all of these.",
    "rerank": "The same without a search: several methods, and a second look at their best answers.",
    "mp-boost": "The model must be small and quick, and its rules read by people.",
    "pcem-plus": "Few documents have labels, or none: it learns from the others too.",
    "knn-bm25-hier": "There are 100,000 categories, or every answer must show the documents it comes from.",
    "fine-tuned": "Texts are a sentence long and categories many; a GPU to learn, none to answer.",
}
"""The methods that one would really choose, and when."""

CORPORA = ("reuters90", "newsgroups20")
COLUMNS = ("leaf micro-F1", "leaf macro-F1", "hF", "training (s)")


def measured() -> dict[tuple[str, str], Row]:
    """Give every figure, by corpus and method."""
    (rows,) = tables("comparison", "Every figure")
    return {(row["corpus"], row["method"]): row for row in rows}


def chosen() -> str:
    """Give the short table: when to take a method, and what it is worth."""
    figures = measured()
    head = "| method | take it when | hF: reuters90 | newsgroups20 | training (s) | documents/s | model (MB) |\n"
    lines = [head, "|---|---|--:|--:|--:|--:|--:|\n"]
    for method, when in CHOSEN.items():
        first, second = (figures.get((corpus, method), {}) for corpus in CORPORA)
        quality = " | ".join(of.get("hF", "–") for of in (first, second))
        effort = " | ".join(known(name, first, second) for name in ("training (s)", "documents/s", "model (MB)"))
        lines.append(f"| `{method}` | {when} | {quality} | {effort} |\n")
    return "".join(lines) + "\n" + few_and_many()


def known(column: str, *rows: Row) -> str:
    """Give the first figure of a column that was measured."""
    return next((row[column] for row in rows if row.get(column, "–") != "–"), "–")


def few_and_many() -> str:
    """Say what the table does not show, as it has all labels and few categories."""
    few = {
        method: cell("few-labels", "What each part gives", (method,), "1 % labelled").split(" / ")[0]
        for method in ("pcem-plus", "nb")
    }
    large = cell("neighbours", "The size of LSHTC", ("knn-bm25-hier", "2,400,000"), "train (s, GB)").split(", ")
    return (
        f"With 1 % of the labels of *newsgroups20*, `pcem-plus` has a micro-F1 of {few['pcem-plus']} %, and naive "
        f"Bayes without the unlabelled documents {few['nb']} %.\n"
        f"`knn-bm25-hier` learns 2.4 million documents in 325,000 categories in {large[0]} s and {large[1]} GB.\n"
    )


def every_method() -> str:
    """Give the wide table: a row a method, the corpora side by side."""
    figures = measured()
    pairs = [(corpus, column) for corpus in CORPORA for column in COLUMNS]
    heads = [f"{corpus}: {column}" if column == COLUMNS[0] else column for corpus, column in pairs]
    lines = [f"| method | {' | '.join(heads)} |\n", f"|---|{'--:|' * len(heads)}\n"]
    for method in dict.fromkeys(method for _, method in figures):
        values = [figures.get((corpus, method), {}).get(column, "–") for corpus, column in pairs]
        lines.append(f"| `{method}` | {' | '.join(values)} |\n")
    return "".join(lines)


BLOCKS = {"chosen": chosen, "methods": every_method}

if __name__ == "__main__":
    write(BLOCKS)
