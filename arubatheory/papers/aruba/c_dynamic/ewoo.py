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

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.c_dynamic import expconcave
from arubatheory.papers.aruba.c_dynamic.expconcave import OnInterval
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import similarity_losses
from arubatheory.papers.aruba.games.similarity_losses import ewoo_price, ewoo_rule, play_sim, regularised, sim_loss
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import root

LONGEST = 24  # the corollary falls at T = 10


def _actions(x: Instance) -> Array:
    r"""$\varepsilon$-EWOO as the appendix defines it."""
    return play_sim(ewoo_rule(x.D, x.eps, max(x.alpha), x.eps), x.alpha, regularised(x))


def _total(x: Instance, size: Array, u: Any) -> Any:
    return sum(sim_loss(size, u, x.alpha))


def _first_term(x: Instance, times: int = 1) -> Any:
    r"""$\min\{\varepsilon^2/x^\ast, k\varepsilon\}\alpha_{1:T}$."""
    return similarity_losses.first_term(x.eps, x.comparator, sum(x.alpha), times)


def _priced(x: Instance, played: Array, size: Array, less: Any = 0, u: Any = None) -> Sides:
    r"""Regret on $(S_t/x + x)\alpha_t$ against u, as a rule $x^\ast$, and what the logarithmic term has to pay for."""
    regret = similarity_losses.sim_regret(size, x.alpha, played, x.comparator if u is None else u)
    return Sides(regret - less, ewoo_price(x.alpha, x.D, x.eps))


def _game(draw: Draw, rounds: int = 6) -> Instance:
    x = similarity_losses.similarity_game(draw, rounds)
    if draw.boolean():  # near the best action in hindsight, where the regret is largest
        size = x.B[draw.integer(0, len(x.B) - 1)]
        x.comparator = size * draw.positive(-2, 2) if size > 0 else x.eps * draw.positive(-16, 0)
    return x


def _long_game(draw: Draw) -> Instance:
    return _game(draw, LONGEST)


def _with_best(draw: Draw) -> Instance:
    x = _game(draw)
    x.best = draw.positive() if draw.boolean() else x.eps * draw.positive(-8, 8)
    return x


PRICE = r"\frac{D\alpha_{\max}}2\max\left\{\frac{D^2}{\varepsilon^2},1\right\}(1+\log(T+1))"
FIRST = r"\min\left\{\frac{\varepsilon^2}{x^\ast},\varepsilon\right\}\alpha_{1:T}"
TWICE = FIRST.replace(r",\varepsilon", r",2\varepsilon")
REGRET = r"\sum_{t=1}^T\ell_t(x_t)-\ell_t(x^\ast)\le"
BEST_REGRET = r"\sum_{t=1}^T\ell_t(x_t)-\inf_{x>0}\sum_{t=1}^T\ell_t(x)\le"
ASSUMED = (*similarity_losses.GAME, expconcave.EXTENT_POSITIVE)
PLAYED = {"given": ASSUMED, "uses": ("def:ewoo", "def:regret")}


@claim("cor:ewoo", f"{REGRET}{FIRST}+{PRICE}", _long_game, **PLAYED)
def corollary(x: Instance) -> Sides:
    r"""Regret of $\varepsilon$-EWOO.

    The same $x^\ast>0$ on both sides. At $B_t=0$, $D=\varepsilon$, $x^\ast\to0$ the actions exceed $\varepsilon$ by
    about $\sqrt{D\varepsilon/(2\pi t)}$, in the sum by more than the logarithm allows: false from $T=10$ on, by a
    factor that grows like $\sqrt T/\log T$. The first term is taken to the left side.
    """
    return _priced(x, _actions(x), x.B * x.B, _first_term(x))


@claim(
    "cor:ewoo/corrected",
    f"{REGRET}{TWICE}+{PRICE}",
    _long_game,
    corrects=("cor:ewoo", "cor:ewoo/literal", "cor:ewoo/literal-min"),
    **PLAYED,
)
def corrected(x: Instance) -> Sides:
    r"""Regret of $\varepsilon$-EWOO, with $2\varepsilon$ as the proof has it.

    With $2\varepsilon$ in the first term, as the end of the proof of prp:ftl has it. The first term is taken to the
    left side.
    """
    return _priced(x, _actions(x), x.B * x.B, _first_term(x, 2))


ANY_BEST = PLAYED | {"given": (*ASSUMED, Assumption(r"x>0", lambda x: x.best))}


