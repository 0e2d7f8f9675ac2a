r"""What an online algorithm plays: causal maps from a sequence of losses to a `Trajectory`.

`LEARNERS` names every learner of the signature (losses, domain, R, phi, eta); `ewoo` and `eps_ewoo` play on intervals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arubatheory.learners.ewoo import eps_ewoo, ewoo
from arubatheory.learners.hindsight import Hindsight, hindsight
from arubatheory.learners.leader import ftrl
from arubatheory.learners.mirror_descent import greedy_ogd, omd
from arubatheory.learners.trajectory import Trajectory, regret
from arubatheory.problems.domains import Domain
from arubatheory.problems.losses import Losses
from arubatheory.problems.regularizers import Regularizer


def _greedy(losses: Losses, domain: Domain, R: Regularizer, phi: Any, eta: Any) -> Trajectory:
    """`greedy_ogd` with the common signature; it is Euclidean whatever R is."""
    return greedy_ogd(losses, domain, phi, eta)


LEARNERS: dict[str, Callable[[Losses, Domain, Regularizer, Any, Any], Trajectory]] = {
    "omd": omd,
    "ftrl": ftrl,
    "greedy_ogd": _greedy,
}
__all__ = [
    "LEARNERS",
    "Hindsight",
    "Trajectory",
    "eps_ewoo",
    "ewoo",
    "ftrl",
    "greedy_ogd",
    "hindsight",
    "omd",
    "regret",
]
