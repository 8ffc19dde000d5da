"""Whether an installation is well: what it runs on, where it keeps things, and a test of it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from classmark.service.findings import FAILED, WARNING, Finding, Look, looked
from classmark.service.self_test import self_test
from classmark.service.surroundings import caches, extras, machine, threads, variables, versions

LOOKS: dict[str, Look] = {
    "versions": versions,
    "machine": machine,
    "threads": threads,
    "caches": caches,
    "extras": extras,
    "variables": variables,
}
"""What is looked at."""


@dataclass(frozen=True, kw_only=True)
class Checkup:
    """What was found."""

    findings: Sequence[Finding]
    """A line for each thing."""
    warnings: int
    """How many of them are warnings."""
    failed: int
    """How many have failed."""
    seconds: float
    """How long it took."""


def doctor(*, test: bool = True) -> Checkup:
    """Look at an installation, and test it unless that is not asked for."""
    start = time.perf_counter()
    looks = LOOKS | ({"self-test": self_test} if test else {})
    found = [finding for part, look in looks.items() for finding in looked(part, look)]
    states = [finding.state for finding in found]
    return Checkup(
        findings=found,
        warnings=states.count(WARNING),
        failed=states.count(FAILED),
        seconds=time.perf_counter() - start,
    )
