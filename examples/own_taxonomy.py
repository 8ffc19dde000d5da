"""Put the texts of a small shop into a taxonomy of your own: train, predict, explain, save and load.

The taxonomy is a nested dict. A text may have several labels, or none: an empty list means that it belongs nowhere.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from classmark import Hierarchy, TextClassifier
from classmark.explain import explain, to_text

TAXONOMY = {
    "outdoors": {"camping": ["tents", "stoves"], "climbing": ["ropes"]},
    "kitchen": ["pans", "knives"],
}

TEXTS = {
    "Dome tent for two, waterproof, with pegs": ["tents"],
    "Light tunnel tent with a porch and spare pegs": ["tents"],
    "Gas stove that folds flat, with igniter": ["stoves"],
    "Spirit stove with windshield": ["stoves"],
    "Stove and pan in one: boils water on the trail": ["stoves", "pans"],
    "Dynamic rope, sixty metres, dry treated": ["ropes"],
    "Half rope for alpine climbing": ["ropes"],
    "Cast iron pan, keeps the heat": ["pans"],
    "Steel frying pan with a long handle": ["pans"],
    "Paring knife, blade of carbon steel": ["knives"],
    "Bread knife with a serrated blade": ["knives"],
    "Folding knife with a locking blade, for camp and kitchen": ["knives", "camping"],
    "Gift card": [],
    "Return form and delivery note": [],
}

NEW = ["A tent with a porch", "A pan for your gas stove", "Delivery note"]


def main() -> None:
    """Run the example."""
    taxonomy = Hierarchy.from_nested(TAXONOMY)
    print(taxonomy, "\n")

    model = TextClassifier("linear-svm", hierarchy=taxonomy, decision="tuned")
    model.fit(list(TEXTS), list(TEXTS.values()))
    for text, labels in zip(NEW, model.predict(NEW), strict=True):
        print(f"{text}: {', '.join(labels) or 'nowhere'}")

    print()
    print(to_text(explain(model, NEW[1], top=3)))

    with TemporaryDirectory() as folder:
        file = Path(folder, "shop.classmark")
        model.save(file)
        again = TextClassifier.load(file)
        print(f"\n{file.name} has {file.stat().st_size:,} bytes and gives the same answers:", end=" ")
        print(again.predict(NEW) == model.predict(NEW))


if __name__ == "__main__":
    main()
