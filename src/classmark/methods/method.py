"""What an entry of the table of methods is: a classifier by its name, the defaults that differ, a way to read text.

An entry names its class and imports it when somebody asks for its parameters: the table is listed without numpy. The
settings of a method are the parameters of its class that can be written on a command line; a method over another
learner has that learner's beside them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from classmark.lazy import find
from classmark.parameters import Parameter, parameters, read_settings
from classmark.text import TextSettings

if TYPE_CHECKING:
    from classmark.base import HierarchicalClassifier

NOT_SET = ("hierarchy", "decision", "calibration", "random_state", "n_jobs", "encoder")
"""Parameters that have options of their own, or that the settings of text have."""
WITHOUT_TERMS = ("encoder", "headers")
"""The settings of text that do not speak of terms."""
DEFAULT_TEXT = TextSettings()


def text_settings(*, reads_texts: bool) -> dict[str, Parameter]:
    """Give the settings of text, those alone that mean something to a classifier that reads texts itself."""
    return {name: one for name, one in parameters(TextSettings).items() if not reads_texts or name in WITHOUT_TERMS}


@dataclass(frozen=True)
class Learner:
    """A method with all of its settings, from which its classifier is built."""

    method: "Method"
    settings: Mapping[str, Any]

    def build(self, random_state: int | None, n_jobs: int | None) -> "HierarchicalClassifier":
        """Give the classifier of these settings, to be fitted."""
        return self.method.build(self.settings, random_state, n_jobs)


@dataclass(frozen=True, kw_only=True)
class Method:
    """One entry of the table."""

    name: str
    """What it is called."""
    summary: str
    """What it is, in a sentence."""
    home: str
    """Its class, as `package.module:Class` below `classmark`."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """The parameters that differ from those of the class."""
    named: Sequence[str] | None = None
    """The parameters that are settings; by default all that can be written as text."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """The parameters that have another name as settings, because the text's settings have theirs."""
    text: TextSettings = DEFAULT_TEXT
    """How it reads documents."""
    tried: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """The values of settings that `tune` tries by default."""
    starts_at_names: bool = False
    """Whether it learns best from names of categories as its only labelled documents, where there are none."""

    @property
    def class_name(self) -> str:
        """The name of its class, by which model files know it."""
        return self.home.partition(":")[2]

    @property
    def homes(self) -> tuple[str, ...]:
        """The classes that it may build, its own first."""
        return (self.home,)

    def declared(self) -> dict[str, Parameter]:
        """Give the settings of the classifier by their names, with the method's own defaults."""
        return self.settings_of(find(self.home), self.named)

    def declared_of_text(self) -> dict[str, Parameter]:
        """Give the settings of text that mean something to it, with its own defaults."""
        known = text_settings(reads_texts=find(self.home).reads_texts)
        return {name: one._replace(default=getattr(self.text, name)) for name, one in known.items()}

    def build(
        self, settings: Mapping[str, Any], random_state: int | None, n_jobs: int | None
    ) -> "HierarchicalClassifier":
        """Give the classifier with all settings as given, to be fitted."""
        kind = find(self.home)
        known = parameters(kind)
        fixed = {name: value for name, value in self.defaults.items() if name in known}
        own = {self.renamed.get(name, name): value for name, value in settings.items()}
        machine = {"random_state": random_state, "n_jobs": n_jobs}
        return kind(**fixed | own | {name: value for name, value in machine.items() if name in known})  # type: ignore[no-any-return]

    def configure(self, settings: Mapping[str, Any]) -> tuple[Learner, TextSettings]:
        """Change some settings, given as values or as the strings of the command line.

        >>> from classmark.methods import find_method
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
        """The method as it is by default."""
        return self.configure({})[0]

    def settings_of(self, kind: type, named: Sequence[str] | None = None) -> dict[str, Parameter]:
        """Give the parameters of a class that are settings, those that are named or all that can be written as text."""
        setting = {mine: theirs for theirs, mine in self.renamed.items()}
        return {
            (name := setting.get(one.name, one.name)): one._replace(
                name=name, default=self.defaults.get(one.name, one.default)
            )
            for one in parameters(kind).values()
            if (one.name in named if named is not None else one.constraint.parse and one.name not in NOT_SET)
        }
