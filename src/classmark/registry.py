"""Methods by name: a class, the defaults that differ from the class's, and how text is read.

Classes are import paths, which are imported when somebody needs their parameters, so that `--help` and the list of
methods need no numpy. The settings of a method are the parameters of its class that the command line can write, and
aliases of parameters of the estimator that the class wraps. A model file may name the classes of this table only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from classmark.checks import Constraint, choice, optional
from classmark.errors import InputError
from classmark.parameters import Parameter, parameters, read_settings
from classmark.text import TextSettings
from classmark.text.parts import TextsOfParts
from classmark.wording import unknown_name

if TYPE_CHECKING:
    from classmark.base import HierarchicalClassifier

Settings = Mapping[str, Any]
NOT_SET = ("hierarchy", "decision", "calibration", "random_state", "n_jobs", "encoder")
"""Parameters that have options of their own, or that the settings of text have."""
WITHOUT_TERMS = ("encoder", "headers")
"""Settings of text that apply to classifiers that read text themselves."""
DEFAULT_TEXT = TextSettings()
TEACHER, STUDENT = "pcem-plus", "linear-svm"
"""Default teacher and student if only the other one is named."""
ROLE = optional(Constraint(lambda value: isinstance(value, str), "the name of a method", str))
PARTS = Constraint(lambda value: isinstance(value, str), "names of methods with + between them", str)


def find(path: str) -> Any:
    """Import an object by its path, `module:name`; modules of classmark are written without their first part.

    >>> find("hierarchy:Hierarchy").__name__
    'Hierarchy'
    """
    module, _, name = path.partition(":")
    return getattr(import_module(module if module.startswith("sklearn.") else f"classmark.{module}"), name)


def text_settings(*, reads_texts: bool) -> dict[str, Parameter]:
    """Return the settings of text; for a classifier that reads text itself those that apply to it."""
    return {name: one for name, one in parameters(TextSettings).items() if not reads_texts or name in WITHOUT_TERMS}


@dataclass(frozen=True)
class Learner:
    """Method with the values of all its settings."""

    method: "Method"
    settings: Mapping[str, Any]

    def build(self, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Return the unfitted classifier."""
        return self.method.build(self.settings, random_state, n_jobs)


