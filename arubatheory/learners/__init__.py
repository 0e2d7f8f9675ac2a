r"""What an online algorithm plays: causal maps from a sequence of losses to a `Trajectory`.

`LEARNERS` names every learner of the signature (losses, domain, R, phi, eta); `aogd` has no eta; `ewoo`, `eps_ewoo`,
`eps_ftl` and `v_rule` play on intervals, `bregman_ftl` on points, `preconditioned_omd` with a matrix step size.
"""

from __future__ import annotations

from collections.abc import Callable

from arubatheory.arithmetic import ArrayLike, Number
from arubatheory.convex.hindsight import Hindsight, hindsight
from arubatheory.learners.algorithm2 import Aruba, Isotropic
from arubatheory.learners.descents import OMD, AdaptiveOGD, DynamicOGD, GreedyOGD, Hedge, OptimisticOMD
from arubatheory.learners.eps_ftl import eps_ftl, v_rule
from arubatheory.learners.ewoo import eps_ewoo, ewoo
from arubatheory.learners.ftl import Curvature, Leaders, ftl, leaders
from arubatheory.learners.ftrl import ftrl
from arubatheory.learners.geometry_ftl import MatrixFTL
from arubatheory.learners.interval_steps import EWOO, BregmanFTL, EpsEWOO, EpsFTL
from arubatheory.learners.leader_steps import FTL, FTRL
from arubatheory.learners.matrix_mean import matrix_mean, matrix_mean_from_factors
from arubatheory.learners.matrix_steps import AdaGrad, OnlineNewton
from arubatheory.learners.mirror_descent import greedy_ogd, omd
from arubatheory.learners.ogd import aogd, dynamic_ogd
from arubatheory.learners.preconditioned import PreconditionedOMD, preconditioned_descent, preconditioned_omd
from arubatheory.learners.running_means import bregman_ftl
from arubatheory.learners.stepped import Learner, play
from arubatheory.learners.trajectory import Trajectory, regret
from arubatheory.problems.domains import Domain
from arubatheory.problems.losses import Losses
from arubatheory.problems.regularizers import Regularizer

LEARNERS: dict[str, Callable[[Losses, Domain, Regularizer, ArrayLike, Number], Trajectory]] = {
    "omd": omd,
    "ftrl": ftrl,
    "greedy_ogd": lambda losses, domain, R, phi, eta: greedy_ogd(losses, domain, phi, eta),  # Euclidean whatever R is
    "dynamic_ogd": lambda losses, domain, R, phi, eta: dynamic_ogd(losses, domain, phi, eta),  # with h = 1
}
__all__ = [
    "EWOO",
    "FTL",
    "FTRL",
    "LEARNERS",
    "OMD",
    "AdaGrad",
    "AdaptiveOGD",
    "Aruba",
    "BregmanFTL",
    "Curvature",
    "DynamicOGD",
    "EpsEWOO",
    "EpsFTL",
    "GreedyOGD",
    "Hedge",
    "Hindsight",
    "Isotropic",
    "Leaders",
    "Learner",
    "MatrixFTL",
    "OnlineNewton",
    "OptimisticOMD",
    "PreconditionedOMD",
    "Trajectory",
    "aogd",
    "bregman_ftl",
    "dynamic_ogd",
    "eps_ewoo",
    "eps_ftl",
    "ewoo",
    "ftl",
    "ftrl",
    "greedy_ogd",
    "hindsight",
    "leaders",
    "matrix_mean",
    "matrix_mean_from_factors",
    "omd",
    "play",
    "preconditioned_descent",
    "preconditioned_omd",
    "regret",
    "v_rule",
]
