r"""What section 2 says of the losses of SIM, $f_t^{sim}(v) = (B_R(\theta_t^\ast\|\phi_t)/v + v)\,G_t\sqrt{m_t}$.

text:fsim-shape says what these functions are not, eq:ewoo comes with the promise of regret $\tilde O(\sqrt T)$, and
text:v-rule says that the update of v printed after it has regret $\tilde O(T^{3/5})$: that some constant exists, so
closed families in T are tried against a named one.

Where all $B_t = 0$, $D = \sigma = 1$ and $U = \sqrt{1 + \varepsilon^2} \ge 2\varepsilon$, eq:ewoo plays at least
$\varepsilon$ on $[0, U]$ as well: with $v = \varepsilon e^s$, $U = \varepsilon e^S$ its density is
$\varepsilon e^s w(s)$ with an even w that decreases in |s|, so that
$$\int_0^U (v - \varepsilon)\,e^{-a(\varepsilon^2/v + v)}\,dv = \varepsilon^2\int_{-\infty}^S (e^{2s} - e^s)\,w(s)\,ds
    \ge \varepsilon^2 w(S)\Big(\frac{e^{2S}}2 - e^S\Big) \ge 0,$$
since $\cosh 2s \ge \cosh s$ on $[-S, S]$, where $w \ge w(S)$, and $e^{2s} < e^s$ below -S, where $w \le w(S)$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.learners.eps_ftl import leaders
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games.similarity_losses import COMPARATOR_POSITIVE, ewoo_rule, play_sim, sim_regret, whole
from arubatheory.problems.draw import SCALE, Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_T

ASTRONOMICAL = 96  # of two: as many rounds as no loop would reach


def _all_at(x: Instance, eps: Any, bound: Any) -> Sides:
    r"""Every action is $\varepsilon$; the comparator is a multiple of $\varepsilon$."""
    return Sides(x.T * eps - x.T * eps * x.comparator, bound)


def _long_game(draw: Draw, longest: int = 8) -> Instance:
    r"""$D = 1$ and $\alpha_t = 1$: few free rounds, or up to `2**longest` in two phases, alternating or not."""
    first, comparator = draw.unit(), draw.positive(-16, 4)
    if not draw.boolean():
        return Instance(B=np.asarray(draw.unit(draw.size("T", 8, MOST_T))), first=first, comparator=comparator)
    T, pair = 2 ** draw.integer(1, longest), draw.unit(2)
    change, alternating = draw.integer(0, 8) * T // 8, draw.boolean()
    B = [pair[t % 2 if alternating else int(t >= change)] for t in range(T)]
    return Instance(B=draw.array(B), first=first, comparator=comparator)


def _zero_family(draw: Draw, least: int = 0) -> Instance:
    r"""$B_t = 0$ in all rounds, at least $2^{least}$: then $v_t = \varepsilon$."""
    return Instance(T=draw.number(2 ** draw.integer(least, ASTRONOMICAL)), comparator=draw.positive(-SCALE, 0))


SHARES = Assumption(r"\Breg_R(\theta_t^\ast||\phi_t)\in[0,1]", lambda x: min(x.B.min(), (1 - x.B).min()))


# eq:ewoo at T^(-1/4)
def _fourth_root(T: Any) -> Any:
    r"""$\varepsilon = T^{-1/4}$."""
    return root(root(1 / T))


@claim(
    "eq:ewoo/square-root",
    r"\varepsilon=T^{-\frac14}\implies\sum_{t=1}^T\fsim_t(v_t)-\inf_{v>0}\sum_{t=1}^T\fsim_t(v)"
    r"\le100\sqrt T(1+\log T)",
    lambda draw: _zero_family(draw, 4),  # so large that U >= 2 eps
    (Assumption(r"T\ge16", lambda x: x.T - 16), COMPARATOR_POSITIVE),
    uses=("eq:auxregret", "def:regret", "def:ewoo"),
)
def square_root(x: Instance) -> Sides:
    r"""Regret of order $\sqrt T$ on the original sequence.

    `We achieve $\tilde{\mathcal O}(\sqrt T)$ regret on the original sequence': the family $\theta_t^\ast=\phi_t$,
    $D=G\sqrt m=1$, T a power of two, and v a multiple (drawn as $x^\ast$) of $\varepsilon$. All $v_t$ are at least
    $\varepsilon$, over the interval of eq:ewoo and over the appendix's, and are replaced by it, which under-states the
    left side: regret comes as near as one likes to $\varepsilon T=T^{3/4}$. Only at a fixed v is it of order
    $\sqrt T$.
    """
    return _all_at(x, _fourth_root(x.T), 100 * root(x.T) * (1 + np.log(x.T)))


def _short_game(draw: Draw) -> Instance:
    x = _long_game(draw, 5)
    return Instance(B=x.B, comparator=x.comparator)


def main_ewoo(B: Array, eps: Any) -> Array:
    r"""What eq:ewoo plays for $D = \sigma = 1$, on $[0, \sqrt{1 + \varepsilon^2}]$."""
    ones = 0 * B + 1  # rational, as 0 has to be: there the losses are singular
    return play_sim(ewoo_rule(ones[0], eps, ones[0], 0 * ones[0]), ones, B * B + eps * eps)


@claim(
    "eq:ewoo/square-root/corrected",
    r"\varepsilon=T^{-\frac14}\implies\sum_{t=1}^T\fsim_t(v_t)-\fsim_t(v)\le\sqrt T\left(\min\left\{\frac1v,"
    r"T^{\frac14}\right\}+\frac12(1+\log(T+1))\right)",
    _short_game,
    (SHARES, COMPARATOR_POSITIVE),
    uses=("eq:auxregret", "eq:ewoo/regret"),
)
def square_root_corrected(x: Instance) -> Sides:
    r"""Regret of order $\sqrt T$ at any v, with constants.

    eq:ewoo/regret, which is seen only, at $\varepsilon=T^{-\frac14}$, $D=G\sqrt m=1$; for a fixed v the right side
    is of order $\sqrt T\log T$.
    """
    ones = 0 * x.B + 1
    T = sum(ones)
    eps = _fourth_root(T)
    bound = root(T) * (on(smaller, eps)(1 / x.comparator, 1 / eps) + (1 + np.log(T + 1)) / 2)
    return Sides(sim_regret(x.B * x.B, ones, main_ewoo(x.B, eps), x.comparator), bound)


# text:v-rule
def fifth_root(T: Any) -> Any:
    r"""$\varepsilon = T^{-1/5}$."""
    return np.exp(-np.log(T) / 5)


def _three_fifths(T: Any) -> Any:
    r"""$100\,T^{3/5}(1 + \log T)$."""
    return 100 * np.exp(np.log(T) * 3 / 5) * (1 + np.log(T))


@kernel
def printed_family_loss(T: int, eps: Any, first: Any) -> Any:
    r"""[exact] $\sum_t 1/v_t + v_t$ for $v_{t+1}^2 = \varepsilon^2 t + t$."""
    s = 1 / first + first
    rate = np.sqrt(eps * eps + 1)
    for t in range(1, T):
        v = rate * np.sqrt(first * 0 + t)
        s = s + (1 / v + v)
    return s


def _printed_family(draw: Draw) -> Instance:
    r"""$B_R(\theta_s\|\phi_t) = D^2 = 1$ and $\alpha_t = 1$ in all rounds; T a power of two."""
    T = draw.number(2 ** draw.integer(0, 14))  # summed one by one
    return Instance(T=T, first=draw.unit(), comparator=draw.positive(-8, 8))


RATE = r"\le100\,T^{\frac35}(1+\log T)"
ROUNDS = Assumption(r"T\ge1", lambda x: x.T - 1)
FIRST = Assumption(r"v_1\in[\varepsilon,\sqrt{D^2+\varepsilon^2}]", lambda x: min(x.first, 1 - x.first))


@claim(
    "text:v-rule",
    r"v_{t+1}^2=\varepsilon^2t+\sum_{s\le t}\Breg_R(\theta_s^\ast||\phi_t)\implies"
    r"\sum_{t=1}^T\fsim_t(v_t)-\fsim_t(v)" + RATE,
    _printed_family,
    (ROUNDS, FIRST, COMPARATOR_POSITIVE),
    uses=("eq:auxregret", "def:regret"),
)
def printed_rule(x: Instance) -> Sides:
    r"""The printed update of v has regret of order $T^{3/5}$.

    The family $\Breg_R(\theta_s^\ast||\phi_t)=D^2=1$ (as for $\phi_t=0$, $\theta_s^\ast=\pm\sqrt2$), $G\sqrt m=1$,
    $\varepsilon=T^{-1/5}$, T a power of two, with 100 for the constant. There $v_t$ grows like $\sqrt t$ and regret
    like $T^{3/2}$: the sum lacks a division by t.
    """
    eps = fifth_root(x.T)
    first = eps + x.first * (root(1 + eps * eps) - eps)
    played = on(printed_family_loss, x.T)(whole(x.T), eps, first)
    return Sides(played - (1 / x.comparator + x.comparator) * x.T, _three_fifths(x.T))


MEAN_RULE = r"v_{t+1}^2=\varepsilon^2+\frac1t\sum_{s\le t}\Breg_R(\theta_s^\ast||\phi_s)\implies"


@claim(
    "text:v-rule/mean",
    MEAN_RULE + r"\sum_{t=1}^T\fsim_t(v_t)-\min_{v>0}\sum_{t=1}^T\fsim_t(v)" + RATE,
    _zero_family,
    (ROUNDS, COMPARATOR_POSITIVE),
    uses=("eq:auxregret", "def:regret"),
)
def mean_rule(x: Instance) -> Sides:
    r"""The update divided by t has regret of order $T^{3/5}$ against the best action.

    The family $\theta_t^\ast=\phi_t$, $D=G\sqrt m=1$, $\varepsilon=T^{-1/5}$, $v_1=\varepsilon$, and v a multiple
    (drawn as $x^\ast$) of $\varepsilon$. All $v_t$ are $\varepsilon$, and regret comes as near as one likes to
    $\varepsilon T=T^{4/5}$. Only at a fixed v is it of order $T^{3/5}$; so much is announced before prp:ftl too.
    """
    return _all_at(x, fifth_root(x.T), _three_fifths(x.T))


@claim(
    "text:v-rule/corrected",
    MEAN_RULE + r"\sum_{t=1}^T\fsim_t(v_t)-\fsim_t(v)\le T^{\frac35}\left(\min\left\{\frac1v,T^{\frac15}\right\}+2"
    r"+\log(2T-1)\right)",
    _long_game,
    (SHARES, FIRST, COMPARATOR_POSITIVE),
    uses=("eq:auxregret", "prp:ftl"),
    corrects=("text:v-rule", "text:v-rule/mean"),
)
def mean_rule_corrected(x: Instance) -> Sides:
    r"""The update divided by t, at any v, with constants.

    prp:ftl at $\varepsilon=T^{-1/5}$, $D=G\sqrt m=1$, with
    $\sum_{t\le T}\frac1{2t-1}\le1+\frac12\log(2T-1)$.
    """
    ones = 0 * x.B + 1
    T = sum(ones)
    eps = fifth_root(T)
    hi = root(1 + eps * eps)
    actions = leaders(x.B, ones, eps, hi, ones[0], eps + x.first * (hi - eps))[:-1]
    price = on(smaller, eps)(1 / x.comparator, 1 / eps) + 2 + np.log(2 * T - 1)
    return Sides(sim_regret(x.B * x.B, ones, actions, x.comparator), price / (eps * eps * eps))


# text:fsim-shape
def _near_zero(draw: Draw, b: Any) -> Instance:
    r"""A function $(b/v + v)\sigma$, a constant of convexity or smoothness, and how near to 0 the points must be."""
    return Instance(b=b, sigma=draw.positive(), constant=draw.positive(), delta=draw.positive())


def _remainder(x: Instance, v: Any, other: Any) -> Any:
    r"""$f(v') - f(v) - f'(v)(v' - v)$."""
    return (x.b / other + other - (x.b / v + v) - (1 - x.b / v / v) * (other - v)) * x.sigma


def _not_smooth(x: Instance) -> Sides:
    r"""At $v = \min\{\delta, 1, b\sigma/\beta\}$ and $v/2$, where $f''$ exceeds $2b\sigma/v^3 \ge 2\beta$; any two for
    b = 0, since there all are alike."""
    v = min(x.delta, x.delta * 0 + 1)
    if x.b > 0:
        v = min(v, x.b / x.constant * x.sigma)
    return Sides(x.constant * (v / 2) ** 2 / 2, _remainder(x, v, v / 2))


CONSTANTS = (Assumption(r"\beta>0", lambda x: x.constant), Assumption(r"\delta>0", lambda x: x.delta))
NEAR_ZERO = r"\forall\ \beta,\delta>0\ \exists\ v,v'\in(0,\delta]:\quad\frac\beta2(v'-v)^2"
REMAINDER = r"\fsim(v')-\fsim(v)-\partial_v\fsim(v)(v'-v)"
SMOOTH = {"uses": ("eq:auxregret", "def:smooth")}


@claim(
    "text:fsim-shape/not-smooth/literal",
    NEAR_ZERO + r"\le\ " + REMAINDER,
    lambda draw: _near_zero(draw, draw.positive() * draw.integer(0, 1)),
    (Assumption(r"\Breg_R(\theta^\ast||\phi)\ge0", lambda x: x.b), *CONSTANTS),
    **SMOOTH,
)
def not_smooth_for_any(x: Instance) -> Sides:
    r"""Near 0 the loss of SIM is not smooth, whatever the divergence.

    For $\theta^\ast=\phi$ the function is linear, so the right side is 0 at every $v\ne v'$: it is smooth with every
    $\beta$.
    """
    return _not_smooth(x)


@claim(
    "text:fsim-shape/not-smooth",
    rf"\Breg_R(\theta^\ast||\phi)>0\implies{NEAR_ZERO}<{REMAINDER}",
    lambda draw: _near_zero(draw, draw.positive()),
    (Assumption(r"\Breg_R(\theta^\ast||\phi)>0", lambda x: x.b), *CONSTANTS),
    **SMOOTH,
    corrects=("text:fsim-shape/not-smooth/literal",),
)
def not_smooth(x: Instance) -> Sides:
    r"""Near 0 the loss of SIM is not smooth.

    With $b=\Breg_R(\theta^\ast||\phi)$ and $\sigma=G\sqrt m$, at $v=\min\{\delta,1,b\sigma/\beta\}$ and $v'=v/2$,
    where the right side is at least four times the left.
    """
    return _not_smooth(x)


POINTS = (Assumption(r"v>0", lambda x: x.v), Assumption(r"v'>0", lambda x: x.other))


def linear(draw: Draw) -> Instance:
    """A loss of SIM without a divergence, and two points near 0."""
    x = _near_zero(draw, draw.number(0))
    x.v, x.other = x.delta * (1 - draw.unit() / 2), x.delta / 2
    return x


@claim(
    "text:fsim-shape/not-strongly-convex",
    rf"\theta^\ast=\phi\implies{REMAINDER}\le\frac\alpha4(v'-v)^2\quad\forall\ \alpha,v,v'>0",
    linear,
    (Assumption(r"\alpha>0", lambda x: x.constant), *POINTS),
    uses=("eq:auxregret", "def:convex"),
)
def not_strongly_convex(x: Instance) -> Sides:
    r"""The loss of SIM is not strongly convex if $\theta^\ast=\phi$.

    $\alpha$-strong convexity asks for at least $\frac\alpha2(v'-v)^2$ on the left, which is 0.
    """
    return Sides(_remainder(x, x.v, x.other), x.constant * (x.v - x.other) ** 2 / 4)
