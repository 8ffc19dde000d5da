"""What `train` would do with a corpus as it is."""

from collections.abc import Sequence

from classmark.data.outline import Outline
from classmark.inspection.categories import Counts, n_documents
from classmark.inspection.findings import Finding
from classmark.inspection.kinds import UNTRAINABLE


def verdict_of(outline: Outline, counts: Counts, findings: Sequence[Finding]) -> str:
    """Say in a line what `train` would do."""
    for finding in findings:
        if finding.level == "error" or finding.kind in UNTRAINABLE:
            first = finding.examples[0] if finding.examples else None
            return f"train would refuse it: {finding.what}" + (f", first {first.where}: {first.what}" if first else "")
    return _learned(outline, counts)


def _learned(outline: Outline, counts: Counts) -> str:
    """Say how many documents would be learned from, and how many would not."""
    has_splits = any(split is not None for split in outline.splits)
    part = [
        labels for labels, split in zip(outline.labels, outline.splits, strict=True) if _is_learned(split, has_splits)
    ]
    unlabelled = part.count(None)
    told = [f"train would learn from {n_documents(len(part) - unlabelled)}"]
    if has_splits:
        told.append(f"leave the {len(outline) - len(part):,} of other splits alone")
    if unlabelled:
        told.append(f"leave out {unlabelled:,} without labels, unless the method learns from those")
    missing = sum(not counts.train[name] for name in counts.names)
    if missing:
        told.append(f"never see {missing:,} of the categories")
    return ", ".join(told[:-1]) + f" and {told[-1]}" if len(told) > 1 else told[0]


def _is_learned(split: str | None, has_splits: bool) -> bool:
    return split == "train" or not has_splits
