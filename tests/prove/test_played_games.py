"""A game is what its statement says: played on instances of the statement, by the statement's own code.

The game's builder runs as it is, but every unknown gets its value in the instance. Then every row must hold, and the
two sides of the game must be those of the statement, scaled as the game says. A game with a row too many, or another
bound, is found here, not by the prover.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.learners.ogd import play_aogd, play_dynamic_ogd
from arubatheory.papers.aruba import ARUBA
from arubatheory.papers.aruba.a_background import mokhtari
from arubatheory.papers.aruba.games import leaders
from arubatheory.problems.constants import lipschitz_squared, strong_convexity
from arubatheory.problems.domains import project
from arubatheory.problems.draw import RandomDraw
from arubatheory.problems.losses import HUBER, LINEAR, LOGISTIC, SQUARE, subgradient, value
from arubatheory.problems.regularizers import EUCLIDEAN
from arubatheory.prove import games
from arubatheory.prove.worlds import Combination, Function, Number, Vector, World
from arubatheory.statements.core import Instance, Sides, Statement, all_sides
from arubatheory.statements.functions import slope_of, total_of
from arubatheory.statements.games import played_by_ftrl, played_by_omd

CLOSE = 1e-7
At = Callable[[Array], tuple[float, Array]]


class Play(NamedTuple):
    """An instance as a game has it: rounds, the vectors and numbers in the order in which the game asks for them,
    the functions by name, and the two sides of the statement (None: not the game's own)."""

    rounds: int
    vectors: list[Array]
    numbers: list[float]
    functions: dict[str, At]
    left: float | None
    right: float | None


class PlayedWorld(World):
    """A world whose unknowns have values."""

    play: Play

    def __init__(self) -> None:
        super().__init__()
        self.vectors, self.numbers = deque(self.play.vectors), deque(self.play.numbers)
        self.at_points: list[Array] = []
        self.at_values: list[float] = []

    def vector(self) -> Vector:
        self.at_points.append(self.vectors.popleft())
        return super().vector()

    def number(self) -> Number:
        self.at_values.append(self.numbers.popleft())
        return super().number()

    def value(self, terms: dict[Any, Any]) -> float:
        """A combination of values and inner products."""
        found = 0.0
        for key, weight in terms.items():
            known = self.at_points[key[0]] @ self.at_points[key[1]] if len(key) == 2 else self.at_values[key[0]]
            found += float(weight) * float(known)
        return found

    def place(self, x: Combination) -> Any:
        """A combination of vectors."""
        return sum((float(w) * self.at_points[i] for i, w in x.terms.items()), 0 * self.play.vectors[0])


class PlayedFunction(Function):
    """A function with the values and slopes of the instance."""

    def at(self, x: Vector) -> tuple[Number, Vector]:
        world = self.world
        assert isinstance(world, PlayedWorld)
        if all(y.terms != x.terms for y, _, _ in self.seen):
            height, slope = world.play.functions[self.name](world.place(x))
            world.numbers.appendleft(height)
            world.vectors.appendleft(slope)
        return super().at(x)


# instances as plays --------------------------------------------------------------------------------------------------
SMOOTH = {LINEAR, SQUARE, LOGISTIC, HUBER}


def _shifted(x: Instance, eta: float) -> dict[str, At]:
    r"""The losses with the start as origin, times $\eta$."""

    def at(t: int) -> At:
        def of(v: Array) -> tuple[float, Array]:
            point = v + x.phi
            return eta * on(value, point)(x.losses, t, point), eta * on(subgradient, point)(x.losses, t, point)

        return of

    return {f"loss {t + 1}": at(t) for t in range(len(x.losses.b))}


def _online(x: Instance, actions: Array, sides: Sides, largest: bool = False) -> Play:
    eta = float(x.eta)
    functions = _shifted(x, eta)
    squares = [float(G) * eta * eta for G in lipschitz_squared(x.losses, x.domain, x.R)]
    vectors = [x.comparator - x.phi, *(actions[1:] - x.phi)]
    numbers = [*squares, max(squares)] if largest else squares
    return Play(len(functions), vectors, numbers, functions, eta * sides.lhs, eta * sides.rhs)


def lazily(x: Instance, sides: Sides) -> Play | None:
    return _online(x, played_by_omd(x), sides) if x.R.kind == EUCLIDEAN else None


def lazily_with_the_largest(x: Instance, sides: Sides) -> Play | None:
    return _online(x, played_by_omd(x), sides, True)


def regularised(x: Instance, sides: Sides) -> Play | None:
    smooth = set(map(int, x.losses.link)) <= SMOOTH
    return _online(x, played_by_ftrl(x), sides) if x.R.kind == EUCLIDEAN and smooth else None


def _strongly(x: Instance, alpha: Array, squares: Array, vectors: Array, sides: Sides) -> Play | None:
    r"""Values are divided by the one strength of all losses."""
    if min(alpha) != max(alpha):
        return None
    one = float(alpha[0])
    numbers = [float(G) / one / one for G in squares]
    return Play(len(alpha), list(vectors - x.phi), numbers, _shifted(x, 1 / one), sides.lhs / one, sides.rhs / one)


def following(x: Instance, sides: Sides) -> Play | None:
    if x.R.kind != EUCLIDEAN or not set(map(int, x.losses.link)) <= SMOOTH:
        return None
    actions = leaders.led(x)
    return _strongly(x, leaders.strengths(x), leaders.squares_of(x), np.array([actions[-1], *actions[1:-1]]), sides)


def adaptively(x: Instance, sides: Sides) -> Play | None:
    alpha = x.share * x.losses.ridge
    actions = on(play_aogd, x.phi)(x.losses, x.domain, x.phi, alpha).actions
    squares = lipschitz_squared(x.losses, x.domain)
    return _strongly(x, alpha, squares, np.array([x.comparator, *actions[1:]]), sides)


def led(x: Instance, sides: Sides) -> Play:
    actions = leaders.led(x)
    points = [*actions, x.comparator]
    numbers = np.array([leaders.falls(x, p.reshape(1, -1), actions[:1]) for p in points]).T
    return Play(len(x.alpha), [], [float(v) for v in numbers.ravel()], {}, sides.lhs, sides.rhs)


def _total(x: Instance, until: int, alpha: float) -> At:
    def of(point: Array) -> tuple[float, Array]:
        if until == 0:
            return 0.0, 0 * point
        part = type(x.losses)(*(field[:until] for field in x.losses))
        return total_of(part, point) / alpha, slope_of(part, point) / alpha

    return of


def last_step(x: Instance, sides: Sides) -> Play | None:
    """Losses of one strength, smooth: the slope at a leader is then that of its optimality."""
    alpha, smooth = leaders.strengths(x), set(map(int, x.losses.link)) <= SMOOTH
    if x.R.kind != EUCLIDEAN or min(alpha) != max(alpha) or not smooth:
        return None
    n, one = len(alpha), float(alpha[0])
    both, before = _total(x, n, one), _total(x, n - 1, one)

    def now(point: Array) -> tuple[float, Array]:
        (f, g), (h, k) = both(point), before(point)
        return f - h, g - k

    return Play(
        n, list(leaders.led(x)[-2:]), [], {"last loss": now, "losses before": before}, sides.lhs / one, sides.rhs / one
    )


def squared(x: Instance, sides: Sides) -> Play | None:
    """A claim about lengths: the game has their squares, times (2n - 1)^2."""
    if (play := last_step(x, sides)) is None:
        return None
    scale, n = float(leaders.strengths(x)[0]), play.rounds
    factor = (2 * n - 1) ** 2
    return play._replace(left=sides.lhs**2 * factor, right=(sides.rhs**2) * factor) if scale else None


def product(x: Instance, sides: Sides) -> Play | None:
    """A product of lengths: the game has the half sum of squares."""
    play = last_step(x, sides)
    return play and play._replace(right=None)


READERS: dict[str, Callable[[Instance, Sides], Play | None]] = {
    "thm:ftrlomd/omd": lazily,
    "eq:omdregret/bound": lazily_with_the_largest,
    "thm:ftrlomd/ftrl": regularised,
    "thm:ftlaogd/ftl": following,
    "thm:ftlaogd/aogd": adaptively,
    "lem:btl": led,
    "lem:stability": squared,
    "lem:stability/proof-1": last_step,
    "lem:stability/proof-2": last_step,
    "lem:stability/proof-3": last_step,
    "lem:stability/proof-4": product,
}


def plays(statement: Statement, count: int = 6) -> Iterator[Play]:
    """Instances of a statement that a game covers."""
    draw, found = RandomDraw(np.random.default_rng(0)), 0
    while found < count:
        x = statement.instance(draw)
        with np.errstate(all="ignore"):
            (sides,) = all_sides(statement, x)
            play = READERS[statement.label](x, sides)
        if play is not None and 1e-4 < max(np.abs(np.ravel(v)).max() for v in play.vectors or [play.numbers]) < 1e4:
            found += 1
            yield play


def step_of(x: Instance, t: int) -> Iterator[Play]:
    """A step of dynamic OGD, and a share of it."""
    actions = on(play_dynamic_ogd, x.phi)(x.losses, x.domain, x.phi, x.eta, x.h).actions
    start, best = actions[t], x.psi[t]
    slope = x.eta * on(subgradient, start)(x.losses, t, start)
    end = project(x.domain, start - slope)
    gained = strong_convexity(x.losses, x.domain).min() * x.eta * ((start - best) ** 2).sum()
    heights = [x.eta * on(value, p)(x.losses, t, p) for p in (best, start, end)]
    yield Play(1, [best, start, slope, end], [*heights, gained], {}, None, None)
    after, before = (((p - best) ** 2).sum() for p in (end, start))
    shared = ((start + x.h * (end - start) - best) ** 2).sum()
    yield Play(1, [start], [shared, before, x.h * before, x.h * after, x.h * gained], {}, shared, None)


def path_of(x: Instance, sides: Sides, bounded: bool) -> Play:
    """The lengths of dynamic OGD, in units of G/(1 - rho) on the right."""
    ogd = mokhtari.run(x, mokhtari._rate(x), x.h)
    played = on(play_dynamic_ogd, x.phi)(x.losses, x.domain, x.phi, x.eta, x.h)
    falls = [v - on(value, p)(x.losses, t, p) for t, (v, p) in enumerate(zip(played.values, x.psi, strict=True))]
    lengths = np.sqrt(((played.actions[: len(x.psi)] - x.psi) ** 2).sum(axis=1))
    moves = np.sqrt((np.diff(x.psi, axis=0) ** 2).sum(axis=1))
    numbers = [*(np.array(falls) / ogd.factor), *lengths, *(ogd.rho * lengths), *moves, *[ogd.D] * bounded]
    return Play(len(x.psi), [x.phi], [float(v) for v in numbers], {}, sides.lhs / ogd.factor, sides.rhs / ogd.factor)


def is_met(world: Any, left: Number, right: Number, play: Play) -> None:
    """A game holds with the values of a play, and has its sides."""
    sizes = [abs(v) for v in (*world.at_values, *(p @ p for p in world.at_points))]
    close = CLOSE * max([1.0, *sizes])
    assert [row.name for row in world.rows if world.value(row.terms) > close] == []
    assert play.left is None or world.value(left.terms) == pytest.approx(play.left, abs=close)
    assert play.right is None or world.value(right.terms) == pytest.approx(play.right, abs=close)


@pytest.mark.parametrize(("label", "bounded"), [("thm:mokhtari/source", False), ("thm:mokhtari/corrected", True)])
def test_dynamic_ogd_played_is_the_statement(label: str, bounded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    statement, draw, found = ARUBA.statement(label), RandomDraw(np.random.default_rng(0)), 0
    assert statement is not None and statement.game in games.GAMES
    monkeypatch.setattr(games, "World", PlayedWorld)
    while found < 12:
        x = statement.instance(draw)
        (sides,) = all_sides(statement, x)
        if 1e-3 < x.eta < 1e3 and 1e-3 < np.abs(x.psi).max() < 1e3 and sides.rhs > 0:
            found += 1
            built, step = games.closer(1), step_of(x, len(x.psi) - 1)
            for game, play in ((built, next(step)), (built, next(step)), (games.tracked(bounded)(len(x.psi)), None)):
                play = play or path_of(x, sides, bounded)
                monkeypatch.setattr(PlayedWorld, "play", play, raising=False)
                is_met(*next(game), play)


@pytest.mark.parametrize("label", READERS)
def test_a_game_played_on_instances_is_the_statement(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    statement = ARUBA.statement(label)
    assert statement is not None
    monkeypatch.setattr(games, "World", PlayedWorld)
    monkeypatch.setattr(games, "Function", PlayedFunction)
    for play in plays(statement):
        monkeypatch.setattr(PlayedWorld, "play", play, raising=False)
        for world, left, right in games.GAMES[statement.game].build(play.rounds):
            assert isinstance(world, PlayedWorld)
            is_met(world, left, right, play)
            assert not world.vectors and not world.numbers
