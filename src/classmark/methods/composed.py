"""Entries of the table whose classifier is built over another one, which has settings too."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from classmark.checks import Constraint, choice, optional
from classmark.errors import InputError
from classmark.lazy import find
from classmark.methods.method import Learner, Method
from classmark.parameters import Parameter, parameters, read_settings
from classmark.text import TextSettings
from classmark.text.parts import TextsOfParts

if TYPE_CHECKING:
    from classmark.base import HierarchicalClassifier

Settings = Mapping[str, Any]
TEACHER, STUDENT = "pcem-plus", "linear-svm"
"""Who teaches and who learns, where only one of them is named."""
ROLE = optional(Constraint(lambda value: isinstance(value, str), "the name of a method", str))
PARTS = Constraint(lambda value: isinstance(value, str), "names of methods with + between them", str)


@dataclass(frozen=True, kw_only=True)
class OverLinear(Method):
    """A strategy over a linear learner of scikit-learn's; the solver's settings come first."""

    learner_class: str
    """The learner, one of `classmark.strategies.learners`."""

    def declared(self) -> dict[str, Parameter]:
        """Give the settings of the solver, and those of the strategy."""
        return self.settings_of(find("strategies.learners:Solver")) | super().declared()

    def build(self, settings: Settings, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the strategy over the learner."""
        solver = find("strategies.learners:Solver")
        given, others = _divided(settings, parameters(solver))
        learner = solver(**given).learner(self.learner_class, random_state)
        return super().build(others | {"estimator": learner}, random_state, n_jobs)


@dataclass(frozen=True, kw_only=True)
class OverBooster(Method):
    """A strategy over AdaBoost.MH; the booster's settings come first."""

    booster: str = "boosting.adaboost_mh:AdaBoostMH"
    """The booster's class."""
    boosted: tuple[str, ...] = ("n_rounds", "prediction", "smoothing")
    """The parameters of the booster that are settings."""
    nodes_at_once: bool = False
    """Whether several nodes are learned at a time, so that a booster has one thread."""

    def declared(self) -> dict[str, Parameter]:
        """Give the settings of the booster, and those of the strategy."""
        return self.settings_of(find(self.booster), self.boosted) | super().declared()

    def build(self, settings: Settings, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the strategy over the booster."""
        given, others = _divided(settings, self.boosted)
        booster = find(self.booster)(**given, random_state=random_state, n_jobs=None if self.nodes_at_once else n_jobs)
        return super().build(others | {"estimator": booster}, random_state, n_jobs)


@dataclass(frozen=True, kw_only=True)
class LocalBooster(OverBooster):
    """AdaBoost.MH at each node, with the thresholds of the global approach."""

    nodes_at_once: bool = True

    def declared(self) -> dict[str, Parameter]:
        """Give the settings of the booster, and the threshold, which is one of the global approach's."""
        return super().declared() | self.settings_of(find("strategies.consistent:ConsistentClassifier"), ("threshold",))

    def build(self, settings: Settings, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the strategy; on the way down scores only fall, so that all rules of consistency agree."""
        others = dict(settings)
        threshold = others.pop("threshold")
        decision = None if threshold is None else find("strategies.consistent:decision_by")(threshold, "filter")
        return super().build(others | {"decision": decision}, random_state, n_jobs)


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
        find_method = find("methods.table:find_method")
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
            if name == self.name or isinstance(find("methods.table:METHODS").get(name), OverMethods | Searching):
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
        return find("methods.table:find_method")(self.start).learner.build(random_state, n_jobs)  # type: ignore[no-any-return]


def _trusting_teacher(settings: Settings) -> dict[str, Any]:
    """Give settings in which it is the teacher that trusts unlabelled documents, where it can choose how far."""
    others = {name: value for name, value in settings.items() if name != "trust"}
    teacher = find("methods.table:find_method")(settings.get("teacher") or TEACHER)
    trust = settings.get("trust") if "trust" in teacher.declared() else None
    return others if trust is None else {"teacher.trust": trust, **others}


def _part_names(written: str, method: str) -> list[str]:
    """Read the names of parts, as in `linear-svm+nb`."""
    names = [name.strip() for name in written.split("+")]
    for number, name in enumerate(names):
        if isinstance(find("methods.table:METHODS").get(name), OverMethods | Searching):
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
