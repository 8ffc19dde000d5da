"""Self-training as a plain loop: over the naive Bayes oracle, and over any classifier by its public methods."""

from typing import Any

from classmark import Hierarchy
from tests.oracles import generative

Matrix = list[list[float]]


def hard_bayes(
    X: Matrix, S: list[list[float] | None], smoothing: float, weight: float, threshold: float, rounds: int
) -> tuple[list[float], Matrix, list[float]]:
    """Naive Bayes whose sure answers are labels; its parameters, and all posteriors that met the threshold."""
    known = [True] * len(X[0])
    taught = [(x, s) for x, s in zip(X, S, strict=True) if s is not None]
    others = [x for x, s in zip(X, S, strict=True) if s is None]
    prior, theta = generative.estimate([x for x, _ in taught], [s for _, s in taught], known, smoothing)
    before, compared = [None] * len(others), []
    for _ in range(rounds):
        answers: list[int | None] = []
        for x in others:
            chances = generative.posterior(generative.log_joint(x, prior, theta))
            compared += chances
            answers.append(chances.index(max(chances)) if max(chances) >= threshold else None)
        if answers == before:
            break
        sure = [
            (x, [weight * (place == answer) for place in range(len(prior))])
            for x, answer in zip(others, answers, strict=True)
            if answer is not None
        ]
        rows = taught + sure
        prior, theta = generative.estimate([x for x, _ in rows], [s for _, s in rows], known, smoothing)
        before = answers
    return prior, theta, compared


def hard_sets(
    wrapped: Any, tree: Hierarchy, X: Matrix, labels: list[list[str] | None], threshold: float, rounds: int
) -> tuple[Any, list[int]]:
    """Give the classifier after the last round, and how many labels changed in each."""
    known = [row for row, one in enumerate(labels) if one is not None]
    others = [row for row, one in enumerate(labels) if one is None]
    model = wrapped().fit([X[row] for row in known], [labels[row] for row in known])
    before: list[list[str]] = [[] for _ in others]
    changes = [len(known)]
    for _ in range(rounds):
        if not others:
            break
        chances = model.predict_proba([X[row] for row in others])
        answers = model.predict([X[row] for row in others])
        now = []
        for row, answer in zip(chances, answers, strict=True):
            sure = bool(answer) and all(row[tree.position(name)] >= threshold for name in answer)
            now.append(answer if sure else [])
        changed = sum(one != other for one, other in zip(now, before, strict=True))
        if not changed:
            break
        changes.append(changed)
        taught = [(X[row], labels[row]) for row in known]
        taught += [(X[row], answer) for row, answer in zip(others, now, strict=True) if answer]
        model = wrapped().fit([x for x, _ in taught], [answer for _, answer in taught])
        before = now
    return model, changes
