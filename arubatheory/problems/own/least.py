r"""The least value of a sum of losses given as functions, and what convexity certifies of it.

A point is found by scipy (L-BFGS-B on $\mathbb R^d$ and boxes, SLSQP on balls and simplices) and improved by projected
gradient steps with momentum, which are all that a domain of one's own asks for; on boxes and simplices a gap that is
left, as kinks leave it, is closed by cutting planes. At a point x with subgradient g of a convex F,
$$F(y) \ge F(x) + \min_{y\in\Theta}\langle g, y - x\rangle \quad\text{for all } y \in \Theta,$$
and any mixture of such lines will do. Where the domain is one's own with diameter D, and $x^+ =
\mathrm{Proj}(x - sg)$, the minimum is at least $-\langle g, x - x^+\rangle - \frac Ds\|x - x^+\|_2$. Where F is
$\alpha$-strongly convex, $\frac\alpha2\|y - x\|_2^2$ comes to the line, and the least value is at $\mathrm{Proj}(x -
g/\alpha)$, over any domain. Nothing else is certified on $\mathbb R^d$ or over a domain of one's own, nor without
gradients: then the bound is $-\infty$.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.problems import domains
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, Domain, linear_minimizer
from arubatheory.problems.numbers import as_floats
from arubatheory.problems.own.compiled import summed_compiled
from arubatheory.problems.own.rounds import AnyLosses, Rounds, count, observe, total
from arubatheory.problems.own.steps import AnyDomain, AnyRegularizer, bregman, diameter_of, onto, slope_of, start_in
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer
from arubatheory.problems.scalar import EPSILON

STEPS, POLISHED, CUTS = 400, 100, 80
CLOSE = 1e-10  # a gap below this share of the magnitudes ends the search


class Tangent(NamedTuple):
    r"""$F(x)$, a subgradient g there (d,), and the sum of the magnitudes $|\ell_t(x)|$, which bounds the rounding."""

    x: Array
    value: float
    g: Array
    size: float


class Least(NamedTuple):
    r"""A point of the domain (d,), the sum of the losses there, and a lower bound of it over the domain."""

    action: Array
    value: float
    lower: float


class Pull(NamedTuple):
    r"""$rate\,B_R(x\|\phi)$, which FTRL adds to the losses."""

    R: AnyRegularizer
    phi: Array
    rate: float

    @property
    def alpha(self) -> float:
        """How strongly convex it is in the l2 norm, as far as that is known."""
        if not isinstance(self.R, Regularizer):
            return 0.0
        least = 1.0 if self.R.kind == EUCLIDEAN else float(np.linalg.eigvalsh(self.R.matrix)[0])
        return self.rate * max(least, 0.0) * (1 - CLOSE)

    def added(self, at: Tangent) -> Tangent:
        """The line of the losses with this term."""
        value = self.rate * float(bregman(self.R, at.x, self.phi))
        slope = self.rate * (slope_of(self.R, at.x) - slope_of(self.R, self.phi))
        return Tangent(at.x, at.value + value, at.g + slope, at.size + value)


def least_of(losses: AnyLosses, domain: AnyDomain, phi: Any, pull: Pull | None = None) -> Least:
    """The least sum of convex losses over a domain, with a `pull` if there is one, searched from `phi` (d,) in it;
    errors of the functions, and TypeError for exact numbers."""
    start = start_in(domain, phi)
    if is_exact(start):
        raise TypeError(f"phi must be in floats for losses as functions, got {phi!r}")
    if isinstance(losses, Rounds) and losses._gradient is None:
        x = onto(domain, _by_scipy(lambda x: float(total(losses, x)), None, domain, start))
        best = min((float(total(losses, y)), k) for k, y in enumerate((x, start)))
        return Least((x, start)[best[1]], best[0], -math.inf)

    def line(x: Array) -> Tangent:
        return pull.added(_line(losses, x)) if pull else _line(losses, x)

    curvature = getattr(losses, "curvature", None)
    alpha = (float(curvature.sum()) if curvature is not None else 0.0) + (pull.alpha if pull else 0.0)
    m = count(losses) + bool(pull)
    with np.errstate(all="ignore"):
        seed = onto(domain, _by_scipy(lambda x: line(x).value, lambda x: line(x).g, domain, start))
        best_line, step = _descend(line, domain, min(line(seed), line(start), key=lambda k: k.value))
        lower, at = _bound(m, alpha, domain, best_line), best_line
        for _ in range(POLISHED):  # values stand still where the gradient still has half of its digits to win
            if (not isinstance(domain, Domain) and not alpha) or not _is_far(best_line, lower):
                break
            at = line(onto(domain, at.x - step * at.g))
            lower = max(lower, _bound(m, alpha, domain, at))
        if isinstance(domain, Domain) and domain.kind in (BOX, SIMPLEX) and _is_far(best_line, lower):
            best_line, lower = _cut(line, domain, best_line, lower)
        elif isinstance(domain, Domain) and domain.kind == SPACE and best_line.g.any():
            width = 1 + float(np.abs(best_line.x).max())  # a box around the point, whose bound is none of the space
            best_line, _ = _cut(line, domains.box(best_line.x - width, best_line.x + width), best_line, -math.inf)
    return Least(best_line.x, best_line.value, min(lower, best_line.value))


def middle(domain: AnyDomain) -> Array:
    """The centre of the domain, where a search begins; of one of one's own what its `center` says, or ValueError."""
    said = domains.center(domain) if isinstance(domain, Domain) else getattr(domain, "center", None)
    if said is None:
        raise ValueError(f"phi must be given for a domain without a center, got None over {domain!r}")
    return as_floats("domain.center", said)


