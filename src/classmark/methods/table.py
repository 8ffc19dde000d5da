"""The one table of methods, and by it of the classifiers that a model file may hold.

A method is one entry here; everything else, the command line, the lists, the public names and the tests over all
methods, is made from it.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from classmark.errors import InputError
from classmark.lazy import find
from classmark.methods.composed import (
    LocalBooster,
    OverBooster,
    OverLinear,
    OverMethods,
    Searching,
    SelfTraining,
    Teaching,
)
from classmark.methods.method import Method
from classmark.text import TextSettings
from classmark.wording import unknown_name

if TYPE_CHECKING:
    from classmark.base import HierarchicalClassifier

LINEAR_TEXT = TextSettings(language="auto", stop_words=None, ngrams=2, ngram_min_df=2, ngram_weight=0.5, sublinear=None)
"""How linear methods read text: chosen on held-out training documents of seven corpora, see `docs/defaults.md`."""
# Porter's stemmer makes "v" of "vs", which then would be one with stray letters.
PRESENCE = TextSettings(weighting="binary", norm=None, min_length=2)
WORDS = TextSettings(weighting="counts", norm=None, stemmer=None)
"""Words as they stand: on short texts stems make more documents near, and not the right ones."""
STEMS = TextSettings(weighting="counts", norm=None)

SCALED: dict[str, Any] = {"scaling": "log-idf", "prior": False}
LONGER: dict[str, Any] = {"tolerance": 0.0, "max_iter": 20, "growth": 5, "growth_min_df": 3, "trust": "auto"}
"""What `-plus` adds to the methods of the papers: scaled documents, EM that runs longer, more terms, and doubt."""
FLAT: dict[str, Any] = {"inner": "auto", "prune": 0.01, "decision": "auto"}
DOWN: dict[str, Any] = {"descent": "soft", "prune": 0.01, "decision": "auto"}
BM25_NAMES = {"bm25_k1": "k1", "bm25_b": "b"}
PAPER_KNN: dict[str, Any] = {
    "k": 50,
    "alpha": 0.75,
    "k1": 6.0,
    "b": 0.75,
    "scoring": "printed",
    "idf": "robertson",
    "terms": 3,
    "thresholds": (1.0, 0.6, 0.4),
}
"""The values of lshtc_knn_2014, section "Validation"."""

TRIED_TEXT: dict[str, Any] = {
    "ngrams": (1, 2, 3),
    "stop_words": (None, "language"),
    "stemmer": (None, "language"),
    "token_pattern": ("letters", "words"),
    "sublinear": (False, True),
}
"""How text is read: what matters most comes first."""
TRIED_INNER: dict[str, Any] = {"inner": ("auto", "closed", "best")}
TRIED_DOWN: dict[str, Any] = {"inner": ("stay", "reach"), "descent": ("soft", "filter", "greedy")}
TRIED_BM25: dict[str, Any] = {
    "k": (10, 20, 30, 40, 50, 60),
    "alpha": (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0),
    "bm25_k1": (0.5, 0.9, 1.2, 2.0, 6.0),
    "bm25_b": (0.25, 0.5, 0.75, 1.0),
}
TRIED_C: dict[str, Any] = {"C": (0.1, 0.3, 1.0, 3.0, 10.0)}

LINEAR_SVM = OverLinear(
    name="linear-svm",
    summary="Linear SVM, each category against the rest; the strong baseline.",
    home="strategies.flat:FlatClassifier",
    learner_class="LinearSVC",
    defaults=FLAT,
    text=LINEAR_TEXT,
    tried=TRIED_TEXT | TRIED_INNER | TRIED_C,
)
NB = Method(
    name="nb",
    summary="Naive Bayes over the categories that documents have.",
    home="generative.flat:FlatNB",
    text=WORDS,
)
NB_PLUS = Method(
    name="nb-plus",
    summary="nb on scaled documents.",
    home="generative.flat:FlatNB",
    defaults=SCALED,
    text=STEMS,
)
PCNB = Method(
    name="pcnb",
    summary="Path cost-sensitive naive Bayes: documents count for all paths that share a node.",
    home="generative.path:PathNB",
    text=WORDS,
)

TABLE = (
    Searching(
        name="auto",
        summary="The best of all that suits the documents, found on held-out parts of them within a budget.",
        home="auto.settings:AutoSettings",
        text=LINEAR_TEXT,
    ),
    LINEAR_SVM,
    OverLinear(
        name="logistic",
        summary="Logistic regression, each category against the rest.",
        home="strategies.flat:FlatClassifier",
        learner_class="LogisticRegression",
        defaults=FLAT,
        text=LINEAR_TEXT,
        tried=TRIED_TEXT | TRIED_INNER | {"C": (0.3, 1.0, 3.0, 10.0, 30.0)},
    ),
    Method(
        name="majority",
        summary="Always the most frequent category; what everything must beat.",
        home="strategies.majority:MajorityClassifier",
    ),
    Method(
        name="adaboost-mh",
        summary="AdaBoost.MH: a term a round, shared by all categories.",
        home="boosting.adaboost_mh:AdaBoostMH",
        defaults={"n_rounds": 500},
        text=PRESENCE,
    ),
    Method(
        name="adaboost-mh-abstaining",
        summary="AdaBoost.MH that says nothing where the term is absent.",
        home="boosting.adaboost_mh:AdaBoostMH",
        defaults={"n_rounds": 500, "prediction": "abstaining"},
        text=PRESENCE,
    ),
    Method(
        name="adaboost-mh-discrete",
        summary="AdaBoost.MH with a sign a category and one strength a round.",
        home="boosting.adaboost_mh:AdaBoostMH",
        defaults={"n_rounds": 500, "prediction": "discrete"},
        text=PRESENCE,
    ),
    Method(
        name="adaboost-mh-kr",
        summary="AdaBoost.MH^KR: a growing committee of terms a round.",
        home="boosting.adaboost_mh_kr:AdaBoostMHKR",
        text=PRESENCE,
    ),
    Method(
        name="mp-boost",
        summary="MP-Boost: a term for every category in each round.",
        home="boosting.mp_boost:MPBoost",
        defaults={"n_rounds": 200},
        text=PRESENCE,
    ),
    Method(
        name="treeboost-mh",
        summary="TreeBoost.MH: AdaBoost.MH at each node, from the top down.",
        home="boosting.treeboost_mh:TreeBoostMH",
        defaults={"n_rounds": 500},
        text=PRESENCE,
    ),
    Method(
        name="treeboost-mp",
        summary="TreeBoost over MP-Boost: a term for every category of a node.",
        home="boosting.treeboost_mh:TreeBoostMH",
        defaults={"pivots": "own"},
        text=PRESENCE,
    ),
    OverLinear(
        name="global-svm",
        summary="Linear SVM over all nodes, labels closed upward, answers made consistent.",
        home="strategies.consistent:ConsistentClassifier",
        learner_class="LinearSVC",
        defaults={"prune": 0.01, "decision": "auto"},
        named=("prune",),
        text=LINEAR_TEXT,
        tried=TRIED_TEXT | TRIED_C,
    ),
    OverBooster(
        name="global-adaboost",
        summary="AdaBoost.MH over all nodes, labels closed upward, answers made consistent.",
        home="strategies.consistent:ConsistentClassifier",
        defaults={"n_rounds": 500, "threshold": "tuned-on-training"},
        named=("threshold", "relabel"),
        text=PRESENCE,
    ),
    LocalBooster(
        name="local-adaboost",
        summary="AdaBoost.MH at each node, on all documents of its subtree, from the top down.",
        home="strategies.topdown.classifier:TopDownClassifier",
        defaults={"n_rounds": 500, "threshold": "tuned-on-training", "negatives": "subtree", "inner": "reach"},
        named=(),
        text=PRESENCE,
    ),
    NB,
    Method(
        name="em",
        summary="nb that learns from unlabelled documents too, by EM.",
        home="generative.flat:FlatEM",
        text=WORDS,
    ),
    Method(
        name="nbmc",
        summary="Naive Bayes with chances chained along the levels, several components a category.",
        home="generative.multicomponent:NBMC",
        text=WORDS,
    ),
    Method(
        name="emmc",
        summary="nbmc that learns from unlabelled documents too, by EM.",
        home="generative.multicomponent:EMMC",
        text=WORDS,
    ),
    Method(
        name="tdnb",
        summary="Naive Bayes among the children of each node, from the top down.",
        home="generative.topdown:TopDownNB",
        text=WORDS,
    ),
    Method(
        name="tdem",
        summary="tdnb that learns from unlabelled documents too, by EM.",
        home="generative.topdown:TopDownEM",
        text=WORDS,
    ),
    Method(
        name="wdnb",
        summary="Naive Bayes on each level; the path that wins on most levels.",
        home="generative.windriven:WinDrivenNB",
        text=WORDS,
    ),
    Method(
        name="wdem",
        summary="wdnb that learns from unlabelled documents too, by EM.",
        home="generative.windriven:WinDrivenEM",
        text=WORDS,
    ),
    PCNB,
    Method(
        name="pcem",
        summary="pcnb that learns from unlabelled documents too, by EM; for few labels.",
        home="generative.path:PathEM",
        text=WORDS,
    ),
    NB_PLUS,
    Method(
        name="em-plus",
        summary="em on scaled documents, with a vocabulary that grows.",
        home="generative.flat:FlatEM",
        defaults=SCALED | LONGER,
        text=STEMS,
    ),
    Method(
        name="pcem-plus",
        summary="pcem on scaled documents, with a vocabulary that grows; the best for few labels.",
        home="generative.path:PathEM",
        defaults=SCALED | LONGER | {"shrinkage": 0.3},
        text=STEMS,
    ),
    Method(
        name="embedding-em",
        summary="A centre for each category, moved by EM among the vectors of all documents; for short texts.",
        home="weak.embedding:EmbeddingEM",
        starts_at_names=True,
    ),
    OverLinear(
        name="topdown-svm",
        summary="Linear SVM at each node, from the top down; quick with many categories.",
        home="strategies.topdown.classifier:TopDownClassifier",
        learner_class="LinearSVC",
        defaults=DOWN | {"sharpness": 6.0},
        text=LINEAR_TEXT,
        tried=TRIED_TEXT | TRIED_DOWN | TRIED_C,
    ),
    OverLinear(
        name="topdown-logistic",
        summary="Logistic regression at each node, from the top down.",
        home="strategies.topdown.classifier:TopDownClassifier",
        learner_class="LogisticRegression",
        defaults=DOWN | {"C": 10.0},
        text=LINEAR_TEXT,
        tried=TRIED_TEXT | TRIED_DOWN | {"C": (1.0, 3.0, 10.0, 30.0)},
    ),
    Method(
        name="hiercost",
        summary="Logistic regression with costs from the hierarchy.",
        home="linear.hiercost:HierCost",
        defaults={"C": 50.0, "fit_intercept": True, "prune": 0.01, "decision": "auto"},
        text=LINEAR_TEXT,
        tried=TRIED_TEXT | {"C": (0.5, 1.5, 5.0, 15.0, 50.0), "growth": (1.1, 1.25, 1.5)},
    ),
    Method(
        name="knn-overlap",
        summary="The commonest categories of the 5 nearest documents by common terms.",
        home="neighbours.overlap:OverlapKNN",
        text=WORDS,
        tried={"k": (3, 5, 10, 20), "n_labels": (1, 2, 3)},
    ),
    Method(
        name="knn-bm25",
        summary="The nearest documents by BM25 vote, each as loud as it is near.",
        home="neighbours.bm25:BM25KNN",
        renamed=BM25_NAMES,
        text=WORDS,
        tried=TRIED_BM25,
    ),
    Method(
        name="knn-bm25-paper",
        summary="knn-bm25 with the paper's values.",
        home="neighbours.bm25:BM25KNN",
        defaults=PAPER_KNN,
        renamed=BM25_NAMES,
        text=WORDS,
        tried=TRIED_BM25,
    ),
    Method(
        name="knn-bm25-hier",
        summary="knn-bm25 with votes for ancestors, centroids that borrow from their parents, and a way from the top.",
        home="neighbours.hierarchical:HierarchicalKNN",
        renamed=BM25_NAMES,
        text=WORDS,
        tried={
            "centroid": (0.0, 0.5, 1.0, 1.5, 2.0),
            "ancestors": (0.0, 0.3, 0.5, 0.7, 1.0),
            "descent": (None, 3.0, 4.0, 5.0, 6.0, 8.0),
            "decay": (0.5, 0.6, 0.7, 0.8),
            "borrow": (0.0, 0.5, 1.0, 1.5, 2.0),
            "bayes": (0.0, 0.1, 0.2),
            **TRIED_BM25,
        },
    ),
    SelfTraining(
        name="self-training",
        summary="Logistic regression whose sure answers about unlabelled documents count as labels.",
        home="strategies.self_training:SelfTrainingClassifier",
        defaults={"trust": "auto"},
        teaching=Teaching(
            name="self-training",
            summary="A method that learns from the surest answers of another.",
            home="ensembles.teaching:TeachingClassifier",
        ),
        learners={
            "logistic": None,
            # Platt's curves suit any number of labels; nobody asks this one for a decision.
            "linear-svm": (
                LINEAR_SVM,
                {"class_weight": "balanced", "inner": "best", "prune": 0.0},
                {"calibration": "platt", "decision": None},
            ),
            "nb": (NB, {}, {}),
            "nb-plus": (NB_PLUS, {}, {}),
            "pcnb": (PCNB, {}, {}),
        },
    ),
    Method(
        name="frozen-encoder",
        summary="What an encoder makes of texts, as it is, under heads that learn the hierarchy; wants no GPU.",
        home="neural.frozen:FrozenEncoderClassifier",
        defaults={"decision": "auto"},
        text=replace(LINEAR_TEXT, encoder="sentence"),
        tried={
            "encoder": ("sentence", "sentence+terms"),
            "epochs": (3, 10),
            "rate": (0.02, 0.05, 0.1),
            "closed_weight": (0.1, 0.3, 1.0),
        },
    ),
    Method(
        name="fine-tuned",
        summary="A pretrained encoder that learns the hierarchy; best on short texts, wants a GPU.",
        home="neural.fine_tuned:FineTunedClassifier",
        defaults={"decision": "auto"},
        text=TextSettings(encoder="sentence"),
        tried={"epochs": (5, 10, 20), "rate": (1e-4, 2e-4, 3e-4), "closed_weight": (0.1, 0.3, 1.0)},
    ),
    OverMethods(
        name="blend",
        summary="Several methods added up, each weighed by what it is worth on held-out documents.",
        home="ensembles.blend:BlendClassifier",
        defaults={"decision": "auto"},
    ),
    OverMethods(
        name="rerank",
        summary="A second look at the best categories of several methods, by trees that learn from all of them.",
        home="ensembles.rerank:RerankClassifier",
        defaults={"decision": "auto"},
    ),
)
METHODS: dict[str, Method] = {method.name: method for method in TABLE}
CLASSES: dict[str, str] = {home.partition(":")[2]: home for method in TABLE for home in method.homes}
"""The classifiers by the names that model files know them by, and where they are."""


def find_method(name: str) -> Method:
    """Look a method up by its name."""
    if name not in METHODS:
        raise unknown_name("method", name, METHODS)
    return METHODS[name]


def saved_name(classifier: "HierarchicalClassifier") -> str:
    """Return the name of a classifier's class in model files; raise ValueError if `find_class` does not return it."""
    kind, base = type(classifier), find("base:HierarchicalClassifier")
    missing = [name for name in ("_learned_state", "_restore") if getattr(kind, name) is getattr(base, name)]
    faults = [f"it lacks the methods {' and '.join(missing)}"] if missing else []
    if kind.__name__ not in CLASSES or find_class(kind.__name__) is not kind:
        faults.append("it is not in the table classmark.methods.METHODS")
    if faults:
        raise InputError(
            f"{kind.__module__}.{kind.__qualname__} cannot be saved: {' and '.join(faults)};"
            " add what is missing (CONTRIBUTING.md), or use joblib.dump"
        )
    return kind.__name__


def find_class(name: str) -> "type[HierarchicalClassifier]":
    """Give the classifier of a name; nothing else is ever imported for a model file.

    >>> find_class("FlatClassifier").__module__
    'classmark.strategies.flat'
    """
    if name not in CLASSES:
        raise InputError(f"{name!r} is no classifier of classmark's")
    return find(CLASSES[name])  # type: ignore[no-any-return]
