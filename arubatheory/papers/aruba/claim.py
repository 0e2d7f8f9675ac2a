r"""The decorator that makes statements of this paper: kinds and numbers come from its items, what they leave open from
its readings."""

from __future__ import annotations

from arubatheory.papers.aruba import ARUBA
from arubatheory.papers.aruba.provable import GAMES
from arubatheory.statements.claim import claims
from arubatheory.statements.readings import read_readings

READINGS = read_readings(ARUBA.home / "readings.tsv")
claim = claims(ARUBA.everything, GAMES, READINGS)