@dataclass(frozen=True, kw_only=True)
class Method:
    """Entry of the table."""

    name: str
    summary: str
    """Description in a sentence."""
    home: str
    """Path of its class."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Values of parameters and settings that differ from those of the class; `estimator__x` is one of the estimator."""
    named: Sequence[str] | None = None
    """Parameters of the class that are settings; by default all that can be written as text."""
    estimator: str | None = None
    """Path of the class of the estimator that the classifier wraps."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Settings by another name than the parameter that they set: `estimator__C`, or one that text settings use."""
    text: TextSettings = DEFAULT_TEXT
    """How it reads documents."""
    tried: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Values of settings that `tune` tries by default."""
    starts_at_names: bool = False
    """Whether it learns best from category names if no document is labeled."""

    @property
    def class_name(self) -> str:
        """The name of its class, which model files contain."""
        return self.home.partition(":")[2]

    @property
    def homes(self) -> tuple[str, ...]:
        """Paths of the classes that it may build, its own first."""
        return (self.home,)

    def declared(self) -> dict[str, Parameter]:
        """Return the settings of the classifier by name, with the method's own defaults."""
        nested = {name: path.partition("__")[2] for name, path in self.aliases.items() if "__" in path}
        wrapped: dict[str, Parameter] = {}
        if self.estimator is not None:
            # scikit-learn's estimators do not declare parameters; ours around them does.
            ours = LINEAR_SVM.home if self.estimator.startswith("sklearn.") else self.estimator
            known = parameters(find(ours))
            wrapped = {name: self._setting(known[parameter], name) for name, parameter in nested.items()}
        names = {path: name for name, path in self.aliases.items()}
        own = [
            one
            for one in parameters(find(self.home)).values()
            if (one.name in self.named if self.named is not None else one.constraint.parse and one.name not in NOT_SET)
        ]
        return wrapped | {(name := names.get(one.name, one.name)): self._setting(one, name) for one in own}

    def _setting(self, parameter: Parameter, name: str) -> Parameter:
        default = self.defaults.get(name, self.defaults.get(parameter.name, parameter.default))
        return parameter._replace(name=name, default=default)

    def declared_of_text(self) -> dict[str, Parameter]:
        """Return the settings of text that apply to it, with its own defaults."""
        known = text_settings(reads_texts=find(self.home).reads_texts)
        return {name: one._replace(default=getattr(self.text, name)) for name, one in known.items()}

    def build(self, settings: Settings, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Return the unfitted classifier with the values of all settings."""
        classifier = find(self.home)(random_state=random_state, n_jobs=n_jobs)
        known = parameters(type(classifier))
        values = {name: value for name, value in self.defaults.items() if name in known or "__" in name}
        values |= {self.aliases.get(name, name): value for name, value in settings.items()}
        if self.estimator is not None:
            classifier.set_params(estimator=find(self.estimator)())
            values["estimator__random_state"] = random_state
        return classifier.set_params(**values)  # type: ignore[no-any-return]

    def configure(self, settings: Mapping[str, Any]) -> tuple[Learner, TextSettings]:
        """Change some settings, given as values or as strings of the command line.

        >>> from classmark.registry import find_method
        >>> learner, text = find_method("linear-svm").configure({"C": "10", "stemmer": "none"})
        >>> learner.settings["C"], text.stemmer
        (10.0, None)
        """
        own, of_text = self.declared(), self.declared_of_text()
        read = read_settings({**own, **of_text}, settings, f"method {self.name!r}")
        defaults = {name: one.default for name, one in own.items()}
        text = replace(self.text, **{name: value for name, value in read.items() if name in of_text})
        return Learner(self, defaults | {name: value for name, value in read.items() if name in own}), text

    @property
    def learner(self) -> Learner:
        """The method with its defaults."""
        return self.configure({})[0]


@dataclass(frozen=True, kw_only=True)
class OverMethods(Method):
    """A classifier over several methods of the table, its *parts*, each with its own settings and reading of text."""

    naming: ClassVar[tuple[str, ...]] = ("parts",)
    """The settings that name methods."""
    parts: str = "linear-svm+topdown-svm+mp-boost+nb-plus"
    """The methods by default."""

    def declared(self) -> dict[str, Parameter]:
        """Give which methods are the parts, and the settings of the classifier over them."""
        sentence = "The methods, with + between them; method.setting=value sets one of theirs, a setting of text all."
        return {"parts": Parameter("parts", self.parts, PARTS, sentence)} | super().declared()

    def declared_of_text(self) -> dict[str, Parameter]:
        """Give none: each part reads text in its own way."""
        return {}

    def configure(self, settings: Settings) -> tuple[Learner, TextSettings]:
        """Change some settings, those of the parts among them."""
        declared = self.declared()
        plain, of_parts = _divided(settings, declared)
        chosen = {name: one.default for name, one in declared.items()} | read_settings(declared, plain, self._called())
        texts = TextsOfParts.of(text for _, text in self._configured(chosen | of_parts).values())
        return Learner(self, chosen | of_parts), texts

    def build(self, settings: Settings, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the classifier over those of the parts."""
        own = {name: value for name, value in settings.items() if name in self.declared() and name not in self.naming}
        parts = self._configured(settings).items()
        estimators = [(name, learner.build(random_state, n_jobs)) for name, (learner, _) in parts]
        return super().build(own | {"estimators": estimators}, random_state, n_jobs)

    def _called(self) -> str:
        return f"method {self.name!r}"

    def _methods(self, settings: Settings) -> dict[str, str]:
        """Give the parts by their names, and the methods that they are."""
        return {name: name for name in _part_names(settings["parts"], self.name)}

    def _configured(self, settings: Settings) -> dict[str, tuple[Learner, TextSettings]]:
        """Give each part with its settings."""
        methods = {part: find_method(name) for part, name in self._methods(settings).items()}
        given: dict[str, dict[str, Any]] = {part: {} for part in methods}
        for setting, value in settings.items():
            if setting not in self.declared():
                for part in self._owners(setting, methods):
                    given[part][setting.rpartition(".")[2]] = value
        return {part: method.configure(given[part]) for part, method in methods.items()}

    def _owners(self, setting: str, methods: Mapping[str, Method]) -> list[str]:
        """Give the parts that have a setting: the one that it names, or all that read text by it."""
        owner, _, name = setting.rpartition(".")
        found = [part for part, method in methods.items() if owner in (part, method.name)]
        if not owner:
            found = [part for part, method in methods.items() if name in method.declared_of_text()]
        if not found:
            named = f"{next(iter(methods))}.{name}"
            known = f"settings of its own: {', '.join(self.declared())}; of a part: {named}"
            raise InputError(f"{self._called()} has no setting {setting!r}, nor has a part that is called so; {known}")
        return found


@dataclass(frozen=True, kw_only=True)
class Teaching(OverMethods):
    """One method that teaches another."""

    naming: ClassVar[tuple[str, ...]] = ("teacher", "student")

    def declared(self) -> dict[str, Parameter]:
        """Give which methods teach and learn, and the settings of teaching."""
        return self.roles() | Method.declared(self)

    def roles(self) -> dict[str, Parameter]:
        """Give which methods teach and learn."""
        sentences = {
            "teacher": "The method whose surest answers about unlabelled documents a student learns from, if any.",
            "student": "The method that learns from them, in `rounds` (2), the `surest` (0.8); student.C=10 sets a C.",
        }
        return {role: Parameter(role, None, ROLE, sentence) for role, sentence in sentences.items()}

    def _methods(self, settings: Settings) -> dict[str, str]:
        """Give the two methods, the defaults where one is not named."""
        found = {
            "teacher": settings["teacher"] or TEACHER,
            "student": settings["student"] or STUDENT,
        }
        for role, name in found.items():
            if name == self.name or isinstance(METHODS.get(name), OverMethods | Searching):
                raise InputError(f"setting {role}={name}: it is made of several methods itself; choose another")
        return found


@dataclass(frozen=True, kw_only=True)
class SelfTraining(Method):
    """Self-training over one of some methods, or a teacher and a student."""

    learners: Mapping[str, tuple[Method, Settings, Settings] | None] = field(default_factory=dict)
    """The methods by name, each with the settings and parameters that suit it; None for what is wrapped by default."""
    teaching: Teaching
    """What takes its place where a teacher or a student is named."""

    @property
    def homes(self) -> tuple[str, ...]:
        """Its class, and that of teacher and student."""
        return self.home, self.teaching.home

    def declared(self) -> dict[str, Parameter]:
        """Give which method learns, the settings of self-training, and who teaches and learns."""
        sentence = "What learns in each round; the last three read counts: weighting=counts, norm=none."
        first = next(iter(self.learners))
        own = {"learner": Parameter("learner", first, choice(self.learners), sentence)} | super().declared()
        return own | self.teaching.roles()

    def configure(self, settings: Settings) -> tuple[Learner, TextSettings]:
        """Change some settings; with a teacher or a student, those of teaching."""
        if any(settings.get(role, "none") not in (None, "none") for role in Teaching.naming):
            return self.teaching.configure(_trusting_teacher(settings))
        return super().configure(settings)

    def build(self, settings: Settings, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give self-training over the method."""
        others = {name: value for name, value in settings.items() if name not in Teaching.naming}
        chosen = self.learners[others.pop("learner")]
        wrapped = None
        if chosen is not None:
            method, changes, parameters_of_it = chosen
            wrapped = method.configure(changes)[0].build(random_state, n_jobs).set_params(**parameters_of_it)
        return super().build(others | {"estimator": wrapped}, random_state, n_jobs)


@dataclass(frozen=True, kw_only=True)
class Searching(Method):
    """A search among other methods: `TextClassifier` puts what it finds in its place."""

    start: str = "linear-svm"
    """What stands for it where a classifier is asked for before there are documents."""

    @property
    def homes(self) -> tuple[str, ...]:
        """None: no model is a search."""
        return ()

    def declared_of_text(self) -> dict[str, Parameter]:
        """Give none: how text is read is looked for, unless it is said."""
        return {}

    def configure(self, settings: Settings) -> tuple[Learner, TextSettings]:
        """Change some settings of the search; settings of text are those of everything that is tried."""
        plain, _ = _divided(settings, self.declared())
        self.fixed(settings)
        return super().configure(plain)

    def fixed(self, settings: Settings) -> dict[str, Any]:
        """Give the settings of text among those that are given."""
        known = {**self.declared(), **parameters(TextSettings)}
        given = read_settings(known, settings, f"method {self.name!r}")
        return {name: value for name, value in given.items() if name not in self.declared()}

    def build(self, settings: Settings, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the classifier that a search begins with."""
        return find_method(self.start).learner.build(random_state, n_jobs)


def _trusting_teacher(settings: Settings) -> dict[str, Any]:
    """Give settings in which it is the teacher that trusts unlabelled documents, where it can choose how far."""
    others = {name: value for name, value in settings.items() if name != "trust"}
    teacher = find_method(settings.get("teacher") or TEACHER)
    trust = settings.get("trust") if "trust" in teacher.declared() else None
    return others if trust is None else {"teacher.trust": trust, **others}


def _part_names(written: str, method: str) -> list[str]:
    """Read the names of parts, as in `linear-svm+nb`."""
    names = [name.strip() for name in written.split("+")]
    for number, name in enumerate(names):
        if isinstance(METHODS.get(name), OverMethods | Searching):
            raise InputError(f"setting parts={written}: {name} is made of parts itself; name these")
        if name in names[:number]:
            raise InputError(f"setting parts={written}: {name} is there twice; name every part once")
    if len(names) < 2:
        raise InputError(f"setting parts={written}: method {method!r} needs two parts at least, such as linear-svm+nb")
    return names


def _divided(settings: Settings, names: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give the settings that have some names, and the others."""
    return (
        {name: value for name, value in settings.items() if name in names},
        {name: value for name, value in settings.items() if name not in names},
    )


LINEAR_TEXT = TextSettings(language="auto", stop_words=None, ngrams=2, ngram_min_df=2, ngram_weight=0.5, sublinear=None)
"""How linear methods read text: chosen on held-out training documents of seven corpora, see `docs/defaults.md`."""
# Porter's stemmer makes "v" of "vs", which then would be one with stray letters.
PRESENCE = TextSettings(weighting="binary", norm=None, min_length=2)
WORDS = TextSettings(weighting="counts", norm=None, stemmer=None)
"""Words as they stand: on short texts stems make more documents near, and not the right ones."""
STEMS = TextSettings(weighting="counts", norm=None)

SCALED: dict[str, Any] = {"scaling": "log-idf", "prior": False}
LONGER: dict[str, Any] = {"tol": 0.0, "max_iter": 20, "growth": 5, "growth_min_df": 3, "trust": "auto"}
"""What `-plus` adds to the methods of the papers: scaled documents, EM that runs longer, more terms, and doubt."""
FLAT: dict[str, Any] = {"inner": "auto", "prune": 0.01, "decision": "auto"}
DOWN: dict[str, Any] = {"descent": "soft", "prune": 0.01, "decision": "auto"}
OF_LINEAR = {name: f"estimator__{name}" for name in ("C", "class_weight", "max_iter")}
OF_BOOSTER = {name: f"estimator__{name}" for name in ("n_estimators", "prediction", "smoothing")}
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

LINEAR_SVM = Method(
    name="linear-svm",
    summary="Linear SVM, each category against the rest; the strong baseline.",
    home="strategies.linear_svm:LinearSVMClassifier",
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
    Method(
        name="logistic",
        summary="Logistic regression, each category against the rest.",
        home="strategies.flat:FlatClassifier",
        estimator="sklearn.linear_model:LogisticRegression",
        aliases=OF_LINEAR,
        defaults={"estimator__solver": "liblinear"} | FLAT,
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
        defaults={"n_estimators": 500},
        text=PRESENCE,
    ),
    Method(
        name="adaboost-mh-abstaining",
        summary="AdaBoost.MH that says nothing where the term is absent.",
        home="boosting.adaboost_mh:AdaBoostMH",
        defaults={"n_estimators": 500, "prediction": "abstaining"},
        text=PRESENCE,
    ),
    Method(
        name="adaboost-mh-discrete",
        summary="AdaBoost.MH with a sign a category and one strength a round.",
        home="boosting.adaboost_mh:AdaBoostMH",
        defaults={"n_estimators": 500, "prediction": "discrete"},
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
        defaults={"n_estimators": 200},
        text=PRESENCE,
    ),
    Method(
        name="treeboost-mh",
        summary="TreeBoost.MH: AdaBoost.MH at each node, from the top down.",
        home="boosting.treeboost_mh:TreeBoostMH",
        defaults={"n_estimators": 500},
        text=PRESENCE,
    ),
    Method(
        name="treeboost-mp",
        summary="TreeBoost over MP-Boost: a term for every category of a node.",
        home="boosting.treeboost_mh:TreeBoostMH",
        defaults={"pivots": "own"},
        text=PRESENCE,
    ),
    Method(
        name="global-svm",
        summary="Linear SVM over all nodes, labels closed upward, answers made consistent.",
        home="strategies.consistent:ConsistentClassifier",
        estimator="sklearn.svm:LinearSVC",
        aliases=OF_LINEAR,
        defaults={"prune": 0.01, "decision": "auto"},
        named=("prune",),
        text=LINEAR_TEXT,
        tried=TRIED_TEXT | TRIED_C,
    ),
    Method(
        name="global-adaboost",
        estimator="boosting.adaboost_mh:AdaBoostMH",
        aliases=OF_BOOSTER,
        summary="AdaBoost.MH over all nodes, labels closed upward, answers made consistent.",
        home="strategies.consistent:ConsistentClassifier",
        defaults={"n_estimators": 500, "threshold": "tuned-on-training"},
        named=("threshold", "relabel"),
        text=PRESENCE,
    ),
    Method(
        name="local-adaboost",
        estimator="boosting.adaboost_mh:AdaBoostMH",
        aliases=OF_BOOSTER,
        summary="AdaBoost.MH at each node, on all documents of its subtree, from the top down.",
        home="strategies.topdown.classifier:TopDownClassifier",
        defaults={
            "n_estimators": 500,
            "negatives": "subtree",
            "inner": "reach",
            "decision": "tuned,on=training,consistency=filter",
        },
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
    Method(
        name="topdown-svm",
        summary="Linear SVM at each node, from the top down; quick with many categories.",
        home="strategies.topdown.classifier:TopDownClassifier",
        estimator="sklearn.svm:LinearSVC",
        aliases=OF_LINEAR,
        defaults=DOWN | {"sharpness": 6.0},
        text=LINEAR_TEXT,
        tried=TRIED_TEXT | TRIED_DOWN | TRIED_C,
    ),
    Method(
        name="topdown-logistic",
        summary="Logistic regression at each node, from the top down.",
        home="strategies.topdown.classifier:TopDownClassifier",
        estimator="sklearn.linear_model:LogisticRegression",
        aliases=OF_LINEAR,
        defaults={"estimator__solver": "liblinear"} | DOWN | {"C": 10.0},
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
        aliases=BM25_NAMES,
        text=WORDS,
        tried=TRIED_BM25,
    ),
    Method(
        name="knn-bm25-paper",
        summary="knn-bm25 with the paper's values.",
        home="neighbours.bm25:BM25KNN",
        defaults=PAPER_KNN,
        aliases=BM25_NAMES,
        text=WORDS,
        tried=TRIED_BM25,
    ),
    Method(
        name="knn-bm25-hier",
        summary="knn-bm25 with votes for ancestors, centroids that borrow from their parents, and a way from the top.",
        home="neighbours.hierarchical:HierarchicalKNN",
        aliases=BM25_NAMES,
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
            "learning_rate": (0.02, 0.05, 0.1),
            "closed_weight": (0.1, 0.3, 1.0),
        },
    ),
    Method(
        name="fine-tuned",
        summary="A pretrained encoder that learns the hierarchy; best on short texts, wants a GPU.",
        home="neural.fine_tuned:FineTunedClassifier",
        defaults={"decision": "auto"},
        text=TextSettings(encoder="sentence"),
        tried={"epochs": (5, 10, 20), "learning_rate": (1e-4, 2e-4, 3e-4), "closed_weight": (0.1, 0.3, 1.0)},
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
        faults.append("it is not in the table classmark.registry.METHODS")
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
