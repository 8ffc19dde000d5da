"""What Prometheus is told: requests, their seconds, batches, texts, labels given, and how sure the answers were."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Where prometheus-client puts the numbers of several processes together, by its own variable."""
SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
SHARES = tuple(share / 10 for share in range(1, 11))


def share_between_processes() -> Path:
    """Let several workers count together; before any of them is started."""
    folder = Path(mkdtemp(prefix="classmark-metrics-"))
    os.environ[SHARED] = str(folder)
    return folder


class Metrics:
    """The counters of one application."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram

        self._registry = registry = CollectorRegistry()
        self.requests = Counter(
            "classmark_requests", "Requests answered.", ["route", "method", "status"], registry=registry
        )
        self.seconds = Histogram(
            "classmark_request_seconds", "How long requests took.", ["route"], buckets=SECONDS, registry=registry
        )
        self.batches = Histogram(
            "classmark_batch_texts", "Texts answered together.", ["project"], buckets=SIZES, registry=registry
        )
        self.texts = Counter("classmark_texts", "Texts answered.", ["project"], registry=registry)
        self.labels = Counter("classmark_labels", "Labels given.", ["project"], registry=registry)
        self.confidence = Histogram(
            "classmark_confidence", "The chance of the best label.", ["project"], buckets=SHARES, registry=registry
        )
        self.corrections = Counter(
            "classmark_corrections", "Verdicts and lessons kept.", ["project", "kind"], registry=registry
        )

    def of_batches(self, project: str) -> Callable[[int], None]:
        """Give what counts the batches of a project."""
        sizes, texts = self.batches.labels(project), self.texts.labels(project)

        def observe(size: int) -> None:
            sizes.observe(size)
            texts.inc(size)

        return observe

    def answered(self, project: str, chances: list[list[float]]) -> None:
        """Count labels that were given, by their chances."""
        labels, confidence = self.labels.labels(project), self.confidence.labels(project)
        labels.inc(sum(map(len, chances)))
        for one in chances:
            if one:
                confidence.observe(max(one))

    def text(self) -> tuple[bytes, str]:
        """Give all numbers as Prometheus reads them, of all workers, and the type of that."""
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

        registry: Any = self._registry
        if SHARED in os.environ:
            from prometheus_client.multiprocess import MultiProcessCollector

            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
