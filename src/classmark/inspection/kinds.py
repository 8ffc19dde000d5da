"""What can be found, in one table: how grave it is, what it is called, what becomes of it, and what to do."""

from typing import NamedTuple

LEVELS = ("error", "warning", "note")
REFUSED = "reading refuses the corpus"
UNTRAINABLE = frozenset(["no-labels", "no-train"])
"""What can be read, and predicted, but not trained on."""
KEPT = "they are learned from as they are"
NEVER = "no method can learn them, and most never answer with them"


class Kind(NamedTuple):
    """A kind of finding."""

    level: str
    what: str
    then: str
    remedy: str


KINDS: dict[str, Kind] = {
    "line": Kind("error", "lines that cannot be read", REFUSED, "mend the lines"),
    "stopped": Kind(
        "error",
        "reading ended before the end",
        f"{REFUSED}, and what comes after is not checked",
        "mend it, and check again",
    ),
    "hierarchy-line": Kind("error", "faults in what tells the categories", REFUSED, "mend the file"),
    "cycle": Kind("error", "cycles in the hierarchy", REFUSED, "take one edge of each out"),
    "id-twice": Kind("error", "ids that stand before already", REFUSED, "give each document its own id"),
    "unknown-label": Kind(
        "error",
        "labels that the hierarchy does not have",
        REFUSED,
        "add them there, mend them, or drop them (--unknown-labels drop)",
    ),
    "path-gap": Kind("error", "label paths that cannot be read", REFUSED, "write every part, and call none ROOT"),
    "no-documents": Kind("error", "no document could be read", REFUSED, "give at least one"),
    "no-labels": Kind(
        "warning",
        "no document has a label",
        "train refuses it, but for --weak",
        "label some, or name the column that has the labels (--label-column)",
    ),
    "no-train": Kind(
        "warning",
        "splits, but none called train",
        "train refuses it",
        "name the split (--split), or divide anew (convert --resplit)",
    ),
    "leak": Kind(
        "warning",
        "near duplicates across splits",
        "figures on the test split come out too good",
        "keep them together (convert --by-group near-duplicates), or take one out",
    ),
    "other-labels": Kind(
        "warning", "near duplicates with different labels", KEPT, "decide which labels are right, or give all of them"
    ),
    "same-text": Kind(
        "warning", "texts that stand before already in the same split", KEPT, "take the copies out, unless meant"
    ),
    "no-split": Kind(
        "warning", "documents without a split beside those that have one", "no command uses them", "give them one"
    ),
    "empty": Kind("warning", "empty texts", KEPT, "take them out, or find the column of the text (--text-column)"),
    "encoding": Kind(
        "warning",
        "texts with broken characters, such as Ã© for é",
        KEPT,
        "read the original again in its own encoding, and save it as UTF-8",
    ),
    "control": Kind("warning", "texts with control characters", KEPT, "take them out of the texts"),
    "joined-labels": Kind("warning", "labels that may be several in one", "each is one name", "say so"),
    "path-labels": Kind("warning", "labels that look like paths", "each is one name, and there is no tree", "say so"),
    "edge-twice": Kind("warning", "edges of the hierarchy that stand twice", "one is kept", "take the others out"),
    "test-only": Kind(
        "warning", "categories in other splits and never in train", NEVER, "divide anew (convert --resplit stratified)"
    ),
    "never": Kind("warning", "categories without any document", NEVER, "add documents, or take the categories out"),
    "single": Kind(
        "warning", "categories with a single training document", "they are hardly learned", "add documents, or merge"
    ),
    "siblings": Kind(
        "warning", "siblings with nearly the same words", "they are confused easily", "merge them, or tell them apart"
    ),
    "split-language": Kind(
        "warning",
        "splits in another main language than train",
        "what was learned fits them badly",
        "divide anew (convert --resplit random)",
    ),
    "few": Kind("note", "categories with 2 to 4 training documents", "they are learned badly", "add documents"),
    "near": Kind("note", "near duplicates in the same split", KEPT, "fine, if meant so"),
    "one-word": Kind("note", "texts of one word", KEPT, "fine, if meant so"),
    "long": Kind("note", "texts far longer than the others", KEPT, "see whether several documents stand in one"),
    "markup": Kind("note", "texts with remains of HTML", "tags count as words", "take the tags out"),
    "other-language": Kind("note", "documents in another language than most", KEPT, "fine, if meant so"),
    "odd-split": Kind("note", "splits of an unusual name", "used where --split names them", "fine, if meant so"),
    "label-twice": Kind("note", "documents with a label twice", "it counts once", "fine, if meant so"),
    "inner-label": Kind(
        "note", "documents with a label that has categories below it", "they end there", "fine, if meant so"
    ),
    "one-child": Kind("note", "categories with a single child", "nothing can be told apart there", "merge the two"),
    "not-a-child": Kind(
        "note",
        "parents that are no child, in a file that names top categories",
        "they are top categories too",
        "mend their names, or write them below ROOT",
    ),
}
"""By name; where the words depend on what is found, they are the usual ones."""