@claim("cor:ewoo/literal", f"{BEST_REGRET}{FIRST}+{PRICE}", _with_best, **ANY_BEST)
def literal(x: Instance) -> Sides:
    r"""The regret of def:regret, and any $x^\ast$ on the right.

    The best action on the left, and $x^\ast$ only on the right: as $x^\ast\to\infty$ the first term vanishes. Any
    $x$ in place of the best action under-states the left side. The first term is taken to the left side.
    """
    return _priced(x, _actions(x), x.B * x.B, _first_term(x), x.best)


@claim("cor:ewoo/literal-min", BEST_REGRET + r"\inf_{x^\ast>0}" + f"{FIRST}+{PRICE}", _game, **PLAYED)
def literal_minimum(x: Instance) -> Sides:
    r"""The minimum over $x^\ast>0$, which is 0.

    As printed, $\min_{x^\ast>0}$ stands before the braces: the infimum is 0. Any $x$ in place of the best action
    under-states the left side.
    """
    return _priced(x, _actions(x), x.B * x.B)


# the proof of cor:ewoo
STEP = {"game": _game, "given": ASSUMED}


def _leader(x: Instance) -> Any:
    return root(sum(x.alpha * regularised(x)) / sum(x.alpha))


@claim(
    "cor:ewoo/proof-1",
    r"\min_{x\in[\varepsilon,\sqrt{D^2+\varepsilon^2}]}\sum_{t=1}^T\tilde\ell_t(x)\le\sum_{t=1}^T\tilde\ell_t(x^\ast)",
    **STEP,
)
def minimised_inside(x: Instance) -> tuple[Sides, ...]:
    r"""The regularised sum is least inside the interval.

    The minimum is at $\sqrt{\sum_t\alpha_t\tilde B_t^2/\alpha_{1:T}}$, which lies in the interval.
    """
    sizes, mass = regularised(x), sum(x.alpha)
    square = sum(x.alpha * sizes)
    best = Sides(_total(x, sizes, _leader(x)), _total(x, sizes, x.comparator))
    return best, Sides(x.eps * x.eps * mass, square), Sides(square, (x.D * x.D + x.eps * x.eps) * mass)


@claim(
    "cor:ewoo/proof-2",
    rf"\sum_{{t=1}}^T\tilde\ell_t(x_t)\le{PRICE}+\sum_{{t=1}}^T\tilde\ell_t(x^\ast)",
    **STEP,
    uses=("thm:ewoo", "prp:expconcave/exp-concave"),
    corrects=("eq:ewoo/regret-regularised",),
)
def applied(x: Instance) -> Sides:
    r"""EWOO's regret on the regularised losses.

    thm:ewoo with the $\gamma$ of prp:expconcave at $\alpha_{\max}$, over
    $[\varepsilon,\sqrt{D^2+\varepsilon^2}]$.
    """
    return _priced(x, _actions(x), regularised(x))


@claim("cor:ewoo/proof-3", rf"\sum_{{t=1}}^T\ell_t(x_t)\le{PRICE}+\sum_{{t=1}}^T\tilde\ell_t(x^\ast)", **STEP)
def first_line(x: Instance) -> Sides:
    r"""The first line of the last display.

    $\sum_t\tilde\ell_t(x^\ast)$ is taken to the left side.
    """
    played = _actions(x)
    return _priced(x, played, regularised(x), sum(x.alpha * x.eps * x.eps / played))


@claim(
    "cor:ewoo/proof-4",
    rf"{PRICE}+\sum_{{t=1}}^T\tilde\ell_t(x^\ast)={FIRST}+{PRICE}+\sum_{{t=1}}^T\ell_t(x^\ast)",
    **STEP,
)
def second_line(x: Instance) -> tuple[Sides, Sides]:
    r"""The second line of the last display, an equality.

    Equal only for $x^\ast\ge\varepsilon$: the left side exceeds the right one for smaller $x^\ast$.
    """
    rest, u = ewoo_price(x.alpha, x.D, x.eps), x.comparator
    return equality(rest + _total(x, regularised(x), u), _first_term(x) + rest + _total(x, x.B * x.B, u))


def _end(x: Instance, times: int) -> Sides:
    least = _total(x, regularised(x), _leader(x))
    return Sides(least, _first_term(x, times) + _total(x, x.B * x.B, x.comparator))


