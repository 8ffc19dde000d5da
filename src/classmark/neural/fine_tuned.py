"""A pretrained encoder that goes on learning, with the hierarchy in its loss; it reads texts itself.

What learns is in `fine_tuning`, which needs torch; what answers needs numpy alone (`text.encoders.bert`), and is
quicker by torch.
"""

import warnings
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from classmark.arrays import Floats
from classmark.base import Contributions
from classmark.checkpoints import check_checkpoint
from classmark.checks import BOOLEAN, choice, integer, optional, python_only, real
from classmark.data.names import category_texts
from classmark.decision import Auto, Choice, Threshold
from classmark.errors import InputError, needing
from classmark.held_out import SECONDS_AN_ENTRY, Task
from classmark.limits import Needed, available_memory, check_memory
from classmark.neural.heads import Heads
from classmark.neural.two_heads import NamesRead, TwoHeadedClassifier, Vectors
from classmark.persistence import State
from classmark.progress import notice, tell
from classmark.text.encoders.bert import Bert
from classmark.text.encoders.examples import Examples, Ragged
from classmark.text.encoders.folder import PREFIXES, ModelFolder, forward_of
from classmark.text.encoders.kinds import find_folder
from classmark.text.encoders.tokens import Tokeniser, token_rows
from classmark.text.settings import EncoderName

if TYPE_CHECKING:
    from classmark.neural.fine_tuning import Learned, Run
    from classmark.neural.learning import Told

SECONDS_A_WEIGHT = 1.5e-10
"""What a weight costs for each token that is learned from, on two cores, about."""
WEIGHTS_OF_MINILM = 2.3e7
NEEDS_TORCH = "fine-tuning needs torch and transformers"