def _is_far(at: Tangent, lower: float) -> bool:
    return at.value - lower > CLOSE * at.size


def _line(losses: AnyLosses, x: Array) -> Tangent:
    if isinstance(losses, Rounds) and losses.is_compiled and (summed := summed_compiled(losses, x)) is not None:
        return Tangent(x.copy(), *summed)
    told = [observe(losses, t, x) for t in range(count(losses))]
    values = np.array([value for value, _ in told])
    return Tangent(x.copy(), float(values.sum()), np.sum([g for _, g in told], axis=0), float(np.abs(values).sum()))


def _by_scipy(f: Callable[[Array], float], g: Any, domain: AnyDomain, start: Array) -> Array:
    """Where scipy's minimiser ends; the start for a domain that it has no words for."""
    if not isinstance(domain, Domain):
        return start
    from scipy import optimize  # at first use: half a second that no learner needs

    minimize: Any = optimize.minimize
    bounds: Any = None
    given: dict[str, Any] = {"jac": g, "options": {"maxiter": 500}}
    if domain.kind in (SPACE, BOX):
        if domain.kind == BOX:
            bounds = np.column_stack([domain.low, domain.high])
        found = minimize(f, start, method="L-BFGS-B", bounds=bounds, **given)
    elif domain.kind == BALL:
        inside = {"type": "ineq", "fun": lambda x: domains.inside(domain, x), "jac": lambda x: 2 * (domain.center - x)}
        found = minimize(f, start, method="SLSQP", constraints=[inside], **given)
    else:
        plane = {"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones((1, x.size))}
        bounds = [(low, None) for low in domain.low]
        found = minimize(f, start, method="SLSQP", bounds=bounds, constraints=[plane], **given)
    return found.x if np.isfinite(found.x).all() else start


def _descend(line: Callable[[Array], Tangent], domain: AnyDomain, best: Tangent) -> tuple[Tangent, float]:
    """The best point of projected gradient steps with momentum, restarted when the value rises (Beck and Teboulle
    2009), and the last step size."""
    at, before, momentum = best, best.x, 1.0
    step = max(1.0, float(np.linalg.norm(best.x))) / max(float(np.linalg.norm(best.g)), 1e-300)
    for _ in range(STEPS):
        x = onto(domain, at.x - step * at.g)
        moved, near = line(x), x - at.x
        if moved.value > at.value + at.g @ near + near @ near / (2 * step) + 4 * EPSILON * at.size:
            step /= 4
        else:
            if not moved.value < best.value - 4 * EPSILON * moved.size:
                if at is best:
                    break
                at, before, momentum = best, best.x, 1.0
                continue
            best, step = moved, 1.5 * step
            after = (1 + math.sqrt(1 + 4 * momentum * momentum)) / 2
            ahead = onto(domain, x + (momentum - 1) / after * (x - before))
            at, before, momentum = line(ahead) if momentum > 1 else best, x, after
        if not step > 1e-300:
            break
    return best, step / 2


def _bound(m: int, alpha: float, domain: AnyDomain, at: Tangent) -> float:
    """What the line at a point certifies, with the curvature alpha, less the rounding of a sum of m losses."""
    x, value, g, size = at
    slack, square = (m + x.size + 8) * EPSILON, float(g @ g)
    found = list[float]()
    if alpha > 0:
        away = onto(domain, x - g / alpha) - x
        near = slack * float(np.abs(g) @ np.abs(away) + alpha * (away @ away))
        found.append(value + float(g @ away) + alpha * float(away @ away) / 2 - near)
    if isinstance(domain, Domain) and domain.kind != SPACE:
        y = linear_minimizer(domain, g)
        found.append(float(value + g @ (y - x) - slack * (np.abs(g) @ np.abs(y - x))))
        return max(found) - slack * size
    width = diameter_of(domain)
    if not isinstance(domain, Domain) and square == 0:
        found.append(value)
    if width < math.inf and square > 0:
        for far in (1.0, 1e2, 1e4, 1e6):
            s = far * max(width, 1e-300) / math.sqrt(square)
            moved = x - onto(domain, x - s * g)
            found.append(value - float(g @ moved) - width / s * float(np.linalg.norm(moved)))
    return max(found, default=-math.inf) - slack * size


def _cut(line: Callable[[Array], Tangent], domain: Domain, best: Tangent, lower: float) -> tuple[Tangent, float]:
    r"""Kelley's cutting planes: the mixture of lines that a linear program takes certifies, whatever it rounds."""
    from scipy.optimize import linprog  # at first use

    d, lines = best.x.size, [best]
    for _ in range(CUTS):
        A = np.array([[*k.g, -1.0] for k in lines])
        b = np.array([k.g @ k.x - k.value for k in lines])
        sides: dict[str, Any] = {}
        if domain.kind == SIMPLEX:
            sides = {"A_eq": np.array([[1.0] * d + [0.0]]), "b_eq": np.array([1.0])}
        highs = domain.high if domain.kind == BOX else [None] * d
        bounds = [*zip(domain.low, highs, strict=True), (None, None)]
        solved = linprog([0.0] * d + [1.0], A_ub=A, b_ub=b, bounds=bounds, **sides)
        if solved.status != 0:
            break
        lower = max(lower, _mixed(domain, lines, np.maximum(-solved.ineqlin.marginals, 0.0)))
        lines.append(line(onto(domain, solved.x[:d])))
        best = min(best, lines[-1], key=lambda k: k.value)
        if not _is_far(best, lower):
            break
    return best, lower


def _mixed(domain: Domain, lines: list[Tangent], weights: Array) -> float:
    if not weights.sum() > 0:
        return -math.inf
    weights = weights / weights.sum()
    g = np.sum([w * k.g for w, k in zip(weights, lines, strict=True)], axis=0)
    y = linear_minimizer(domain, g)
    heights = np.array([k.value + k.g @ (y - k.x) for k in lines])
    sizes = np.array([k.size + np.abs(k.g) @ np.abs(y - k.x) for k in lines])
    return float(weights @ heights - (len(lines) + y.size + 8) * EPSILON * (weights @ sizes))