@claim(
    "cor:ewoo/proof-4/needed", rf"\min_x\sum_{{t=1}}^T\tilde\ell_t(x)\le{FIRST}+\sum_{{t=1}}^T\ell_t(x^\ast)", **STEP
)
def end_needed(x: Instance) -> Sides:
    r"""What the claim needs of the second line.

    At $B_t=0$ the left side is $2\varepsilon\alpha_{1:T}$, and the right side tends to $\varepsilon\alpha_{1:T}$ as
    $x^\ast\to0$.
    """
    return _end(x, 1)


@claim(
    "cor:ewoo/proof-4/corrected",
    rf"\min_x\sum_{{t=1}}^T\tilde\ell_t(x)\le{TWICE}+\sum_{{t=1}}^T\ell_t(x^\ast)",
    **STEP,
    corrects=("cor:ewoo/proof-4", "cor:ewoo/proof-4/needed"),
)
def end_corrected(x: Instance) -> Sides:
    r"""The second line, as the end of the proof of prp:ftl has it.

    With $2\varepsilon$, and for the best action of the regularised losses.
    """
    return _end(x, 2)


# eq:ewoo on one loss
def _main_points(draw: Draw) -> Instance:
    r"""One loss with the weight $\sigma$, and two points of $(0, \sqrt{D^2 + \varepsilon^2}]$."""
    D, eps = expconcave.scales(draw)
    s, t = expconcave.shares(draw)
    least = draw.positive(-24, -1)
    x, y = least + (1 - least) * s, least + (1 - least) * t
    alpha, B = draw.positive(), D * draw.unit()
    return Instance(D=D, eps=eps, alpha=alpha, B=B, x=x, y=y, part=expconcave.part_of_segment(draw))


def _concavity(x: Instance, f: OnInterval) -> Sides:
    return Sides(*on(expconcave.concavity_sides, x.D)(f, x.x, x.y, x.part, expconcave.gamma_of(x)))


TOP = r"\sqrt{D^2+\varepsilon^2}"
LOSS = r"\tilde\ell_t(v)=\left(\frac{B_t^2+\varepsilon^2}v+v\right)G\sqrt m\implies"
PRINTED_LOSS = r"\tilde f_t(v)=\left(\frac{B_t^2}v+v\right)G\sqrt m+\frac{\varepsilon^2}v\implies"
THREE_POINTS = r"\lambda e^{-\gamma f(x)}+(1-\lambda)e^{-\gamma f(y)}\le e^{-\gamma f(\lambda x+(1-\lambda)y)}"
POSITIVE = (
    Assumption(r"G\sqrt m>0", lambda x: x.alpha),
    expconcave.EXTENT_POSITIVE,
    expconcave.EPSILON_POSITIVE,
    expconcave.SIZE,
)


@claim(
    "eq:ewoo/exp-concave",
    LOSS + THREE_POINTS.replace("f(", r"\tilde\ell_t("),
    _main_points,
    (*POSITIVE, expconcave.in_interval(f"(0,{TOP}]")),
    uses=("def:expconcave",),
)
def _main_exp_concave(x: Instance) -> Sides:
    r"""prp:expconcave's exp-concavity over the domain of eq:ewoo.

    Over $[0,\sqrt{D^2+\varepsilon^2}]$, where eq:ewoo integrates,
    $\partial_{xx}\tilde\ell_t/(\partial_x\tilde\ell_t)^2\to0$ as $x\to0$.
    Tried as $\lambda(e^{-r_x}-1+r_x)+(1-\lambda)(e^{-r_y}-1+r_y)\le\lambda r_x+(1-\lambda)r_y$ for
    $r_x=\gamma(\tilde\ell_t(x)-\tilde\ell_t(\lambda x+(1-\lambda)y))$: the same inequality, but both sides tend to 0
    together. $D>0$ is read into the paper, which divides by $D$.
    """
    square = regularised(x)
    return _concavity(x, OnInterval(x.alpha, square, -square, x.D - x.D, root(x.D * x.D + x.eps * x.eps)))


