r"""$\varepsilon$-EWOO on the scalar game of SIM: cor:ewoo and its proof, and what eq:ewoo of the main text makes of it.

cor:ewoo prints $\min_{x^\ast>0}\{\varepsilon^2/x^\ast, \varepsilon\}$ "for all $x^\ast > 0$", and def:regret has the
best action on the left. Three readings: the minimum over $x^\ast$, which is 0 (`/literal-min`); the best action on the
left and any $x^\ast$ on the right (`/literal`); the same $x^\ast$ on both sides (the plain label). All three fall. The
proof ends as that of prp:ftl does, with $2\varepsilon$ in place of $\varepsilon$: that is `/corrected`, and the
equality it is printed with is `/proof-4`.

Why $\varepsilon$ is not enough: let all $B_t = 0$, $\alpha_t = 1$, $D = \varepsilon$. Then $\tilde\ell$ is least at the
left end $\varepsilon$ of the interval, where its slope is 0, so the density is half a Gaussian of variance about
$D\varepsilon/(4t)$ and $x_{t+1} - \varepsilon \approx \sqrt{D\varepsilon/(2\pi t)}$. $\tilde\ell$ does not feel that to
first order, but $\ell(x) = x$ does: $\sum_t x_t - \varepsilon T$ grows like $\sqrt{2D\varepsilon T/\pi}$, and the bound
has a logarithm for it. From T = 10 on the claim is false.

eq:ewoo integrates from 0 instead of $\varepsilon$, and regularises by $\varepsilon^2/v$ instead of
$\sigma\varepsilon^2/v$, $\sigma = G\sqrt m$, with the same $\gamma$. Near 0 the losses are neither Lipschitz nor
exp-concave: slopes grow like $x^{-2}$ and curvatures like $x^{-3}$ only. The exp-concavity that EWOO asks for, and the
regret bounds of thm:ewoo and cor:ewoo, are tried over its domain (with the factor $\sigma$); `/literal-epsilon` is the
regulariser as printed. What the text makes of it at $\varepsilon = T^{-1/4}$ is in `fsim`.

The paper divides by D: D > 0 is read into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.learners.ewoo_curves import play_inverse
from arubatheory.papers.aruba.c_dynamic.expconcave import (
    EXTENT_POSITIVE,
    THREE_POINTS_NOTE,
    concavity_sides,
    exp_concavity_of,
    interval_width,
    part_of_segment,
    scales,
    shares,
)
from arubatheory.papers.aruba.games.similarity_losses import EPSILON_POSITIVE, GAME, similarity_game
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import larger, smaller
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root

LONGEST = 24  # the corollary falls at T = 10


# the game ----------------------------------------------------------------------------------------------------------
@kernel
def _difference(size: Array, alpha: Array, x: Array, u: Any) -> Any:
    r"""[exact] $\sum_t (S_t/x_t + x_t - S_t/u - u)\alpha_t$ with $S_t$ in `size`, and the magnitudes added."""
    s = scale = u - u
    for t in range(alpha.shape[0]):
        weight = size[t] / u / x[t]
        s = s + alpha[t] * (x[t] - u) * (1 - weight)
        scale = scale + alpha[t] * (x[t] + u) * (1 + weight)
    return s, scale


@kernel
def _sum(size: Array, alpha: Array, x: Any) -> Any:
    r"""[exact] $\sum_t (S_t/x + x)\alpha_t$."""
    s = x - x
    for t in range(alpha.shape[0]):
        s = s + (size[t] / x + x) * alpha[t]
    return s


@kernel
def price(alpha: Array, D: Any, eps: Any) -> Any:
    r"""[exact] $\frac{D\alpha_{\max}}2\max\{D^2/\varepsilon^2, 1\}(1 + \log(T + 1))$: thm:ewoo's bound for the
    $\gamma$ of prp:expconcave at the largest weight."""
    ratio, one = D / eps, D / D
    return D * _most(alpha) / 2 * larger(ratio * ratio, one) * (1 + np.log(one * (alpha.shape[0] + 1)))


@kernel
def _most(alpha: Array) -> Any:
    top = alpha[0]
    for t in range(1, alpha.shape[0]):
        if alpha[t] > top:
            top = alpha[t]
    return top


@kernel
def play(extra: Array, B: Array, alpha: Array, D: Any, eps: Any, lo: Any) -> Array:
    r"""[exact] $x_1, \dots, x_T$ of EWOO on $\frac{\alpha_tB_t^2 + e_t}x + \alpha_tx$ over
    $[lo, \sqrt{D^2 + \varepsilon^2}]$, with the $\gamma$ of prp:expconcave at the largest weight, $e_t$ in `extra`."""
    gamma = exp_concavity_of(_most(alpha), D, eps)
    return play_inverse(alpha * B * B + extra, alpha, gamma, lo, np.sqrt(D * D + eps * eps))


def _actions(i: Instance) -> Array:
    r"""$\varepsilon$-EWOO as the appendix defines it."""
    return on(play, i.B)(i.alpha * i.eps * i.eps, i.B, i.alpha, i.D, i.eps, i.eps)


def _main_actions(i: Instance, extra: Array) -> Array:
    r"""EWOO over $[0, \sqrt{D^2 + \varepsilon^2}]$."""
    return on(play, i.B)(extra, i.B, i.alpha, i.D, i.eps, i.eps - i.eps)


def _price(i: Instance) -> Any:
    return on(price, i.B)(i.alpha, i.D, i.eps)


def _regret(i: Instance, actions: Array, size: Array, u: Any, first: Any = 0) -> Sides:
    r"""The regret minus `first`, and the price: what the logarithmic term has to pay for."""
    lhs, scale = on(_difference, i.B)(size, i.alpha, actions, u)
    rhs = on(price, i.B)(i.alpha, i.D, i.eps)
    return Sides(lhs - first, rhs, scale + first + rhs)


def _regularised(i: Instance) -> Array:
    r"""$\tilde B_t^2$."""
    return i.B * i.B + i.eps * i.eps


def first_term(i: Instance, times: int = 1) -> Any:
    r"""$\min\{\varepsilon^2/x^\ast, k\varepsilon\}\alpha_{1:T}$."""
    return on(smaller, i.B)(i.eps / i.comparator * i.eps, times * i.eps) * sum(i.alpha)


# cor:ewoo ----------------------------------------------------------------------------------------------------------


def _game(draw: Draw) -> Instance:
    return _compared(draw, similarity_game(draw))


def _long_game(draw: Draw) -> Instance:
    return _compared(draw, similarity_game(draw, LONGEST))


def _compared(draw: Draw, i: Instance) -> Instance:
    if draw.boolean():  # near the best action in hindsight, where the regret is largest
        size = i.B[draw.integer(0, len(i.B) - 1)]
        i.comparator = size * draw.positive(-2, 2) if size > 0 else i.eps * draw.positive(-16, 0)
    return i


def _with_best(draw: Draw) -> Instance:
    i = _game(draw)
    i.best = draw.positive() if draw.boolean() else i.eps * draw.positive(-8, 8)
    return i


def _corollary(i: Instance) -> Sides:
    return _regret(i, _actions(i), i.B * i.B, i.comparator, first_term(i))


def _corrected(i: Instance) -> Sides:
    return _regret(i, _actions(i), i.B * i.B, i.comparator, first_term(i, 2))


def _literal(i: Instance) -> Sides:
    return _regret(i, _actions(i), i.B * i.B, i.best, first_term(i))


def _literal_min(i: Instance) -> Sides:
    return _regret(i, _actions(i), i.B * i.B, i.comparator)


def _leader(i: Instance) -> Any:
    return root(sum(i.alpha * _regularised(i)) / sum(i.alpha))


def _minimised_inside(i: Instance) -> tuple[Sides, ...]:
    best, mass = _leader(i), sum(i.alpha)
    square, top = sum(i.alpha * _regularised(i)), i.D * i.D + i.eps * i.eps
    lhs, rhs = (on(_sum, i.B)(_regularised(i), i.alpha, x) for x in (best, i.comparator))
    return (
        Sides(lhs, rhs, lhs + rhs),
        Sides(i.eps * i.eps * mass, square, square),
        Sides(square, top * mass, top * mass),
    )


def _applied(i: Instance) -> Sides:
    return _regret(i, _actions(i), _regularised(i), i.comparator)


def _first_line(i: Instance) -> Sides:
    x, size, mass = _actions(i), _regularised(i), sum(i.alpha)
    lhs, scale = on(_difference, i.B)(size, i.alpha, x, i.comparator)
    dropped = sum(i.alpha * i.eps * i.eps / x)
    return Sides(lhs - dropped, _price(i), scale + dropped + mass * i.eps + _price(i))


def _second_line(i: Instance) -> tuple[Sides, Sides]:
    rest, x = _price(i), i.comparator
    lhs = rest + on(_sum, i.B)(_regularised(i), i.alpha, x)
    rhs = first_term(i) + rest + on(_sum, i.B)(i.B * i.B, i.alpha, x)
    return Sides(lhs, rhs, lhs + rhs), Sides(rhs, lhs, lhs + rhs)


def _ends_with(times: int) -> Any:
    def sides(i: Instance) -> Sides:
        lhs = on(_sum, i.B)(_regularised(i), i.alpha, _leader(i))
        rhs = first_term(i, times) + on(_sum, i.B)(i.B * i.B, i.alpha, i.comparator)
        return Sides(lhs, rhs, lhs + rhs)

    return sides


# eq:ewoo -----------------------------------------------------------------------------------------------------------


def _main_game(draw: Draw) -> Instance:
    i = _long_game(draw)
    i.alpha = draw.array([i.alpha[0]] * len(i.alpha))
    return i


def _main_points(draw: Draw) -> Instance:
    r"""One loss with the weight $\sigma$, and two points of $(0, \sqrt{D^2 + \varepsilon^2}]$."""
    D, eps = scales(draw)
    x, y = shares(draw)
    least = draw.positive(-24, -1)
    return Instance(
        D=D, eps=eps, alpha=draw.positive(), B=D * draw.unit(), x=least + (1 - least) * x, y=least + (1 - least) * y,
        part=part_of_segment(draw),
    )  # fmt: skip


def _main_exp_concave(i: Instance) -> Sides:
    gamma, square = on(exp_concavity_of, i.D)(i.alpha, i.D, i.eps), _regularised(i)
    return Sides(
        *on(concavity_sides, i.D)(i.alpha, square, -square, i.D - i.D, _top(i), i.x, i.y, i.part, gamma)
    )  # fmt: skip


def _printed_exp_concave(i: Instance) -> Sides:
    r"""Points of $[\varepsilon, \sqrt{D^2 + \varepsilon^2}]$ even, and $\tilde B^2 = B^2 + \varepsilon^2/\sigma$."""
    gamma, width = on(exp_concavity_of, i.D)(i.alpha, i.D, i.eps), on(interval_width, i.D)(i.D, i.eps)
    square = i.B * i.B + i.eps * i.eps / i.alpha
    offset = i.eps * i.eps - square
    return Sides(
        *on(concavity_sides, i.D)(i.alpha, square, offset, i.eps, width, i.x, i.y, i.part, gamma)
    )  # fmt: skip


def _top(i: Instance) -> Any:
    return root(i.D * i.D + i.eps * i.eps)


def _main_applied(i: Instance) -> Sides:
    actions = _main_actions(i, i.alpha * i.eps * i.eps)
    return _regret(i, actions, _regularised(i), i.comparator)


def _main_regret(i: Instance) -> Sides:
    actions = _main_actions(i, i.alpha * i.eps * i.eps)
    return _regret(i, actions, i.B * i.B, i.comparator, first_term(i))


def _printed_regret(i: Instance) -> Sides:
    actions = _main_actions(i, i.eps * i.eps + 0 * i.alpha)
    return _regret(i, actions, i.B * i.B, i.comparator, first_term(i))


# statements --------------------------------------------------------------------------------------------------------
PRICE = r"\frac{D\alpha_{\max}}2\max\left\{\frac{D^2}{\varepsilon^2},1\right\}(1+\log(T+1))"
FIRST = r"\min\left\{\frac{\varepsilon^2}{x^\ast},\varepsilon\right\}\alpha_{1:T}"
REGRET = r"\sum_{t=1}^T\ell_t(x_t)-\ell_t(x^\ast)\le"
BEST_REGRET = r"\sum_{t=1}^T\ell_t(x_t)-\inf_{x>0}\sum_{t=1}^T\ell_t(x)\le"
MOVED = "The first term is taken to the left side."
ASSUMED = (*GAME, EXTENT_POSITIVE)
BEST = Assumption(r"x>0", lambda i: i.best)
EQUAL_WEIGHTS = Assumption(r"\alpha_t=G\sqrt m", lambda i: -max(abs(a - i.alpha[0]) for a in i.alpha))


def _reading(suffix: str, title: str, latex: str, instance: Any, sides: Any, **more: Any) -> Statement:
    return Statement(
        label=f"cor:ewoo{suffix}", kind="corollary", number="C.2", title=title, latex=latex, instance=instance,
        sides=sides, assumptions=more.pop("assumptions", ASSUMED), uses=("def:ewoo", "def:regret"), **more,
    )  # fmt: skip


def _step(n: str, title: str, latex: str, sides: Any, **more: Any) -> Statement:
    return Statement(
        label=f"cor:ewoo/proof-{n}", kind="proof step", number="C.2", title=title, latex=latex, instance=_game,
        sides=sides, assumptions=ASSUMED, step_of="cor:ewoo", **more,
    )  # fmt: skip


COROLLARY = (
    _reading("", r"Regret of $\varepsilon$-EWOO", REGRET + FIRST + "+" + PRICE, _long_game, _corollary,
             note=r"The same $x^\ast>0$ on both sides. At $B_t=0$, $D=\varepsilon$, $x^\ast\to0$ the actions exceed "
             r"$\varepsilon$ by about $\sqrt{D\varepsilon/(2\pi t)}$, in the sum by more than the logarithm allows: "
             r"false from $T=10$ on, by a factor that grows like $\sqrt T/\log T$. " + MOVED),
    _reading("/corrected", r"Regret of $\varepsilon$-EWOO, with $2\varepsilon$ as the proof has it",
             REGRET + FIRST.replace(r",\varepsilon", r",2\varepsilon") + "+" + PRICE, _long_game, _corrected,
             part_of="cor:ewoo",
             corrects=("cor:ewoo", "cor:ewoo/literal", "cor:ewoo/literal-min"),
             note=r"With $2\varepsilon$ in the first term, as the end of the proof of prp:ftl has it. " + MOVED),
    _reading("/literal", r"The regret of def:regret, and any $x^\ast$ on the right", BEST_REGRET + FIRST + "+" + PRICE,
             _with_best, _literal, part_of="cor:ewoo", assumptions=(*ASSUMED, BEST),
             note=r"The best action on the left, and $x^\ast$ only on the right: as $x^\ast\to\infty$ the first term "
             r"vanishes. Any $x$ in place of the best action under-states the left side. " + MOVED),
    _reading("/literal-min", r"The minimum over $x^\ast>0$, which is 0", BEST_REGRET
             + r"\inf_{x^\ast>0}\min\left\{\frac{\varepsilon^2}{x^\ast},\varepsilon\right\}\alpha_{1:T}+" + PRICE,
             _game, _literal_min, part_of="cor:ewoo",
             note=r"As printed, $\min_{x^\ast>0}$ stands before the braces: the infimum is 0. Any $x$ in place of the "
             r"best action under-states the left side."),
    _step("1", r"The regularised sum is least inside the interval",
          r"\min_{x\in[\varepsilon,\sqrt{D^2+\varepsilon^2}]}\sum_{t=1}^T\tilde\ell_t(x)\le"
          r"\sum_{t=1}^T\tilde\ell_t(x^\ast)", _minimised_inside,
          note=r"The minimum is at $\sqrt{\sum_t\alpha_t\tilde B_t^2/\alpha_{1:T}}$, which lies in the interval."),
    _step("2", "EWOO's regret on the regularised losses", r"\sum_{t=1}^T\tilde\ell_t(x_t)\le" + PRICE
          + r"+\sum_{t=1}^T\tilde\ell_t(x^\ast)", _applied, uses=("thm:ewoo", "prp:expconcave/exp-concave"),
          corrects=("eq:ewoo/regret-regularised",),
          note=r"thm:ewoo with the $\gamma$ of prp:expconcave at $\alpha_{\max}$, over "
          r"$[\varepsilon,\sqrt{D^2+\varepsilon^2}]$."),
    _step("3", "The first line of the last display", r"\sum_{t=1}^T\ell_t(x_t)\le" + PRICE
          + r"+\sum_{t=1}^T\tilde\ell_t(x^\ast)", _first_line,
          note=r"$\sum_t\tilde\ell_t(x^\ast)$ is taken to the left side."),
    _step("4", "The second line of the last display, an equality", PRICE + r"+\sum_{t=1}^T\tilde\ell_t(x^\ast)="
          + FIRST + "+" + PRICE + r"+\sum_{t=1}^T\ell_t(x^\ast)", _second_line,
          note=r"Equal only for $x^\ast\ge\varepsilon$: the left side exceeds the right one for smaller $x^\ast$."),
    _step("4/needed", "What the claim needs of the second line", r"\min_x\sum_{t=1}^T\tilde\ell_t(x)\le" + FIRST
          + r"+\sum_{t=1}^T\ell_t(x^\ast)", _ends_with(1),
          note=r"At $B_t=0$ the left side is $2\varepsilon\alpha_{1:T}$, and the right side tends to "
          r"$\varepsilon\alpha_{1:T}$ as $x^\ast\to0$."),
    _step("4/corrected", "The second line, as the end of the proof of prp:ftl has it",
          r"\min_x\sum_{t=1}^T\tilde\ell_t(x)\le" + FIRST.replace(r",\varepsilon", r",2\varepsilon")
          + r"+\sum_{t=1}^T\ell_t(x^\ast)", _ends_with(2), corrects=("cor:ewoo/proof-4", "cor:ewoo/proof-4/needed"),
          note=r"With $2\varepsilon$, and for the best action of the regularised losses."),
)  # fmt: skip

TOP = r"\sqrt{D^2+\varepsilon^2}"
MAIN_DOMAIN = r"Over $[0," + TOP + r"]$, where eq:ewoo integrates"
POSITIVE = (Assumption(r"G\sqrt m>0", lambda i: i.alpha), EXTENT_POSITIVE, EPSILON_POSITIVE,
            Assumption(r"B_t\in[0,D]", lambda i: min(i.B, i.D - i.B)))  # fmt: skip


def _of_points(suffix: str, title: str, latex: str, sides: Any, domain: str, note: str) -> Statement:
    points = Assumption(rf"x,y\in{domain}", lambda i: min(i.x, 1 - i.x, i.y, 1 - i.y))
    return Statement(
        label=f"eq:ewoo/{suffix}", kind="equation", title=title, latex=latex, instance=_main_points, sides=sides,
        assumptions=(*POSITIVE, points), part_of="eq:ewoo", uses=("def:expconcave",), note=note,
    )  # fmt: skip


def _of_games(suffix: str, title: str, latex: str, sides: Any, note: str, **more: Any) -> Statement:
    return Statement(
        label=f"eq:ewoo/{suffix}", kind="equation", title=title, latex=latex, instance=_main_game, sides=sides,
        assumptions=(*ASSUMED, EQUAL_WEIGHTS), part_of="eq:ewoo", uses=("def:ewoo", "def:regret"), note=note, **more,
    )  # fmt: skip


LOSS = r"\tilde\ell_t(v)=\left(\frac{B_t^2+\varepsilon^2}v+v\right)G\sqrt m\implies"
PRINTED_LOSS = r"\tilde f_t(v)=\left(\frac{B_t^2}v+v\right)G\sqrt m+\frac{\varepsilon^2}v\implies"
THREE_POINTS = r"\lambda e^{-\gamma f(x)}+(1-\lambda)e^{-\gamma f(y)}\le e^{-\gamma f(\lambda x+(1-\lambda)y)}"
MAIN_PRICE = PRICE.replace(r"\alpha_{\max}", r"G\sqrt m")
MAIN_FIRST = FIRST.replace(r"\alpha_{1:T}", r"G\sqrt mT")

MAIN = (
    _of_points("exp-concave", "prp:expconcave's exp-concavity over the domain of eq:ewoo",
               LOSS + THREE_POINTS.replace("f(", r"\tilde\ell_t("), _main_exp_concave, rf"(0,{TOP}]",
               MAIN_DOMAIN + r", $\partial_{xx}\tilde\ell_t/(\partial_x\tilde\ell_t)^2\to0$ as $x\to0$. "
               + THREE_POINTS_NOTE),
    _of_points("exp-concave/literal-epsilon", r"Exp-concavity with $\varepsilon^2/v$ as printed",
               PRINTED_LOSS + THREE_POINTS.replace("f(", r"\tilde f_t("), _printed_exp_concave,
               rf"[\varepsilon,{TOP}]",
               r"eq:ewoo regularises by $\varepsilon^2/v$, without the factor $G\sqrt m$ that the losses carry and "
               r"$\gamma$ counts on: for $G\sqrt m>1$ this fails even over the appendix's interval. "
               + THREE_POINTS_NOTE),
    _of_games("regret-regularised", "thm:ewoo's bound of eq:ewoo's regret on the regularised losses",
              LOSS + r"\sum_{t=1}^T\tilde\ell_t(v_t)\le" + MAIN_PRICE + r"+\sum_{t=1}^T\tilde\ell_t(x^\ast)",
              _main_applied, MAIN_DOMAIN + rf": the first action is half of ${TOP}$, for small $D$ far below "
              r"$\varepsilon$."),
    _of_games("regret", "cor:ewoo's bound of eq:ewoo's regret",
              LOSS + REGRET.replace("x_t", "v_t") + MAIN_FIRST + "+" + MAIN_PRICE, _main_regret,
              MAIN_DOMAIN + r", with the regulariser $G\sqrt m\varepsilon^2/v$. There the density has two sides around "
              r"$\varepsilon$, and what refutes cor:ewoo (actions above $\varepsilon$ only) is missing. " + MOVED,
              corrects=("eq:ewoo/regret/literal-epsilon",)),
    _of_games("regret/literal-epsilon", r"cor:ewoo's bound with $\varepsilon^2/v$ as printed",
              PRINTED_LOSS + REGRET.replace("x_t", "v_t") + MAIN_FIRST + "+" + MAIN_PRICE, _printed_regret,
              MAIN_DOMAIN + r", with $\varepsilon^2/v$ as printed: for small $G\sqrt m$ the regulariser outweighs the "
              r"losses and holds $v_t$ at the upper end, a regret linear in $T$."),
)  # fmt: skip

STATEMENTS = (*COROLLARY, *MAIN)
