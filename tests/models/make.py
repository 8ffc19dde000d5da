"""Make a model file of every method, and what they answer: `python -m tests.models.make`.

They were made once and are kept: later versions have to load them and answer the same. Only a method that is new is
made again.
"""

import json
import os
import re
from pathlib import Path

from classmark import Hierarchy, TextClassifier
from classmark.registry import METHODS
from tests.animals import QUERIES, TEXTS
from tests.encoders import FOLDER as ENCODER
from tests.encoders import QUICK
from tests.neural.tiny import write_model

FOLDER = Path(__file__).parent / "methods"
TREE = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"], "fish": None}, "plant": ["oak", "fern"]})
TRAINED_ON = {
    "owl": ["hoots at night in the wood", "hunts mice at night and hoots", "a bird of the night with large eyes"],
    "gull": [
        "cries over the sea and the cliff",
        "a white bird that follows ships at sea",
        "nests on the cliff by the sea",
    ],
    "fish": ["swims in the sea in shoals", "has fins and scales and swims", "lives in water and swims deep"],
    "oak": ["grows acorns in the wood", "an old tree with hard wood and acorns", "leaves fall from the tall tree"],
    "fern": ["grows in the shade of the wood", "has fronds and no flowers", "unrolls green fronds in spring"],
}
ASKED = ["it hoots in the wood at night", "cries by the sea", "acorns fall", "green fronds", "something else"]
SETTINGS = {"embedding-em": {"encoder": "terms"}} | {
    method: settings | {"encoder": f"sentence:{ENCODER.name}"} for method, settings in QUICK.items()
}
"""What differs from a method's defaults: encoders are tiny, and nothing else needs a package beside the core's."""
WORD = re.compile(r"\w+|[^\w\s]+")
KNOWN = [*TEXTS, *QUERIES, *ASKED, *TREE, *(text for texts in TRAINED_ON.values() for text in texts)]


def main() -> None:
    """Make what is missing."""
    FOLDER.mkdir(exist_ok=True)
    if not ENCODER.exists():
        write_model(ENCODER, ["[UNK]", *sorted({word for text in KNOWN for word in WORD.findall(text)})])
    os.chdir(ENCODER.parent)
    texts = [text for texts in TRAINED_ON.values() for text in texts]
    labels = [label for label, own in TRAINED_ON.items() for _ in own]
    for name in METHODS:
        file = FOLDER / f"{name}.classmark"
        if file.exists():
            continue
        model = TextClassifier(name, settings=SETTINGS.get(name, {}), hierarchy=TREE).fit(texts, labels)
        model.save(file)
        scores = [
            [None if score == float("-inf") else score for score in row] for row in model.node_scores(ASKED).tolist()
        ]
        answers = {"predicted": list(model.classifier_.predict(model.transform(ASKED))), "scores": scores}
        file.with_suffix(".json").write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    main()