@claim(
    "eq:ewoo/exp-concave/literal-epsilon",
    PRINTED_LOSS + THREE_POINTS.replace("f(", r"\tilde f_t("),
    _main_points,
    (*POSITIVE, expconcave.in_interval(rf"[\varepsilon,{TOP}]")),
    uses=("def:expconcave",),
)
def _printed_exp_concave(x: Instance) -> Sides:
    r"""Exp-concavity with $\varepsilon^2/v$ as printed.

    eq:ewoo regularises by $\varepsilon^2/v$, without the factor $G\sqrt m$ that the losses carry and $\gamma$ counts
    on: for $G\sqrt m>1$ this fails even over the appendix's interval.
    Tried as $\lambda(e^{-r_x}-1+r_x)+(1-\lambda)(e^{-r_y}-1+r_y)\le\lambda r_x+(1-\lambda)r_y$ for
    $r_x=\gamma(\tilde\ell_t(x)-\tilde\ell_t(\lambda x+(1-\lambda)y))$: the same inequality, but both sides tend to 0
    together. $D>0$ is read into the paper, which divides by $D$.
    """
    # points of [eps, sqrt(D^2 + eps^2)] even, and B~^2 = B^2 + eps^2 / sigma
    square, width = x.B * x.B + x.eps * x.eps / x.alpha, expconcave.interval_width(x.D, x.eps)
    return _concavity(x, OnInterval(x.alpha, square, x.eps * x.eps - square, x.eps, width))


# eq:ewoo on games
def _main_game(draw: Draw) -> Instance:
    x = _long_game(draw)
    x.alpha = draw.array([x.alpha[0]] * len(x.alpha))
    return x


MAIN_PRICE = PRICE.replace(r"\alpha_{\max}", r"G\sqrt m")
MAIN_FIRST = FIRST.replace(r"\alpha_{1:T}", r"G\sqrt mT")
MAIN_REGRET = REGRET.replace("x_t", "v_t")
EQUAL_WEIGHTS = Assumption(r"\alpha_t=G\sqrt m", lambda x: -max(abs(a - x.alpha[0]) for a in x.alpha))
IN_MAIN_TEXT = PLAYED | {"game": _main_game, "given": (*ASSUMED, EQUAL_WEIGHTS)}


def _main_actions(x: Instance, size: Array) -> Array:
    r"""eq:ewoo on $(S_t/v + v)\alpha_t$, from 0."""
    return play_sim(ewoo_rule(x.D, x.eps, x.alpha[0], 0 * x.eps), x.alpha, size)


@claim(
    "eq:ewoo/regret-regularised",
    rf"{LOSS}\sum_{{t=1}}^T\tilde\ell_t(v_t)\le{MAIN_PRICE}+\sum_{{t=1}}^T\tilde\ell_t(x^\ast)",
    **IN_MAIN_TEXT,
)
def main_applied(x: Instance) -> Sides:
    r"""thm:ewoo's bound of eq:ewoo's regret on the regularised losses.

    Over $[0,\sqrt{D^2+\varepsilon^2}]$, where eq:ewoo integrates: the first action is half of
    $\sqrt{D^2+\varepsilon^2}$, for small $D$ far below $\varepsilon$.
    """
    return _priced(x, _main_actions(x, regularised(x)), regularised(x))


@claim(
    "eq:ewoo/regret",
    f"{LOSS}{MAIN_REGRET}{MAIN_FIRST}+{MAIN_PRICE}",
    corrects=("eq:ewoo/regret/literal-epsilon",),
    **IN_MAIN_TEXT,
)
def main_regret(x: Instance) -> Sides:
    r"""cor:ewoo's bound of eq:ewoo's regret.

    Over $[0,\sqrt{D^2+\varepsilon^2}]$, where eq:ewoo integrates, with the regulariser $G\sqrt m\varepsilon^2/v$.
    There the density has two sides around $\varepsilon$, and what refutes cor:ewoo (actions above $\varepsilon$ only)
    is missing. The first term is taken to the left side. Seen only: a proof is known with $2\varepsilon$ for
    $\varepsilon$ and $D\ge2\varepsilon$.
    """
    return _priced(x, _main_actions(x, regularised(x)), x.B * x.B, _first_term(x))


@claim("eq:ewoo/regret/literal-epsilon", f"{PRINTED_LOSS}{MAIN_REGRET}{MAIN_FIRST}+{MAIN_PRICE}", **IN_MAIN_TEXT)
def main_regret_as_printed(x: Instance) -> Sides:
    r"""cor:ewoo's bound with $\varepsilon^2/v$ as printed.

    Over $[0,\sqrt{D^2+\varepsilon^2}]$, where eq:ewoo integrates, with $\varepsilon^2/v$ as printed: for small
    $G\sqrt m$ the regulariser outweighs the losses and holds $v_t$ at the upper end, a regret linear in $T$.
    """
    return _priced(x, _main_actions(x, x.B * x.B + x.eps * x.eps / x.alpha), x.B * x.B, _first_term(x))
