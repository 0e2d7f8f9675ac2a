r"""The decorator that makes statements of the gallery: kinds and numbers come from its items."""

from __future__ import annotations

from arubatheory.papers.classics import ITEMS
from arubatheory.statements.claim import claims

claim = claims(ITEMS)
