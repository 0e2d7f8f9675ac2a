r"""Games of convex analysis whose claims hold, or not, in every dimension: inequalities left <= right between unknowns.

By translation the start is the origin; by scaling vectors and values a step size and one strength are 1: both sides are
homogeneous, and a game says so where it uses it. A product of norms is $\inf_{c>0} \frac12(c a^2 + b^2/c)$, and c = 1
by scaling, where the claim is homogeneous in a and b apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from arubatheory.papers import names, paper
from arubatheory.prove.problem import GramProblem, slack_words
from arubatheory.prove.worlds import NOTHING, ORIGIN, Function, Number, Region, Vector, World, total
from arubatheory.statements.core import Statement

HALF = Fraction(1, 2)
AS_SAID = "; as the author says that it is this game"  # in no paper of ours, whose games are played by our tests
Sides = tuple[World, Number, Number]
Build = Callable[[int], Iterator[Sides]]


class GramGame(NamedTuple):
    """Inequalities for a number of rounds (or points), and in words what they are about."""

    build: Build
    rounds: tuple[int, ...]
    words: str

    def problems(self, n: int, slack: Fraction = Fraction(0)) -> list[GramProblem]:
        """The inequalities of n rounds, the right sides multiplied by 1 + slack."""
        return [world.problem(left, right * (1 + slack)) for world, left, right in self.build(n)]

    def said(self, statement: Statement, n: int, slack: Fraction) -> tuple[dict[str, Any], str]:
        """What the inequalities of at most n rounds prove of a statement, as data and in words: all of it only where
        there is one round, and where a paper of ours says so."""
        ours, once = any(statement in paper(name).statements for name in names()), self.rounds == ONE
        whole = ours and once and statement.game.startswith(WHOLE) and not slack
        told = f"{'' if once else f'n <= {n}; '}{self.words}{'' if ours else AS_SAID}{slack_words(slack)}"
        return {"whole": whole, "dimension": "every", "rounds": n}, f"every dimension; {told}"


def _regret(losses: Sequence[Function], actions: Sequence[Vector], against: Vector) -> Number:
    return total([f(x) - f(against) for f, x in zip(losses, actions, strict=False)])


def _squares(world: World, losses: Sequence[Function]) -> list[Number]:
    """Squared Lipschitz constants: no subgradient that was asked for is longer."""
    found = []
    for f in losses:
        square = world.number()
        for _, _, slope in f.seen:
            world.know(f"{f.name} Lipschitz", slope.square, square)
        found.append(square)
    return found


def _largest(world: World, numbers: Sequence[Number]) -> Number:
    """A number that none of these exceeds."""
    top = world.number()
    for number in numbers:
        world.know("largest", number, top)
    return top


# learners: worlds with what was played -------------------------------------------------------------------------------
Played = tuple[World, list[Function], list[Vector], Vector]


def _start(n: int, alpha: int = 0) -> tuple[World, Region, Vector, list[Function]]:
    world = World()
    region, comparator = Region(world, ORIGIN), world.vector()
    return world, region, region.add(comparator), [Function(world, f"loss {t}", alpha) for t in range(1, n + 1)]


def lazy_ogd(n: int) -> Played:
    r"""$\theta_{t+1} = \mathrm{Proj}_\Theta(-\nabla_{1:t})$."""
    world, region, u, losses = _start(n)
    actions, y = [ORIGIN], ORIGIN
    for f in losses[:-1]:
        y = y - f.slope(actions[-1])
        actions.append(region.project(y))
    return world, losses, actions, u


def greedy_ogd(n: int) -> Played:
    r"""$\theta_{t+1} = \mathrm{Proj}_\Theta(\theta_t - \nabla_t)$."""
    world, region, u, losses = _start(n)
    actions = [ORIGIN]
    for f in losses[:-1]:
        actions.append(region.project(actions[-1] - f.slope(actions[-1])))
    return world, losses, actions, u


def ftrl(n: int) -> Played:
    r"""$\theta_{t+1}$ minimises $\ell_{1:t} + \frac12\|\cdot\|^2$ over $\Theta$."""
    world, region, u, losses = _start(n)
    actions = [ORIGIN, *(region.minimiser(losses[:t], lambda x: x) for t in range(1, n))]
    return world, losses, actions, u


def ftl(n: int) -> Played:
    r"""$\theta_{t+1}$ minimises $\ell_{1:t}$ over $\Theta$; the losses are 1-strongly convex."""
    world, region, u, losses = _start(n, 1)
    return world, losses, [ORIGIN, *(region.minimiser(losses[:t]) for t in range(1, n))], u


def aogd(n: int) -> Played:
    r"""$\theta_{t+1} = \mathrm{Proj}_\Theta(\theta_t - \nabla_t/t)$; the losses are 1-strongly convex."""
    world, region, u, losses = _start(n, 1)
    actions = [ORIGIN]
    for t, f in enumerate(losses[:-1], 1):
        actions.append(region.project(actions[-1] - f.slope(actions[-1]) / t))
    return world, losses, actions, u


def square_root_regret(learner: Callable[[int], Played], largest: bool = False) -> Build:
    r"""Regret <= $\frac12\|u\|^2 + \sum_t G_t^2$, or $+ nG^2$ with the largest G."""

    def build(n: int) -> Iterator[Sides]:
        world, losses, actions, u = learner(n)
        left = _regret(losses, actions, u)
        squares = _squares(world, losses)
        paid = _largest(world, squares) * n if largest else total(squares)
        yield world, left, u.square / 2 + paid

    return build


def logarithmic_regret(learner: Callable[[int], Played]) -> Build:
    r"""Regret <= $\frac12\sum_t G_t^2/t$."""

    def build(n: int) -> Iterator[Sides]:
        world, losses, actions, u = learner(n)
        left = _regret(losses, actions, u)
        yield world, left, total([G / (2 * t) for t, G in enumerate(_squares(world, losses), 1)])

    return build


def several(*builds: Build) -> Build:
    """The inequalities of several games."""

    def build(n: int) -> Iterator[Sides]:
        for one in builds:
            yield from one(n)

    return build


# be the leader, and its stability ------------------------------------------------------------------------------------
def be_the_leader(n: int) -> Iterator[Sides]:
    r"""$\sum_t \ell_t(\theta_t) - \ell_t(u) \le \sum_t \ell_t(\theta_t) - \ell_t(\theta_{t+1})$: of the losses nothing
    is known but that $\theta_{t+1}$ is a minimiser of $\ell_{1:t}$ among all points in play."""
    world = World()
    at = [[world.number() for _ in range(n + 2)] for _ in range(n)]  # rows: losses; columns: the actions, then u
    for t in range(1, n + 1):
        for x in range(n + 2):
            if x != t:
                world.know("leader", total([row[t] - row[x] for row in at[:t]]), NOTHING)
    left = total([row[t] - row[-1] for t, row in enumerate(at)])
    yield world, left, total([row[t] - row[t + 1] for t, row in enumerate(at)])


class LastStep(NamedTuple):
    """The last step of follow-the-leader: from the leader of `before` to that of both."""

    world: World
    before: Function | None
    now: Function
    start: Vector
    end: Vector
    strength: int  # of what came before, that of the last loss being 1
    normal: Vector  # at the start

    @property
    def fall(self) -> Number:
        """Of the last loss."""
        return self.now(self.start) - self.now(self.end)

    @property
    def fall_before(self) -> Number:
        """Of the losses before."""
        return NOTHING if self.before is None else self.before(self.start) - self.before(self.end)


def last_step(n: int, outward: bool = False) -> LastStep:
    """n losses, all 1-strongly convex: the first n - 1 are one function, of strength n - 1."""
    world = World()
    region, now = Region(world), Function(world, "last loss", 1)
    before = Function(world, "losses before", n - 1) if n > 1 else None
    start = region.minimiser([before]) if before else region.add(world.vector())
    normal = world.vector() if outward else ORIGIN
    end = region.minimiser([now, before] if before else [now])
    now.at(start)
    if outward:
        world.know("normal", normal @ (end - start), NOTHING)
    return LastStep(world, before, now, start, end, n - 1, normal)


def _of_step(sides: Callable[[LastStep], tuple[Number, Number]], outward: bool = False) -> Build:
    def build(n: int) -> Iterator[Sides]:
        step = last_step(n, outward)
        yield (step.world, *sides(step))

    return build


def _moved(s: LastStep) -> Number:
    return (s.start - s.end).square


def _slope(s: LastStep) -> Number:
    return (s.now.slope(s.start) + s.normal).square


# functions -----------------------------------------------------------------------------------------------------------
def _pair(sides: Callable[[World, Vector, Vector], tuple[Number, Number]]) -> Build:
    def build(n: int) -> Iterator[Sides]:
        world = World()
        yield (world, *sides(world, world.vector(), world.vector()))

    return build


def _falls_at_most(world: World, x: Vector, y: Vector) -> tuple[Number, Number]:
    f = Function(world, "f")
    f.at(y)
    return f(x) - f(y), (f.slope(x).square + (x - y).square) / 2


def _grows(world: World, x: Vector, y: Vector) -> tuple[Number, Number]:
    f, region = Function(world, "f", 1), Region(world, x)
    least = region.minimiser([f])
    return f(least) + (x - least).square / 2, f(x)


def _nonnegative(world: World, x: Vector, y: Vector) -> tuple[Number, Number]:
    return NOTHING, Function(world, "f").divergence(x, y)


def _above_a_quadratic(world: World, x: Vector, y: Vector) -> tuple[Number, Number]:
    return (x - y).square / 2, Function(world, "f", 1).divergence(x, y)


def _below_a_quadratic(world: World, x: Vector, y: Vector) -> tuple[Number, Number]:
    return Function(world, "f", 0, 1).divergence(x, y), (x - y).square / 2


def _as_convex(world: World, x: Vector, y: Vector) -> tuple[Number, Number]:
    f, z = Function(world, "f", 1), world.vector()
    return f.divergence(x, y) + (f.slope(x) - f.slope(y)) @ (z - x) + (z - x).square / 2, f.divergence(z, y)


def _one_of_two(world: World, x: Vector, y: Vector) -> tuple[Number, Number]:
    R, start = Function(world, "R", 1), world.vector()
    R.at((x + y) / 2)
    top = _largest(world, [R.divergence(x, start), R.divergence(y, start)])
    return R.divergence((x + y) / 2, start) + (x - y).square / 8, top


def _half_square_identity(world: World, x: Vector, y: Vector) -> tuple[Number, Number]:
    c = world.vector()
    near, step = x - c, y - x
    return near.square / 2 + near @ step + step.square / 2, (y - c).square / 2


# means ---------------------------------------------------------------------------------------------------------------
def _points(n: int) -> tuple[World, list[Vector], Vector]:
    world = World()
    points = [world.vector() for _ in range(n)]
    return world, points, total(points) / n


def mean_minimises(n: int) -> Iterator[Sides]:
    r"""$\sum_i B_R(x_i\|\bar x) \le \sum_i B_R(x_i\|y)$."""
    world, points, mean = _points(n)
    R, y = Function(world, "R"), world.vector()
    yield world, *(total([R.divergence(x, at) for x in points]) for at in (mean, y))


def mean_identity(n: int) -> Iterator[Sides]:
    r"""$\sum_i B_R(x_i\|y) - B_R(x_i\|\bar x) = n B_R(\bar x\|y)$."""
    for sign in (1, -1):
        world, points, mean = _points(n)
        R, y = Function(world, "R"), world.vector()
        gained = total([R.divergence(x, y) - R.divergence(x, mean) for x in points])
        yield world, gained * sign, R.divergence(mean, y) * (n * sign)


def spread_at_most(n: int) -> Iterator[Sides]:
    r"""$\frac1{2n}\sum_i\|x_i - \bar x\|^2 \le \max\frac12\|x_i - x_j\|^2$."""
    world, points, mean = _points(n)
    left = total([(x - mean).square for x in points]) / (2 * n)
    yield world, left, _largest(world, [(x - y).square / 2 for x in points for y in points if x is not y] or [NOTHING])


def divergence_at_most(n: int) -> Iterator[Sides]:
    r"""$\frac1n\sum_i B_R(x_i\|\bar x) \le \max B_R(x_i\|x_j)$."""
    world, points, mean = _points(n)
    R = Function(world, "R")
    left = total([R.divergence(x, mean) for x in points]) / n
    yield world, left, _largest(world, [R.divergence(x, y) for x in points for y in points])


def one_outlier(n: int) -> Iterator[Sides]:
    r"""$\frac1{2n}\sum_i\|x_i - \bar x\|^2 \le \frac1{2n}\|x_1 - x_2\|^2$ where all but $x_1$ are $x_2$."""
    world = World()
    one, other = world.vector(), world.vector()
    points = [one] + [other] * (n - 1)
    mean = total(points) / n
    yield world, total([(x - mean).square for x in points]) / (2 * n), (one - other).square / (2 * n)


def leading_means(n: int) -> Iterator[Sides]:
    r"""$\sum_t \frac12\|\theta_t - \phi_t\|^2 - \frac12\|\theta_t - u\|^2 \le 2\sum_t G_t^2/(2t - 1)$, where $\phi_t$
    is the mean of the points before and $G_t$ the largest distance of $\theta_t$ from a point in play: $G_t \le D$."""
    world = World()
    points = [world.vector() for _ in range(n)]
    actions = [ORIGIN, *(total(points[:t]) / t for t in range(1, n))]
    u = world.vector()
    left = total([((x - a).square - (x - u).square) / 2 for x, a in zip(points, actions, strict=True)])
    squares = [_largest(world, [(x - p).square for p in (ORIGIN, u, *points) if p is not x]) for x in points]
    yield world, left, total([G * Fraction(2, 2 * t - 1) for t, G in enumerate(squares, 1)])


def regularised_leader(n: int) -> Iterator[Sides]:
    r"""$\frac\alpha2\|\hat\theta - \theta^\ast\|^2 \le (\|\theta^\ast\|^2 - \|\hat\theta\|^2)/(2\eta m)$: the left
    side is a number that growth keeps below what the average loss falls."""
    world = World()
    played, best = world.vector(), world.vector()
    at_played, at_best, growth = world.number(), world.number(), world.number()
    world.know("minimiser", at_played + played.square / 2, at_best + best.square / 2)
    world.know("quadratic growth", growth, at_played - at_best)
    yield world, growth, (best.square - played.square) / 2


# dynamic OGD ---------------------------------------------------------------------------------------------------------
def closer(n: int) -> Iterator[Sides]:
    r"""A projected step from $\theta$ and a minimiser: $\|\hat\theta-\psi\|^2\le(1-\alpha\eta)\|\theta-\psi\|^2$.

    Values are times $\eta\le1/\beta$, and the last number is $\alpha\eta\|\theta-\psi\|^2$. Then for a share h of the
    step: $\|\theta-\psi\|^2$, and times h it, that of the whole step, and what is gained.
    """
    world = World()
    best, start, slope = world.vector(), world.vector(), world.vector()
    at_best, at_start, at_end, gained = (world.number() for _ in range(4))
    end = Region(world, best, start).project(start - slope)
    world.know("strongly convex", at_start + slope @ (best - start) + gained / 2, at_best)
    world.know("smooth", at_end, at_start + slope @ (end - start) + (end - start).square / 2)
    world.know("minimiser", at_best, at_end)
    yield world, (end - best).square, (start - best).square - gained
    world = World()
    shared, before, part, after, gained = (world.number() for _ in range(5))
    world.know("closer", after, part - gained)
    world.know("convex square", shared, before - part + after)
    yield world, shared, before - gained


def tracked(bounded: bool) -> Build:
    r"""$(1-\rho)\sum_t\ell_t(\theta_t)-\ell_t(\psi_t)\le\|\theta_1-\psi_1\|-\rho\|\theta_n-\psi_n\|+P$, or $\le D+P$.

    G = 1, P is the length of the path of the minimisers; the numbers are $1-\rho$ times the losses, lengths
    $\|\theta_t-\psi_t\|$, and $\rho$ times these. `closer` and `_falls_at_most` are known, as are roots and the
    triangle inequality.
    """

    def build(n: int) -> Iterator[Sides]:
        world = World()
        falls, lengths, shorter, moves = ([world.number() for _ in range(k)] for k in (n, n, n, n - 1))
        for fall, length, short in zip(falls, lengths, shorter, strict=True):
            world.know("Lipschitz", fall, length - short)
        for length, short, move in zip(lengths[1:], shorter, moves, strict=False):
            world.know("closer", length, short + move)
        right = lengths[0] - shorter[-1]
        if bounded:
            right = _largest(world, lengths[:1])
            world.know("length", NOTHING, shorter[-1])
        yield world, total(falls), total([right, *moves])

    return build


def dynamic_ogd(bounded: bool) -> Build:
    """A step of it, in squares; a loss and its slope; and the lengths of n rounds."""
    return several(closer, _pair(_falls_at_most), tracked(bounded))


NORM, MEANS = "any inner product norm", "R half the square of any inner product norm, any bounded convex set"
WHOLE = "= "  # before the name of a game that is all of a claim
ANY = "any inner product norm, any closed convex set, any convex losses"
STRONG = "any inner product norm, any closed convex set, any strongly convex losses of one strength"
ALL, ONE = tuple(range(1, 13)), (1,)
EQUAL = "equal weights, any differentiable convex R on any convex set"
TWO = "any inner product norm, any convex set"
STEPS = (
    "a step in squares, and by roots and the triangle inequality n of them, for any strongly convex and smooth losses"
)
GAMES = {
    "lazy OGD": GramGame(square_root_regret(lazy_ogd), ALL, ANY),
    "lazy OGD, largest constant": GramGame(square_root_regret(lazy_ogd, True), ALL, ANY),
    "greedy OGD": GramGame(square_root_regret(greedy_ogd), ALL, ANY),
    "FTRL": GramGame(square_root_regret(ftrl), ALL, ANY),
    "OMD and FTRL": GramGame(several(square_root_regret(lazy_ogd), square_root_regret(ftrl)), ALL, ANY),
    "FTL": GramGame(logarithmic_regret(ftl), ALL, STRONG),
    "AOGD": GramGame(logarithmic_regret(aogd), ALL, STRONG),
    "be the leader": GramGame(be_the_leader, ALL, "any losses on any set"),
    "stability": GramGame(_of_step(lambda s: (_moved(s) * (2 * s.strength + 1) ** 2, _slope(s) * 4)), ALL, STRONG),
    "stability, any subgradient": GramGame(
        _of_step(lambda s: (_moved(s) * (2 * s.strength + 1) ** 2, _slope(s) * 4), True), ALL, STRONG
    ),
    "growth at the leader": GramGame(
        _of_step(lambda s: (_moved(s) * (s.strength + 1) / 2, s.fall_before + s.fall)), ALL, STRONG
    ),
    "growth before": GramGame(_of_step(lambda s: (_moved(s) * s.strength / 2, -s.fall_before)), ALL, STRONG),
    "fall of the last loss": GramGame(_of_step(lambda s: (_moved(s) * (s.strength + HALF), s.fall)), ALL, STRONG),
    "slope of the last loss": GramGame(_of_step(lambda s: (s.fall, (_moved(s) + _slope(s)) / 2)), ALL, STRONG),
    "slope": GramGame(_pair(_falls_at_most), ONE, TWO + ", any convex f"),
    "growth": GramGame(_pair(_grows), ONE, TWO + ", any strongly convex f"),
    "divergence nonnegative": GramGame(
        _pair(_nonnegative), ONE, "any convex f, differentiable at y, on any convex set"
    ),
    "divergence above": GramGame(_pair(_above_a_quadratic), ONE, TWO + ", any strongly convex f"),
    "divergence below": GramGame(
        _pair(_below_a_quadratic), ONE, NORM + ", any convex f with Lipschitz gradient on the space"
    ),
    "divergence convex": GramGame(_pair(_as_convex), ONE, TWO + ", any strongly convex f, differentiable at x and y"),
    "one of two": GramGame(_pair(_one_of_two), ONE, TWO + ", any strongly convex R, differentiable at phi_R"),
    "half square": GramGame(_pair(_half_square_identity), ONE, NORM),
    "mean": GramGame(mean_minimises, ALL, EQUAL),
    "mean identity": GramGame(mean_identity, ALL, EQUAL),
    "spread": GramGame(spread_at_most, ALL, NORM),
    "largest divergence": GramGame(divergence_at_most, ALL, EQUAL),
    "outlier": GramGame(one_outlier, ALL, NORM),
    "means of the past": GramGame(leading_means, ALL, MEANS + ", equal weights"),
    "dynamic OGD": GramGame(dynamic_ogd(False), ALL, STEPS + ", any set"),
    "dynamic OGD, diameter": GramGame(dynamic_ogd(True), ALL, STEPS + ", any bounded set"),
    "regularised leader": GramGame(regularised_leader, ONE, NORM + ", any losses whose average grows quadratically"),
}


def game_of(name: str) -> GramGame | None:
    """The game that a statement names, if it names one."""
    return GAMES.get(name.removeprefix(WHOLE))
