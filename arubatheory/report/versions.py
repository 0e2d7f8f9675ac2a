r"""Which verdicts changed between two versions of a paper, from the ledgers of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from arubatheory.report.ledger import LedgerRow


class StatusChange(NamedTuple):
    """What became of a label: its status in both ledgers, "" where it has none."""

    label: str
    before: str
    after: str

    @property
    def sentence(self) -> str:
        """The change in words."""
        if not self.before:
            return f"{self.label}: new, {self.after}"
        if not self.after:
            return f"{self.label}: gone, was {self.before}"
        return f"{self.label}: {self.before} -> {self.after}"


def compared(old: Mapping[str, LedgerRow], new: Mapping[str, LedgerRow]) -> Iterator[StatusChange]:
    """The labels whose status is not the same in both, in the order of the new ledger, what is gone last."""
    for label in dict.fromkeys([*new, *old]):
        before, after = (rows[label].status if label in rows else "" for rows in (old, new))
        if before != after:
            yield StatusChange(label, str(before), str(after))
