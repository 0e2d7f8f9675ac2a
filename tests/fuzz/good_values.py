"""Good arguments for every parameter, by its name: small problems that fit together, so that deep code is met."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory import Assumption, Instance, Sides, Statement
from arubatheory.arithmetic import exact
from arubatheory.learners import Aruba, Curvature, Isotropic, MatrixFTL, omd
from arubatheory.learners.algorithm1 import Algorithm1
from arubatheory.learners.algorithm2 import Refinement
from arubatheory.learners.meta import begin, constant_rate, eps_ewoo_rate, eps_ftl_rate, mean, printed_rate
from arubatheory.own import (
    EWOO,
    FTL,
    FTRL,
    OMD,
    AdaGrad,
    AdaptiveOGD,
    BregmanFTL,
    DynamicOGD,
    EpsEWOO,
    EpsFTL,
    GreedyOGD,
    Hedge,
    OnlineNewton,
    OptimisticOMD,
    PBall,
    PNorm,
    Polytope,
    PreconditionedOMD,
)
from arubatheory.problems.domains import Domain, ball, box, simplex, space
from arubatheory.problems.draw import RandomDraw, Tape, TapeDraw
from arubatheory.problems.environments import bernoulli_tasks, environment
from arubatheory.problems.losses import losses
from arubatheory.problems.norms import Norm
from arubatheory.problems.regularizers import Regularizer, entropy, euclidean, mahalanobis
from arubatheory.problems.tasks import tasks
from arubatheory.statements.chance import Chance
from arubatheory.statements.effort import Effort
from arubatheory.statements.growth import Growth
from arubatheory.untried.geometry_meta import fixed, full_matrix

M, ROUNDS, LINKS = 3, 2, ("linear", "square", "huber", "distance", "logistic", "absolute", "hinge")
STATEFUL = ("draw", "rng", "rates", "rule", "build", "parent", "self", "chunks", "parts")  # changed by design, or once


def _pair(draw: Any) -> Instance:
    return Instance(x=draw.real(-2, 2), y=draw.real(-2, 2))


SQUARES = Statement(
    "fuzz:squares",
    "claim",
    r"2xy\le x^2+y^2",
    _pair,
    lambda i: Sides(2 * i.x * i.y, i.x * i.x + i.y * i.y),
    assumptions=(Assumption(r"x\le 2", lambda i: 2 - abs(i.x)),),
)
GROWING = Statement(
    "fuzz:growth", "claim", r"T", _pair, engines=("rate",), growth=Growth(lambda i, T: float(T), 1.0, longest=64)
)
SAMPLED = Statement(
    "fuzz:chance",
    "claim",
    r"P",
    _pair,
    engines=("simulate",),
    chance=Chance(lambda i, rng, n: rng.random(n) - 1.0, delta=lambda i: 0.5),
)


class World:
    """One problem: a dimension, a domain with a regulariser and a norm, losses on it, tasks, in floats or exactly."""

    def __init__(self, domain: Domain, R: Regularizer, norm: Norm, phi: Any, in_exact: bool = False) -> None:
        self.d, self.in_exact = len(phi), in_exact
        self.domain, self.R, self.norm, self.phi = domain, R, norm, np.array(phi, float)

    def losses(self, rng: np.random.Generator, m: int = M) -> Any:
        """Mixed losses; linear ones in exact numbers, whose play stays rational."""
        a = np.round(rng.uniform(-1, 1, (m, self.d)) * 8) / (16 * self.d)
        names = ["linear"] * m if self.in_exact else [LINKS[k] for k in rng.integers(0, len(LINKS), m)]
        return losses(names, a, 0.25, weight=0.5, ridge=0.5, c=np.tile(self.phi, (m, 1)))

    def lifted(self, value: Any) -> Any:
        """In the arithmetic of this world."""
        return exact(value) if self.in_exact else value


def _norm(d: int, kind: int = 0) -> Norm:
    matrix = np.eye(d) + (1 if kind == 3 else 0) * np.full((d, d), 0.25)
    return Norm(kind, matrix, np.linalg.inv(matrix) if kind == 3 else np.eye(d))


WORLDS = (
    World(box(-1, 1), euclidean(1), _norm(1), [0.5]),
    World(ball([0.0, 0.5], 1.0), euclidean(2), _norm(2, 1), [0.25, 0.5]),
    World(simplex(3), entropy(3), _norm(3, 2), [0.25, 0.25, 0.5]),
    World(box([-1, 0], [1, 2]), mahalanobis([[2.0, 0.5], [0.5, 1.0]]), _norm(2, 3), [0.5, 1.0]),
    World(space(2), euclidean(2), _norm(2), [0.5, -1.0]),
    World(ball([0.0, 0.5], 1.0), euclidean(2), _norm(2, 1), [0.25, 0.5], in_exact=True),
)
BERNOULLI = (
    bernoulli_tasks([0.5, 0.5], [0.25, 0.75]),
    environment("square", [1.0], [0.5, 0.5], 0.5, 0.5, 0.25),
    environment("hinge", [0.25, 0.75], [1.0], [[0.5], [1.0]], 0.5, 0.25),
)
Maker = Callable[[World, np.random.Generator], Any]
SCALARS = {
    **dict.fromkeys(("eta", "h", "eps", "zeta", "noise", "v", "gamma", "step", "radius", "c", "above"), 0.5),
    **{
        "D": 2.0,
        "V": 1.0,
        "late": 0.25,
        "weight": 0.5,
        "p": 0.5,
        "b": 0.5,
        "g": 0.25,
        "h": 1,
        "low": 0.25,
        "high": 2.0,
    },
    **{"m": M, "n": 3, "T": ROUNDS, "J": 2, "count": 2, "limit": 8, "replicates": 3, "threads": 1, "octaves": 4},
    **{"t": 1, "start": 0, "stop": 2, "rank": 5, "rounds": 3, "budget": 40, "seed": 3, "last_bits": 256, "share": 1},
    **{"bits": 64, "numerator": 3, "denominator": 4, "a": 2, "least": None, "most": None},
    **dict.fromkeys(("playing", "positive", "bend", "centred", "in_exact", "exact", "summed", "first"), True),
    **{"link": "square", "method": "quad", "within": "omd", "update": "last", "engine": "check", "name": "value"},
    **{"learner": "FTRL", "kind": "claim", "latex": "x", "label": "fuzz:label", "title": "t", "number": "1"},
    **{
        "kinds": (2, 1),
        "links": (0, 1, 6),
        "engines": ("check",),
        "claims": (),
        "ridge": True,
        "kink": 0.5,
        "note": "",
    },
    **{"uses": (), "corrects": (), "assumptions": (), "part_of": None, "step_of": None, "growth": None, "chance": None},
    **{"words": None, "integers": None, "folder": "witnesses", "shape": (2, 2), "units": [3, 2**23, 2**24, 5]},
}
NAMED: dict[str, Maker] = {
    "domain": lambda w, rng: w.lifted(w.domain),
    "R": lambda w, rng: w.lifted(w.R),
    "norm": lambda w, rng: w.lifted(w.norm),
    "losses": lambda w, rng: w.lifted(w.losses(rng)),
    "parts": lambda w, rng: [w.lifted(w.losses(rng)) for _ in range(ROUNDS)],
    "tasks": lambda w, rng: tasks([w.losses(rng) for _ in range(ROUNDS)]),
    "draw": lambda w, rng: TapeDraw(Tape([1] * 99, [2**22] * 999), True) if w.in_exact else RandomDraw(rng),
    "rng": lambda w, rng: rng,
    "d": lambda w, rng: w.d,
    "eta": lambda w, rng: 0.5,
    "alpha": lambda w, rng: rng.uniform(0.5, 1, M) if rng.integers(2) else 0.5,
    "curvature": lambda w, rng: Curvature(w.R, np.full(M, 0.5), np.tile(w.phi, (M, 1))),
    "trajectory": lambda w, rng: omd(w.losses(rng), w.domain, w.R, w.phi, 0.5),
    "init": lambda w, rng: mean(w.phi),
    "sim": lambda w, rng: (
        constant_rate(0.5),
        eps_ftl_rate(2.0, 0.5),
        eps_ewoo_rate(2.0, 0.5, 0.1),
        printed_rate(2.0, 0.5),
    )[rng.integers(4)],
    "state": lambda w, rng: begin(mean(w.phi)),
    "optima": lambda w, rng: np.tile(w.phi, (ROUNDS, 1)),
    "optimum": lambda w, rng: w.phi,
    "points": lambda w, rng: np.tile(w.phi, (M, 1)) * rng.uniform(0.5, 1, (M, 1)),
    "H": lambda w, rng: (0.5, np.full(w.d, 0.5), 0.5 * np.eye(w.d))[rng.integers(3)],
    "rates": lambda w, rng: (Aruba, Isotropic)[rng.integers(2)](w.phi.copy()),
    "rule": lambda w, rng: fixed(0.5, w.d) if rng.integers(2) else full_matrix(w.d, 0.5, 0.5),
    "params": lambda w, rng: {"w": w.phi.copy(), "b": [np.zeros((1, 2))]} if rng.integers(2) else w.phi.copy(),
    "matrix": lambda w, rng: w.lifted(np.eye(w.d) + 0.25),
    "low": lambda w, rng: w.lifted(0.25),
    "high": lambda w, rng: w.lifted(2.0),
    "E": lambda w, rng: BERNOULLI[rng.integers(len(BERNOULLI))],
    "divergence": lambda w, rng: rng.uniform(0, 1, (M, M)),
    "B": lambda w, rng: rng.uniform(0, 1, M),
    "floor": lambda w, rng: np.full(w.d, 0.125),
    "tape": lambda w, rng: Tape([1] * 9, [2**22] * 9),
    "effort": lambda w, rng: Effort(("check",), 40, 0),
    "statement": lambda w, rng: SQUARES,
    "instance": lambda w, rng: _pair,
    "sides": lambda w, rng: SQUARES.sides,
    "build": lambda w, rng: _pair,
    "bound": lambda w, rng: lambda price, delta: price / delta,
    "options": lambda w, rng: ("a", "b"),
    "values": lambda w, rng: [1, 0.5],
    "names": lambda w, rng: {"a": SQUARES},
    "value": lambda w, rng: w.lifted(w.phi.copy()),
    "parent": lambda w, rng: Aruba(w.phi.copy()),
    "out": lambda w, rng: w.phi.copy(),
    "array": lambda w, rng: w.phi.copy(),
}
SPECIAL: dict[str, Maker] = {
    "problems.losses.losses.a": lambda w, rng: w.lifted(rng.uniform(-0.5, 0.5, (M, w.d))),
    "problems.losses.losses.b": lambda w, rng: w.lifted(rng.uniform(-1, 1, M)),
    "problems.losses.losses.c": lambda w, rng: w.lifted(w.phi),
    "problems.losses.losses.link": lambda w, rng: ["square", "hinge", 0],
    "problems.losses.numbers.in_exact": lambda w, rng: w.in_exact,
    "problems.numbers.real.above": lambda w, rng: 0,
    "problems.numbers.as_dimension.most": lambda w, rng: 8,
    "problems.numbers.real.value": lambda w, rng: 0.75,
    "problems.numbers.probabilities.value": lambda w, rng: np.array([0.25, 0.75]),
    "problems.numbers.shaped.value": lambda w, rng: w.phi,
    "problems.numbers.as_floats.value": lambda w, rng: w.phi,
    "problems.numbers.spread.shape": lambda w, rng: (M, w.d),
    "problems.numbers.in_common.a": lambda w, rng: w.lifted(w.phi),
    "problems.numbers.in_common.b": lambda w, rng: w.lifted(w.phi),
    "problems.domains.box.low": lambda w, rng: w.phi,
    "problems.domains.box.high": lambda w, rng: w.phi + 1,
    "problems.domains.ball.center": lambda w, rng: w.phi,
    "problems.domains.interval.high": lambda w, rng: 2,
    "problems.environments.environment.tasks": lambda w, rng: np.array([0.25, 0.75]),
    "problems.environments.environment.inputs": lambda w, rng: np.array([0.5, 0.5]),
    "problems.environments.environment.chance": lambda w, rng: np.full((2, 2), 0.5),
    "problems.environments.environment.centre": lambda w, rng: 0.5,
    "problems.environments.environment.radius": lambda w, rng: 0.25,
    "problems.environments.bernoulli_tasks.tasks": lambda w, rng: np.array([0.25, 0.75]),
    "problems.environments.bernoulli_tasks.chance": lambda w, rng: np.array([0.5, 1.0]),
    "problems.environments.random_environment.link": lambda w, rng: (1, 2, 3, 4)[rng.integers(4)],
    "problems.domains.batch.parts": lambda w, rng: [w.domain, w.domain],
    "problems.coarse.unit_of_scale.low": lambda w, rng: -4,
    "problems.coarse.unit_of_scale.high": lambda w, rng: 4,
    **{
        f"problems.draw.{reader}Draw.size.{argument}": (lambda w, rng, value=value: value)
        for reader in ("Random", "Grid", "Tape")
        for argument, value in (("name", "rounds"), ("usual", 4), ("limit", 9), ("least", 1))
    },
    "problems.draw.RandomDraw.spd.low": lambda w, rng: -2,
    "problems.draw.RandomDraw.spd.high": lambda w, rng: 2,
    **{
        f"problems.draw.{reader}Draw.positive.{end}": (lambda w, rng, value=value: value)
        for reader in ("Random", "Grid", "Tape")
        for end, value in (("low", -2), ("high", 2))
    },
    **{
        f"problems.draw.{reader}Draw.{method}.{end}": (lambda w, rng, value=value: value)
        for reader in ("Random", "Grid", "Tape")
        for method in ("integer", "integers")
        for end, value in (("low", -2), ("high", 2))
    },
    **{
        f"learners.{home}.{name}.seen": lambda w, rng: w.lifted(w.phi / 4)
        for home, names in {
            "descents": ("OMD", "Hedge", "OptimisticOMD", "DynamicOGD", "GreedyOGD", "AdaptiveOGD"),
            "matrix_steps": ("AdaGrad", "OnlineNewton"),
            "preconditioned": ("PreconditionedOMD",),
        }.items()
        for name in names
    },
    "learners.leader_steps.FTRL.see.seen": lambda w, rng: w.lifted(w.losses(rng, 1)),
    "learners.leader_steps.FTL.see.seen": lambda w, rng: w.lifted(w.losses(rng, 1)),
    "learners.interval_steps.EWOO.see.seen": lambda w, rng: losses("square", np.ones((1, 1)), np.ones(1)),
    **{
        f"learners.interval_steps.{name}.{place}": lambda w, rng, value=value: value
        for name in ("EWOO", "EpsEWOO", "EpsFTL")
        for place, value in {
            **{"gamma": 0.25, "low": 0.5, "high": 2.0, "D": 2.0, "eps": 0.5, "domain": "main", "first": 1.0},
            **{"see.B": 0.5, "see.alpha": 0.25},
        }.items()
    },
    "learners.interval_steps.BregmanFTL.first": lambda w, rng: w.lifted(w.phi),
    "learners.interval_steps.BregmanFTL.see.point": lambda w, rng: w.lifted(w.phi / 4),
    "learners.interval_steps.BregmanFTL.see.alpha": lambda w, rng: 0.25,
    "learners.descents.Hedge.phi": lambda w, rng: w.d if rng.integers(2) else np.full(w.d, 1 / w.d),
    "learners.descents.AdaptiveOGD.alpha": lambda w, rng: 0.5,
    "learners.descents.AdaptiveOGD.see.alpha": lambda w, rng: 0.5,
    "learners.descents.OptimisticOMD.lazy": lambda w, rng: bool(rng.integers(2)),
    "learners.matrix_steps.AdaGrad.form": lambda w, rng: "scalar",
    "learners.matrix_steps.AdaGrad.delta": lambda w, rng: 0.25,
    "learners.algorithm2.as_power.value": lambda w, rng: 0.5,
    "learners.algorithm1.Algorithm1.sigma": lambda w, rng: 1.0,
    "learners.algorithm1.Algorithm1.start.sigma": lambda w, rng: 1.0,
    "learners.algorithm1.Algorithm1.end.sigma": lambda w, rng: 1.0,
    "learners.stepped.play.learner": lambda w, rng: GreedyOGD(w.lifted(w.domain), w.lifted(w.phi), 0.5),
    "learners.stepped.play.actions": lambda w, rng: True,
    "problems.own.check.check_losses.pairs": lambda w, rng: 4,
    **{
        f"problems.own.data.{name}.{argument}": make
        for name in ("squared", "huber", "logistic", "hinge", "quantile", "poisson", "multinomial")
        for argument, make in (
            ("X", lambda w, rng: rng.normal(size=(M, w.d))),
            ("y", lambda w, rng: np.array([0.0, 1.0, 1.0])),
            ("q", lambda w, rng: 0.25),
            ("delta", lambda w, rng: 0.5),
        )
    },
    "problems.own.p_norms.PNorm.p": lambda w, rng: 1.5,
    "problems.own.p_norms.PNorm.value.x": lambda w, rng: w.phi,
    "problems.own.p_norms.PNorm.gradient.x": lambda w, rng: w.phi,
    "problems.own.p_norms.PNorm.mirror_step.domain": lambda w, rng: space(w.d),
    "problems.own.p_norms.PNorm.mirror_step.phi": lambda w, rng: w.phi,
    "problems.own.p_norms.PNorm.mirror_step.g": lambda w, rng: w.phi,
    "problems.own.sets.PBall.p": lambda w, rng: 1.5,
    "problems.own.sets.PBall.center": lambda w, rng: w.phi,
    "problems.own.sets.PBall.project.x": lambda w, rng: w.phi + 1,
    "problems.own.sets.Polytope.A": lambda w, rng: np.vstack([np.eye(w.d), -np.eye(w.d)]),
    "problems.own.sets.Polytope.b": lambda w, rng: np.ones(2 * w.d),
    "problems.own.sets.Polytope.project.x": lambda w, rng: w.phi + 2,
    "learners.eps_ftl.v_rule.first": lambda w, rng: 0.5,
    "learners.meta.pair.item": lambda w, rng: (w.phi, w.phi),
    "problems.draw.RandomDraw.real.low": lambda w, rng: -0.5,
    "problems.draw.RandomDraw.real.high": lambda w, rng: 2,
    "problems.draw.RandomDraw.array.values": lambda w, rng: [1, 0.5],
    "learners.ewoo.ewoo.low": lambda w, rng: 0.25,
    "learners.ewoo.ewoo.high": lambda w, rng: 1.0,
    "problems.draw.on_grid.points": lambda w, rng: rng.random(3),
    "problems.regularizers.mahalanobis.matrix": lambda w, rng: w.lifted(np.eye(w.d) + 0.25),
    "problems.norms.squared_norm.x": lambda w, rng: w.lifted(w.phi),
    "problems.norms.squared_dual_norm.g": lambda w, rng: w.lifted(w.phi),
    "learners.ewoo.ewoo.losses": lambda w, rng: losses("square", np.ones((2, 1)), 0.5),
    "learners.ewoo.ewoo.gamma": lambda w, rng: 0.05,
    "learners.ewoo.eps_ewoo.domain": lambda w, rng: ("appendix", "main")[rng.integers(2)],
    "learners.matrix_mean.low_rank_mean.F": lambda w, rng: rng.normal(size=(4, 2)),
    "learners.matrix_mean.low_rank_mean.J": lambda w, rng: rng.normal(size=(4, 1)),
    "learners.meta.stream.chunks": lambda w, rng: [(tasks([w.losses(rng)]), np.tile(w.phi, (1, 1)))],
    "learners.meta.stream.options": lambda w, rng: {},
    "problems.tasks.together.runs": lambda w, rng: [tasks([w.losses(rng)]) for _ in range(2)],
    "learners.running_means.bregman_ftl.first": lambda w, rng: w.phi,
    "learners.transfer.meta_train.sim": lambda w, rng: (constant_rate(0.5), eps_ewoo_rate(2.0, 0.5, 0.1))[
        rng.integers(2)
    ],
    "learners.mirror_descent.omd.out": lambda w, rng: None,
    "learners.mirror_descent.greedy_ogd.out": lambda w, rng: None,
    "learners.ogd.aogd.out": lambda w, rng: None,
    "learners.ogd.dynamic_ogd.out": lambda w, rng: None,
    "learners.ftrl.ftrl.out": lambda w, rng: None,
    "learners.transfer.transfer_risk.eta": lambda w, rng: np.array([0.125, 0.5]),
    "learners.transfer.fresh.eta": lambda w, rng: np.array([0.125, 0.5]),
    "learners.algorithm2.Aruba.restore.state": lambda w, rng: Aruba(w.phi.copy()).state(),
    "learners.algorithm2.Isotropic.restore.state": lambda w, rng: Isotropic(w.phi.copy()).state(),
    "learners.geometry_ftl.MatrixFTL.learn.B": lambda w, rng: w.phi,
    "learners.geometry_ftl.MatrixFTL.learn.G": lambda w, rng: np.eye(w.d),
    "untried.geometry_meta.geometry_steps.parts": lambda w, rng: [(w.losses(rng), w.phi) for _ in range(ROUNDS)],
    "engines.rate.rate.statement": lambda w, rng: GROWING,
    "engines.rate.rate.budget": lambda w, rng: 2,
    "engines.simulate.simulate.statement": lambda w, rng: SAMPLED,
    "engines.worst_case.find_game.losses": lambda w, rng: "convex",
    "statements.chance.at_worst.excess": lambda w, rng: np.array([0.5, -0.5]),
    "statements.chance.at_worst.price": lambda w, rng: np.array([1.0, 2.0]),
    "statements.chance.at_worst.prob": lambda w, rng: np.array([0.5, 0.5]),
    "statements.core.Statement.engines": lambda w, rng: ("check", "search"),
    "statements.core.all_sides.instance": lambda w, rng: Instance(x=1.0, y=0.5),
    "testing.assert_survives.budget": lambda w, rng: 120,
    **{f"problems.plain_math.{f}.A": lambda w, rng: w.lifted(np.eye(2) + 0.25) for f in ("solve", "inverse")},
    "problems.plain_math.norm_at_most.A": lambda w, rng: w.lifted(np.eye(2) + 0.25),
    "problems.plain_math.solve.b": lambda w, rng: w.lifted(np.array([0.5, 1.0])),
    "problems.plain_math.log.x": lambda w, rng: w.lifted(np.array([0.5, 1.0])),
    "problems.plain_math.sqrt.x": lambda w, rng: w.lifted(np.array([0.5, 1.0])),
    "problems.plain_math.norm_at_most.c": lambda w, rng: w.lifted(0.5),
}
MATRICES = ("B2", "G2", "K", "L")
RECEIVERS: dict[type, Maker] = {
    RandomDraw: lambda w, rng: RandomDraw(rng),
    TapeDraw: lambda w, rng: TapeDraw(Tape([1] * 99, [2**22] * 999), w.in_exact),
    Aruba: lambda w, rng: Aruba(w.phi.copy()),
    Isotropic: lambda w, rng: Isotropic(w.phi.copy()),
    Refinement: lambda w, rng: Aruba(w.phi.copy()).refine(),
    MatrixFTL: lambda w, rng: MatrixFTL(w.d, 0.5, 0.5, 0.25),
    OMD: lambda w, rng: OMD(w.lifted(w.domain), w.lifted(w.R), w.lifted(w.phi), 0.5),
    FTRL: lambda w, rng: FTRL(w.lifted(w.domain), w.lifted(w.R), w.lifted(w.phi), 0.5),
    FTL: lambda w, rng: FTL(w.lifted(w.domain), w.lifted(w.phi)),
    EWOO: lambda w, rng: EWOO(0.25, 0.5, 2.0),
    EpsEWOO: lambda w, rng: EpsEWOO(2.0, 0.5, 0.25),
    EpsFTL: lambda w, rng: EpsFTL(2.0, 0.5),
    BregmanFTL: lambda w, rng: BregmanFTL(w.lifted(w.phi)),
    Hedge: lambda w, rng: Hedge(w.lifted(np.full(w.d, 1 / w.d) if w.d != 3 else w.phi), 0.5),
    OptimisticOMD: lambda w, rng: OptimisticOMD(w.lifted(w.domain), w.lifted(w.R), w.lifted(w.phi), 0.5),
    GreedyOGD: lambda w, rng: GreedyOGD(w.lifted(w.domain), w.lifted(w.phi), 0.5),
    DynamicOGD: lambda w, rng: DynamicOGD(w.lifted(w.domain), w.lifted(w.phi), 0.5, 0.5),
    AdaptiveOGD: lambda w, rng: AdaptiveOGD(w.lifted(w.domain), w.lifted(w.phi), 0.5),
    PreconditionedOMD: lambda w, rng: PreconditionedOMD(w.lifted(w.domain), 0.5, w.lifted(w.phi)),
    AdaGrad: lambda w, rng: AdaGrad(w.lifted(w.domain), w.lifted(w.phi), 0.5, delta=0.25),
    OnlineNewton: lambda w, rng: OnlineNewton(w.domain, w.phi, 0.5, 0.25),
    Algorithm1: lambda w, rng: Algorithm1(w.domain, w.R, mean(w.phi), eps_ftl_rate(2.0, 0.5), sigma=1.0),
    PNorm: lambda w, rng: PNorm(1.5),
    PBall: lambda w, rng: PBall(w.phi, 0.5, 1.5),
    Polytope: lambda w, rng: Polytope(np.vstack([np.eye(w.d), -np.eye(w.d)]), np.ones(2 * w.d)),
}


def receiver(kind: type, world: World, rng: np.random.Generator, method: str) -> Any:
    """One whose method can be called: a task runs where that is asked for."""
    made: Any = RECEIVERS[kind](world, rng)
    if method in ("see", "end") and isinstance(made, Aruba | Algorithm1):
        made.start()
    return made


def example(place: str, name: str, world: World, rng: np.random.Generator) -> Any:
    """A good value of a parameter; a point of the domain where its name says nothing else."""
    if f"{place}.{name}" in SPECIAL:
        return SPECIAL[f"{place}.{name}"](world, rng)
    if name == "phi" and place.startswith("learners.transfer"):
        return np.full((2, 1), 0.5)
    if name in NAMED:
        return NAMED[name](world, rng)
    if name in MATRICES:
        root = rng.normal(size=(2, 2))
        return root @ root.T + np.eye(2)
    return SCALARS[name] if name in SCALARS else world.lifted(world.phi.copy())


def arguments(function: Callable[..., Any], place: str, world: World, rng: np.random.Generator) -> dict[str, Any]:
    """Good arguments of a function, its optional ones given half of the time."""
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        optional = parameter.default is not inspect.Parameter.empty
        if (
            name != "self"
            and parameter.kind is not inspect.Parameter.VAR_KEYWORD
            and not (optional and rng.integers(2))
        ):
            found[name] = example(place, name, world, rng)
    return found
