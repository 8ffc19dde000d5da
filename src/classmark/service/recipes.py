"""How models are made, as data: a method, what differs from its defaults, and how it runs."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any

from classmark.data import Corpus
from classmark.errors import InputError
from classmark.hierarchy import Hierarchy, Name
from classmark.hierarchy.formats import Told, told
from classmark.pipeline import TextClassifier
from classmark.registry import METHODS, Searching


@dataclass(frozen=True)
class Recipe:
    """How to make a model."""

    method: str = "linear-svm"
    """A name from `classmark methods`."""
    _: KW_ONLY
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the method that differ from their defaults, as values or as the command line writes them."""
    selection: str | None = None
    """Which terms to keep, such as `chi-square,share=0.1`."""
    decision: str | None = None
    """How scores become label sets, such as `threshold,value=0.2`; by default as the method does."""
    calibration: str | None = None
    """How probabilities are learned from held-out documents."""
    seed: int = 0
    """The seed of everything random."""
    jobs: int | None = None
    """How many processes learn at a time; -1 for one per core."""
    label_rate: float | None = None
    """The share of the documents that keep their labels, for experiments."""
    names: bool = False
    """Whether to learn from the names of the categories too."""
    weak: str | None = None
    """A file of words about the categories, to learn from documents like them instead of from labels."""
    encoder: str | None = None
    """What compares documents with the words of categories."""
    min_similarity: float | None = None
    """The least similarity that makes a weak label."""
    similarities: str | None = None
    """A file of similarities found elsewhere, to learn from instead of from labels."""

    @property
    def dataless(self) -> bool:
        """Whether documents are labelled by what categories are called, whatever labels they have."""
        return any(given is not None for given in (self.weak, self.encoder, self.similarities))

    @property
    def searches(self) -> bool:
        """Whether the method is a search among others."""
        return self.method in METHODS and isinstance(METHODS[self.method], Searching)

    def searching(self, options: Mapping[str, str]) -> "Recipe":
        """Give a recipe whose search is told how to search."""
        if options and not self.searches:
            raise InputError(
                f"--{next(iter(options))} is for -m auto, which chooses among methods; {self.method} does not"
            )
        return replace(self, settings={**self.settings, **options})

    def check(self) -> None:
        """Refuse before anything is read what would be refused after it."""
        if self.jobs == 0:
            raise InputError("jobs=0: must be a number of processes, or -1 for one per core")
        self._model().check()
        if self.label_rate is not None and not 0 < self.label_rate <= 1:
            raise InputError(f"label_rate={self.label_rate}: must be a number > 0 and <= 1")
        if self.dataless:
            _check_dataless(self)
        elif self.min_similarity is not None:
            raise InputError("a least similarity means nothing without weak labels; say what categories are (--weak)")

    def build(self, corpus: Corpus) -> TextClassifier:
        """Give the classifier for a corpus, to be fitted."""
        descriptions: dict[Name, str] = {
            node: text.description for node, text in corpus.nodes.items() if text.description
        }
        return self._model(corpus.hierarchy, told(corpus.nodes), descriptions or None)

    def _model(
        self,
        hierarchy: Hierarchy | None = None,
        texts: Told | None = None,
        descriptions: Mapping[Name, str] | None = None,
    ) -> TextClassifier:
        return TextClassifier(
            self.method,
            settings=self.settings,
            hierarchy=hierarchy,
            **(texts or told({})),
            descriptions=descriptions,
            selection=self.selection,
            decision=self.decision,
            calibration=self.calibration,
            random_state=self.seed,
            n_jobs=self.jobs,
        )


def _check_dataless(recipe: Recipe) -> None:
    """Refuse what contradicts weak labels, and an encoder that is not there."""
    from classmark.weak import check_encoder

    file, is_given = recipe.similarities, recipe.similarities is not None
    contradictions = {
        "similarities take the place of an encoder and of descriptions; leave these out": (
            is_given and (recipe.weak, recipe.encoder) != (None, None)
        ),
        f"{file}: there is no such file of similarities; check the path": is_given and not Path(file or "").exists(),
        f"calibration={recipe.calibration} learns from labels, which weak ones are not; leave it out": (
            recipe.calibration is not None
        ),
        "weak labels take the place of labels; leave the label rate out": recipe.label_rate is not None,
        "weak labels take the place of labels; leave the names out": recipe.names,
    }
    for words, contradicted in contradictions.items():
        if contradicted:
            raise InputError(words)
    check_encoder(recipe.encoder or "terms")


def named_recipes(names: Sequence[str], shared: Recipe) -> list[tuple[str, Recipe]]:
    """Read methods as `compare` writes them, `method` or `method+decision`, with what they share.

    A shared setting that is called `method.name` is of that method alone.

    >>> shared = Recipe(settings={"nb.smoothing": 0.1, "stemmer": "none"})
    >>> [(_, recipe)] = named_recipes(["nb+rcut"], shared)
    >>> recipe.method, recipe.decision, recipe.settings
    ('nb', 'rcut', {'smoothing': 0.1, 'stemmer': 'none'})
    """
    parted = [(name.strip(), *name.strip().partition("+")[::2]) for name in names]
    own = _own_settings([method for _, method, _ in parted], shared.settings)
    return [
        (name, replace(shared, method=method, settings=own[method], decision=decision or None))
        for name, method, decision in parted
    ]


def _own_settings(methods: Sequence[str], settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Give each method its settings."""
    own: dict[str, dict[str, Any]] = {method: {} for method in methods}
    for setting, value in settings.items():
        # What is made of several methods has settings of theirs, as in blend.linear-svm.C.
        owner, _, name = setting.partition(".") if "." in setting else ("", "", setting)
        if owner and owner not in own:
            raise InputError(f"setting {setting}: {owner} is not compared; choose one of {', '.join(own)}")
        for method in [owner] if owner else own:
            own[method][name] = value
    return own
