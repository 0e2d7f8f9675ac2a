"""Problems of one's own, from one place: losses as functions, domains, regularisers, and learners as state."""

from __future__ import annotations

from arubatheory.learners.algorithm1 import Algorithm1
from arubatheory.learners.descents import OMD, AdaptiveOGD, DynamicOGD, GreedyOGD, Hedge, OptimisticOMD
from arubatheory.learners.interval_steps import EWOO, BregmanFTL, EpsEWOO, EpsFTL
from arubatheory.learners.leader_steps import FTL, FTRL
from arubatheory.learners.matrix_steps import AdaGrad, OnlineNewton
from arubatheory.learners.preconditioned import PreconditionedOMD
from arubatheory.learners.stepped import Learner, play
from arubatheory.problems.own.check import check_losses
from arubatheory.problems.own.data import hinge, huber, logistic, multinomial, poisson, quantile, squared
from arubatheory.problems.own.p_norms import PNorm
from arubatheory.problems.own.rounds import Rounds
from arubatheory.problems.own.sets import Intersection, PBall, Polytope

__all__ = [
    "EWOO",
    "FTL",
    "FTRL",
    "OMD",
    "AdaGrad",
    "AdaptiveOGD",
    "Algorithm1",
    "BregmanFTL",
    "DynamicOGD",
    "EpsEWOO",
    "EpsFTL",
    "GreedyOGD",
    "Hedge",
    "Intersection",
    "Learner",
    "OnlineNewton",
    "OptimisticOMD",
    "PBall",
    "PNorm",
    "Polytope",
    "PreconditionedOMD",
    "Rounds",
    "check_losses",
    "hinge",
    "huber",
    "logistic",
    "multinomial",
    "play",
    "poisson",
    "quantile",
    "squared",
]
