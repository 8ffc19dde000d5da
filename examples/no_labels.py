"""Start a shop's classifier without a single labelled text: from what its categories are called, and from its texts.

Texts that are like the words of a category are taken for its own; PathEM learns from these and from all the others.
"""

from classmark import Hierarchy, TextClassifier
from classmark.data import NodeText
from classmark.weak import weak_labels

TAXONOMY = Hierarchy.from_nested({"outdoors": ["tents", "stoves", "ropes"], "kitchen": ["pans", "knives"]})

WORDS = {"stoves": NodeText("stoves", "gas burner"), "knives": NodeText("knives", "blade")}
"""More than a name where there is more to say."""

TEXTS = [
    "Dome tent for two, waterproof, with pegs",
    "Tunnel shelter with a porch and spare pegs, waterproof",
    "Gas stove that folds flat, with igniter",
    "Spirit burner with windshield and igniter",
    "Dynamic rope, sixty metres, dry treated",
    "Half rope for alpine climbing, dry treated",
    "Forty metres for alpine climbing",
    "Cast iron pan, keeps the heat",
    "Cast iron wok with a wooden handle",
    "Paring knife, blade of carbon steel",
    "Serrated edge of carbon steel, for bread",
]

NEW = [
    "A porch with pegs",
    "Igniter with a windshield",
    "Alpine climbing",
    "Wok with a handle",
    "Serrated carbon steel",
]


def main() -> None:
    """Run the example."""
    found = weak_labels(TEXTS, TAXONOMY, WORDS, share=1.0)
    print(f"{found.share:.0%} of the texts are like the words of a category.\n")

    model = TextClassifier("pcem-plus", settings={"growth_min_df": 1}, hierarchy=TAXONOMY).fit(TEXTS, found.labels)
    for text, label in zip(NEW, model.predict(NEW), strict=True):
        print(f"{text}: {' › '.join(TAXONOMY.path(label[0]))}")


if __name__ == "__main__":
    main()
