r"""The decorator that makes statements of this paper: kinds and numbers come from its items."""

from __future__ import annotations

from arubatheory.papers.aruba import ARUBA
from arubatheory.papers.aruba.provable import GAMES
from arubatheory.statements.claim import claims

claim = claims(ARUBA.items, GAMES)