class FineTunedClassifier(TwoHeadedClassifier):
    """An encoder such as MiniLM, learned on together with a head for own labels and one for all nodes.

    Rows of X are texts. A classifier that was fitted on texts takes the rows of its `tokeniser()` as well.

    Attributes
    ----------
    losses_ : list of float
        The mean loss of each epoch.
    interrupted_ : bool
        Whether Ctrl-C ended the last fit; the epochs done are kept.
    """

    reads_texts: ClassVar[bool] = True
    uses_every_core: ClassVar[bool] = True

    encoder: EncoderName = field(default="sentence", kw_only=False)
    max_tokens: Annotated[int, integer(ge=2), "How many tokens of a text are read; its rest is not."] = 256
    epochs: Annotated[int, integer(ge=1), "How often every document is seen."] = 10
    batch_size: Annotated[
        int | None, optional(integer(ge=1)), "How many documents make a step; none: 16 to 256, by how many there are."
    ] = None
    learning_rate: Annotated[
        float | None,
        optional(real(gt=0)),
        "The encoder's highest learning rate, a fifth of the heads'; none: 3e-4 for batches of 256, less for smaller.",
    ] = None
    closed_weight: Annotated[float, real(ge=0), "How much the labels of all nodes count beside own labels."] = 0.3
    dropout: Annotated[float, real(ge=0, lt=1), "The part of a text's vector that each step leaves out."] = 0.1
    sampled: Annotated[
        int | None,
        optional(integer(ge=1)),
        "How many categories a step looks at beside the labels of its documents; none: all of them, if they fit.",
    ] = None
    validation_fraction: Annotated[
        float | None,
        optional(real(gt=0, lt=1)),
        "The part of the documents that is held out, and ends the learning where their loss no longer falls.",
    ] = None
    n_iter_no_change: Annotated[
        int, integer(ge=1), "With documents held out, how many epochs without gain end the learning."
    ] = 2
    device: Annotated[
        str, choice(["auto", "cpu", "cuda"]), "Where to learn and answer; auto: on a GPU if there is one."
    ] = "auto"
    warm_start: Annotated[
        bool,
        python_only(BOOLEAN),
        "Whether `fit` goes on from the encoder and heads of the last `fit`, same categories.",
    ] = False

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        *,
        names: NamesRead | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
    ) -> Self:
        """Learn from texts and labels in any form.

        Each epoch is kept in the file `checkpoint`, where one is named; `resume` goes on from it.
        """
        self.check()
        check_checkpoint(checkpoint, resume=resume)
        self._checkpoint = None if checkpoint is None else Path(checkpoint), resume
        known = self.warm_start and hasattr(self, "heads_")
        self._before = (list(self.hierarchy_.names), self.ends_) if known else None
        try:
            return super().fit(X, y, sample_weight, names=names)
        finally:
            del self._checkpoint, self._before

    def tokeniser(self) -> Tokeniser:
        """Give what makes rows of texts, as this encoder reads them."""
        if self.warm_start and hasattr(self, "tokeniser_"):
            return self.tokeniser_
        return ModelFolder(find_folder(self.encoder)).tokeniser(self.max_tokens)

    def _validated(self, X: Any, reset: bool = False) -> csr_array:
        """Give rows of token numbers; texts become some first."""
        if reset:
            self.tokeniser_ = self.tokeniser()
        rows = super()._validated(self.tokeniser_.transform(X) if _are_texts(X) else X, reset)
        if rows.nnz and not (np.all(rows.data == np.floor(rows.data)) and rows.data.min() >= 1):
            raise InputError("X is neither texts nor the rows that tokeniser() makes of them; give texts")
        return rows

    def read_names(self, names: NamesRead | None) -> Any:
        """Give the tokens of what categories are called: by their own names where nobody says more."""
        return category_texts(self.hierarchy_) if names is None else names(self.hierarchy_)

    def _check_limits(self, X: csr_array, own: csr_array) -> None:
        """Refuse what there is no memory for; how long it takes is measured."""
        check_memory(self.memory_to_learn(X, own))

    def memory_to_learn(self, X: csr_array, own: csr_array) -> Needed:
        """Count the tokens; what the heads take depends on the device."""
        return Needed(24.0 * X.nnz, f"{X.nnz:,} tokens")

    def work_to_learn(self, X: csr_array, own: csr_array) -> float:
        """Estimate by the tokens and the weights of the encoder, on a CPU."""
        weights = (
            sum(array.size for array in self.weights_.values()) if hasattr(self, "weights_") else WEIGHTS_OF_MINILM
        )
        return SECONDS_A_WEIGHT / SECONDS_AN_ENTRY * weights * self.epochs * float(X.nnz)

    def quick_decision(self, task: Task, decision: Auto, otherwise: str | None) -> Choice:
        """Cut at even odds: to learn another cut the encoder would have to learn once more."""
        return Choice(Threshold(otherwise=otherwise), "even odds instead")

    def learn(self, X: csr_array, own: csr_array, weight: Floats | None) -> None:
        """Go on learning the encoder, and the heads from the names of the categories."""
        with needing(NEEDS_TORCH, "torch"):
            from classmark.neural import fine_tuning, learning
        run = self._run(X, own, weight)
        said = fine_tuning.Said(_tell, lambda line: warnings.warn(line, stacklevel=2), notice)
        try:
            learned = fine_tuning.fine_tune(run, said)
        except learning.NotANumberError as error:
            raise InputError(
                f"{error}: lower learning_rate={run.schedule.learning_rate:g}, to a half of it, say"
            ) from None
        except MemoryError as error:
            raise InputError(f"{error}: lower max_tokens={self.max_tokens}, or set device=cpu") from None
        self._take_up(run, learned, X, own)

    def _run(self, X: csr_array, own: csr_array, weight: Floats | None) -> "Run":
        """Give what is learned from, and how, as `fine_tuning` takes it."""
        from classmark.neural.fine_tuning import Run
        from classmark.neural.learning import Schedule
        from classmark.text.encoders.torch_encoder import choose_device

        config, weights, heads = self._start()
        seen = np.isin(self.ends_, own.indices)
        examples = self._examples(X, own, weight, seen)
        held, kept = self._divided(X.shape[0])
        checkpoint, resume = getattr(self, "_checkpoint", (None, False))
        size = self.batch_size or batch_for(kept.size)
        schedule = Schedule(
            epochs=self.epochs,
            batch_size=size,
            learning_rate=self.learning_rate or rate_for(size),
            closed_weight=self.closed_weight,
            max_tokens=self.max_tokens,
            sampled=self.sampled,
        )
        return Run(
            config=config,
            weights=weights,
            names=_ragged(self.category_rows_[self.ends_]) if self.category_rows_ is not None else None,
            seen=seen,
            n_nodes=len(self.hierarchy_),
            examples=examples.take(kept),
            held_out=examples.take(held) if held.size else None,
            n_iter_no_change=self.n_iter_no_change,
            heads=heads,
            schedule=schedule,
            dropout=self.dropout,
            seed=self.random_state or 0,
            device=choose_device(self.device),
            checkpoint=checkpoint,
            resume=resume,
            free=available_memory(),
        )

    def _start(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]], Any]:
        """Give the encoder to start from, and the heads, those of the last fit where it goes on from there."""
        before = getattr(self, "_before", None)
        if before is None:
            folder = ModelFolder(find_folder(self.encoder))
            return dict(folder.config), folder.weights(), None
        names, ends = before
        if names != list(self.hierarchy_.names) or not np.array_equal(ends, self.ends_):
            raise InputError("warm_start goes on with the same categories; leave it out to fit anew")
        weights = {name: array.astype(np.float32) for name, array in self.weights_.items()}
        return self.config_, weights, self.heads_

    def _examples(self, X: csr_array, own: csr_array, weight: Floats | None, seen: npt.NDArray[np.bool_]) -> Examples:
        places = np.zeros(len(self.hierarchy_), dtype=np.int64)
        places[self.ends_[seen]] = np.arange(int(seen.sum()))
        closed = self.hierarchy_.close(own)
        return Examples(
            _ragged(X),
            Ragged(own.indptr.astype(np.int64), places[own.indices]),
            Ragged(closed.indptr.astype(np.int64), closed.indices.astype(np.int64)),
            np.ones(X.shape[0], np.float32) if weight is None else (weight / weight.mean()).astype(np.float32),
        )

    def _divided(self, documents: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Give the documents held out, and the others."""
        order = np.random.default_rng(self.random_state).permutation(documents)
        count = 0 if self.validation_fraction is None else max(1, round(self.validation_fraction * documents))
        if count >= documents:
            raise InputError(
                f"validation_fraction={self.validation_fraction} holds all {documents} documents out; lower it"
            )
        return np.sort(order[:count]), np.sort(order[count:])

    def _take_up(self, run: "Run", learned: "Learned", X: csr_array, own: csr_array) -> None:
        """Keep what was learned, in the numbers that a model file has."""
        self.config_ = run.config
        self.weights_ = {name: array.astype(np.float16) for name, array in learned.weights.items()}
        heads = learned.heads
        self.heads_ = Heads(heads.own, heads.own_bias, heads.scale, heads.closed, heads.closed_bias).rounded()
        self.known_ = np.zeros(len(self.hierarchy_), dtype=bool)
        self.known_[self.hierarchy_.close(own).indices] = True
        self.losses_, self.interrupted_ = learned.means, learned.interrupted
        self.__dict__.pop("_forward", None)
        if learned.interrupted:
            further = "; resume goes on from there" if run.checkpoint else ""
            done = f"{len(learned.means)} of {self.epochs} epochs"
            warnings.warn(f"interrupted: kept the {done} done{further}", stacklevel=4)

    def vectors_of(self, X: csr_array) -> Vectors:
        """Give the mean of the encoder's last layer over the tokens of each text."""
        if not hasattr(self, "_forward"):
            weights = {name: array.astype(np.float32) for name, array in self.weights_.items()}
            self._forward = forward_of(self.config_, weights, device=self.device)
        return np.asarray(self._forward(X))

    def contributions_to(self, X: csr_array, node: int, scores: Floats) -> Contributions:
        """Give every token what the score of the node loses without it."""
        rows, shares = [], np.zeros(X.nnz)
        for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            rows += [np.delete(X.data[start:stop], place) for place in range(stop - start)]
        if rows:
            without = self.score_rows(token_rows(rows, X.shape[1]))[:, node]
            documents = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
            known = np.isfinite(scores[documents, node])
            shares[known] = (scores[documents, node] - without)[known]
        terms = csr_array((shares, X.indices, X.indptr), shape=X.shape)
        return Contributions(terms, np.asarray(scores[:, node] - terms.sum(axis=1)))

    def _learned_state(self) -> State:
        return self._heads_state() | {
            "config": msgspec.json.encode(self.config_).decode(),
            "tokenizer": self.tokeniser_.definition,
            "weights": self.weights_,
            "losses": self.losses_,
        }

    def _restore(self, learned: State) -> None:
        self._restore_heads(learned)
        self.config_ = msgspec.json.decode(learned["config"], type=dict[str, Any])
        self.weights_ = dict(learned["weights"])
        for name, array in self.weights_.items():
            if not isinstance(array, np.ndarray) or array.dtype != np.float16 or not np.isfinite(array).all():
                raise InputError(f"the model's weight {name!r} is not an array of finite float16")
        self.tokeniser_ = Tokeniser(msgspec.convert(learned["tokenizer"], str), self.n_features_in_)
        self.losses_ = msgspec.convert(learned["losses"], list[float])
        self.interrupted_ = False
        kind = self.config_.get("model_type")
        if kind not in PREFIXES:
            raise InputError(f"the model's encoder is a {kind} model, not one of {', '.join(PREFIXES)}")
        if self.tokeniser_.vocabulary_size < 1:
            raise InputError("the model's tokenizer knows no token")
        if kind == "bert":
            Bert(self.config_, self.weights_)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_forward"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = tags.input_tags.sparse = False
        return tags


def batch_for(documents: int) -> int:
    """Give how many documents make a step: the more there are, the more.

    >>> batch_for(100), batch_for(15_000), batch_for(1_000_000)
    (16, 64, 256)
    """
    return int(np.clip(2 ** round(np.log2(max(1, documents) / 200)), 16, 256))


def rate_for(batch_size: int) -> float:
    """Give the rate for batches of a size: the noise of a step falls with the root of its documents.

    >>> rate_for(256), rate_for(64)
    (0.0003, 0.00015)
    """
    return float(3e-4 * np.sqrt(batch_size / 256))


def _are_texts(X: Any) -> bool:
    """Say whether X is texts, and not rows of numbers."""
    if isinstance(X, str):
        raise InputError("X is one text; give a list of texts")
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and X.dtype.kind in "UOT"
    return isinstance(X, Sequence) and bool(len(X)) and all(isinstance(one, str) for one in X)


def _ragged(X: csr_array) -> Ragged:
    return Ragged(X.indptr.astype(np.int64), X.data.astype(np.int64) - 1)


def _tell(told: "Told", steps: int) -> None:
    loss = "" if told.loss is None else f", loss {told.loss:.3f}"
    tell(f"steps (epoch {told.epoch}{loss})", told.steps, steps)
