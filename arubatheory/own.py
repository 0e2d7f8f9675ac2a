"""Problems of one's own, from one place: losses as functions, domains, regularisers, and learners as state."""

from __future__ import annotations

from arubatheory.learners.descents import OMD, AdaptiveOGD, DynamicOGD, GreedyOGD, Hedge, OptimisticOMD
from arubatheory.learners.matrix_steps import AdaGrad, OnlineNewton
from arubatheory.learners.preconditioned import PreconditionedOMD
from arubatheory.learners.stepped import Learner, play
from arubatheory.problems.own.rounds import Rounds

__all__ = [
    "OMD",
    "AdaGrad",
    "AdaptiveOGD",
    "DynamicOGD",
    "GreedyOGD",
    "Hedge",
    "Learner",
    "OnlineNewton",
    "OptimisticOMD",
    "PreconditionedOMD",
    "Rounds",
    "play",
]
