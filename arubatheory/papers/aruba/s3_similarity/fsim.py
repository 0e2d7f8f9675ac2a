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
from arubatheory.learners.ewoo_curves import inverse_mean
from arubatheory.learners.similarity import game_values, leaders
from arubatheory.papers.aruba.games.similarity_losses import COMPARATOR_POSITIVE, total_loss
from arubatheory.problems.draw import SCALE, Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root

MAX_FREE = 8

# text:v-rule -------------------------------------------------------------------------------------------------------

LARGEST_POWER = 14
ASTRONOMICAL = 96
WIDE, LONGEST_POWER = 4, 5


def _fifth_root(T: Any) -> Any:
    r"""$\varepsilon = T^{-1/5}$."""
    return np.exp(-np.log(T) / 5)


def _printed_family(draw: Draw) -> Instance:
    r"""$B_R(\theta_s\|\phi_t) = D^2 = 1$ and $\alpha_t = 1$ in all rounds; T a power of two."""
    T = draw.number(2 ** draw.integer(0, LARGEST_POWER))
    return Instance(T=T, first=draw.unit(), comparator=draw.positive(-8, 8))


@kernel
def printed_family_loss(T: int, eps: Any, first: Any) -> Any:
    r"""[exact] $\sum_t 1/v_t + v_t$ for $v_{t+1}^2 = \varepsilon^2 t + t$."""
    s = 1 / first + first
    rate = np.sqrt(eps * eps + 1)
    for t in range(1, T):
        v = rate * np.sqrt(first * 0 + t)
        s = s + (1 / v + v)
    return s


def _rounds(T: Any) -> int:
    return int(T) if isinstance(T, float) else int(T.v.p)


def _three_fifths(T: Any) -> Any:
    r"""$100\,T^{3/5}(1 + \log T)$."""
    return 100 * np.exp(np.log(T) * 3 / 5) * (1 + np.log(T))


def _printed(i: Instance) -> Sides:
    eps = _fifth_root(i.T)
    first = eps + i.first * (root(1 + eps * eps) - eps)
    family = on(printed_family_loss, i.T)
    played = family(_rounds(i.T), eps, first)
    compared = (1 / i.comparator + i.comparator) * i.T
    bound = _three_fifths(i.T)
    return Sides(played - compared, bound, played + compared + bound)


def _zero_family(draw: Draw) -> Instance:
    r"""$B_t = 0$ in all rounds, so that $v_t = \varepsilon$, up to T that no loop would reach."""
    return Instance(T=draw.number(2 ** draw.integer(0, ASTRONOMICAL)), comparator=draw.positive(-SCALE, 0))


def _uniform(i: Instance) -> Sides:
    r"""Every action is $\varepsilon$; the comparator is a multiple of $\varepsilon$."""
    return _all_at(i, _fifth_root(i.T), _three_fifths(i.T))


def _all_at(i: Instance, eps: Any, bound: Any) -> Sides:
    played, compared = i.T * eps, i.T * eps * i.comparator
    return Sides(played - compared, bound, played + compared + bound)


def _long_game(draw: Draw, longest: int = 8) -> Instance:
    r"""$D = 1$ and $\alpha_t = 1$: few free rounds, or up to `2**longest` in two phases, alternating or not."""
    first, comparator = draw.unit(), draw.positive(-16, 4)
    if not draw.boolean():
        T = draw.integer(1, MAX_FREE)
        return Instance(B=np.asarray(draw.unit(T)), first=first, comparator=comparator)
    T, pair = 2 ** draw.integer(1, longest), draw.unit(2)
    change, alternating = draw.integer(0, 8) * T // 8, draw.boolean()
    B = [pair[t % 2 if alternating else int(t >= change)] for t in range(T)]
    return Instance(B=draw.array(B), first=first, comparator=comparator)


def _mended(i: Instance) -> Sides:
    rounds = i.comparator * 0 + len(i.B)
    eps = _fifth_root(rounds)
    hi = root(1 + eps * eps)
    one = i.comparator * 0 + 1
    alpha = np.full(len(i.B), one)
    actions = on(leaders, i.B)(i.B, alpha, eps, hi, one, eps + i.first * (hi - eps))
    played = sum(on(game_values, i.B)(i.B, alpha, actions))
    compared = on(total_loss, i.B)(i.B, alpha, i.comparator)
    price = on(smaller, eps)(1 / i.comparator, 1 / eps) + 2 + np.log(2 * rounds - 1)
    bound = price / (eps * eps * eps)
    return Sides(played - compared, bound, played + compared + bound)


# eq:ewoo at T^(-1/4) ------------------------------------------------------------------------------------------------


def _fourth_root(T: Any) -> Any:
    r"""$\varepsilon = T^{-1/4}$."""
    return root(root(1 / T))


def _wide_zero_family(draw: Draw) -> Instance:
    r"""$B_t = 0$ in all rounds, and T so large that $U \ge 2\varepsilon$."""
    return Instance(T=draw.number(2 ** draw.integer(WIDE, ASTRONOMICAL)), comparator=draw.positive(-SCALE, 0))


def _square_root(i: Instance) -> Sides:
    r"""No action is below $\varepsilon$; the comparator is a multiple of $\varepsilon$."""
    return _all_at(i, _fourth_root(i.T), 100 * root(i.T) * (1 + np.log(i.T)))


def _short_game(draw: Draw) -> Instance:
    i = _long_game(draw, LONGEST_POWER)
    return Instance(B=i.B, comparator=i.comparator)


def _ewoo(B: Array, eps: Any) -> Array:
    r"""What eq:ewoo plays for $D = \sigma = 1$, on $[0, \sqrt{1 + \varepsilon^2}]$ with $\gamma = 2\varepsilon^2$."""
    hi, gamma = root(1 + eps * eps), 2 * eps * eps
    actions, spread = np.full(len(B), hi / 2), 0 * hi
    for t in range(1, len(B)):
        spread = spread + B[t - 1] * B[t - 1] + eps * eps
        actions[t] = on(inverse_mean, B)(gamma * spread, gamma * t, B[0] - B[0], hi)
    return actions


def _square_root_mended(i: Instance) -> Sides:
    one = i.comparator * 0 + 1
    T, alpha = one * len(i.B), np.full(len(i.B), one)
    eps = _fourth_root(T)
    played = sum(on(game_values, i.B)(i.B, alpha, _ewoo(i.B, eps)))
    compared = on(total_loss, i.B)(i.B, alpha, i.comparator)
    bound = root(T) * (on(smaller, eps)(1 / i.comparator, 1 / eps) + (1 + np.log(T + 1)) / 2)
    return Sides(played - compared, bound, played + compared + bound)


# text:fsim-shape ---------------------------------------------------------------------------------------------------


def _near_zero(draw: Draw, b: Any) -> Instance:
    r"""A function $(b/v + v)\sigma$, a constant of convexity or smoothness, and how near to 0 the points must be."""
    return Instance(b=b, sigma=draw.positive(), constant=draw.positive(), delta=draw.positive())


def _with_divergence(draw: Draw) -> Instance:
    return _near_zero(draw, draw.positive())


def _any_divergence(draw: Draw) -> Instance:
    return _near_zero(draw, draw.positive() * draw.integer(0, 1))


def _remainder(i: Instance, v: Any, other: Any) -> tuple[Any, Any]:
    r"""$f(v') - f(v) - f'(v)(v' - v)$ and the magnitudes added."""
    step = other - v
    values = i.b / other + other, i.b / v + v, (1 - i.b / v / v) * step
    sizes = values[0] + values[1] + (1 + i.b / v / v) * abs(step)
    return (values[0] - values[1] - values[2]) * i.sigma, sizes * i.sigma


def _steep_points(i: Instance) -> tuple[Any, Any]:
    r"""$v = \min\{\delta, 1, b\sigma/\beta\}$ and $v/2$, where $f''$ exceeds $2b\sigma/v^3 \ge 2\beta$; any two for
    b = 0, since there all are alike."""
    v = min(i.delta, i.delta * 0 + 1)
    if i.b > 0:
        v = min(v, i.b / i.constant * i.sigma)
    return v, v / 2


def _not_smooth(i: Instance) -> Sides:
    v, other = _steep_points(i)
    exact_remainder, size = _remainder(i, v, other)
    quadratic = i.constant * (v - other) ** 2 / 2
    return Sides(quadratic, exact_remainder, size + quadratic)


def _linear(draw: Draw) -> Instance:
    i = _near_zero(draw, draw.number(0))
    i.v, i.other = i.delta * (1 - draw.unit() / 2), i.delta / 2
    return i


def _not_strongly_convex(i: Instance) -> Sides:
    remainder, size = _remainder(i, i.v, i.other)
    quadratic = i.constant * (i.v - i.other) ** 2 / 2
    return Sides(remainder, quadratic / 2, size + quadratic)


# statements --------------------------------------------------------------------------------------------------------

RATE = r"\le100\,T^{\frac35}(1+\log T)"
ROUNDS = Assumption(r"T\ge1", lambda i: i.T - 1)
FIRST = Assumption(r"v_1\in[\varepsilon,\sqrt{D^2+\varepsilon^2}]", lambda i: min(i.first, 1 - i.first))

V_RULE = (
    Statement(
        label="text:v-rule", kind="claim in text", title=r"The printed update of v has regret of order $T^{3/5}$",
        latex=r"v_{t+1}^2=\varepsilon^2t+\sum_{s\le t}\Breg_R(\theta_s^\ast||\phi_t)\implies"
        r"\sum_{t=1}^T\fsim_t(v_t)-\fsim_t(v)" + RATE,
        instance=_printed_family, sides=_printed, assumptions=(ROUNDS, FIRST, COMPARATOR_POSITIVE),
        uses=("eq:auxregret", "def:regret"),
        note=r"The family $\Breg_R(\theta_s^\ast||\phi_t)=D^2=1$ (as for $\phi_t=0$, $\theta_s^\ast=\pm\sqrt2$), "
        r"$G\sqrt m=1$, $\varepsilon=T^{-1/5}$, T a power of two, with 100 for the constant. There $v_t$ grows like "
        r"$\sqrt t$ and regret like $T^{3/2}$: the sum lacks a division by t.",
    ),
    Statement(
        label="text:v-rule/mean", kind="claim in text", part_of="text:v-rule",
        title=r"The update divided by t has regret of order $T^{3/5}$ against the best action",
        latex=r"v_{t+1}^2=\varepsilon^2+\frac1t\sum_{s\le t}\Breg_R(\theta_s^\ast||\phi_s)\implies"
        r"\sum_{t=1}^T\fsim_t(v_t)-\min_{v>0}\sum_{t=1}^T\fsim_t(v)" + RATE,
        instance=_zero_family, sides=_uniform, assumptions=(ROUNDS, COMPARATOR_POSITIVE),
        uses=("eq:auxregret", "def:regret"),
        note=r"The family $\theta_t^\ast=\phi_t$, $D=G\sqrt m=1$, $\varepsilon=T^{-1/5}$, $v_1=\varepsilon$, and v a "
        r"multiple (drawn as $x^\ast$) of $\varepsilon$. All $v_t$ are $\varepsilon$, and regret comes as near as one "
        r"likes to $\varepsilon T=T^{4/5}$. Only at a fixed v is it of order $T^{3/5}$; so much is announced before "
        r"prp:ftl too.",
    ),
    Statement(
        label="text:v-rule/corrected", kind="claim in text", part_of="text:v-rule",
        title=r"The update divided by t, at any v, with constants",
        latex=r"v_{t+1}^2=\varepsilon^2+\frac1t\sum_{s\le t}\Breg_R(\theta_s^\ast||\phi_s)\implies"
        r"\sum_{t=1}^T\fsim_t(v_t)-\fsim_t(v)\le T^{\frac35}\left(\min\left\{\frac1v,T^{\frac15}\right\}+2"
        r"+\log(2T-1)\right)",
        instance=_long_game, sides=_mended, uses=("eq:auxregret", "prp:ftl"),
        assumptions=(
            Assumption(r"\Breg_R(\theta_t^\ast||\phi_t)\in[0,1]", lambda i: min(i.B.min(), (1 - i.B).min())),
            FIRST, COMPARATOR_POSITIVE,
        ),
        corrects=("text:v-rule", "text:v-rule/mean"),
        note=r"prp:ftl at $\varepsilon=T^{-1/5}$, $D=G\sqrt m=1$, with "
        r"$\sum_{t\le T}\frac1{2t-1}\le1+\frac12\log(2T-1)$.",
    ),
)  # fmt: skip

EWOO = (
    Statement(
        label="eq:ewoo/square-root", kind="equation", part_of="eq:ewoo",
        title=r"Regret of order $\sqrt T$ on the original sequence",
        latex=r"\varepsilon=T^{-\frac14}\implies\sum_{t=1}^T\fsim_t(v_t)-\inf_{v>0}\sum_{t=1}^T\fsim_t(v)"
        r"\le100\sqrt T(1+\log T)",
        instance=_wide_zero_family, sides=_square_root, uses=("eq:auxregret", "def:regret", "def:ewoo"),
        assumptions=(Assumption(r"T\ge16", lambda i: i.T - 16), COMPARATOR_POSITIVE),
        note=r"`We achieve $\tilde{\mathcal O}(\sqrt T)$ regret on the original sequence': the family "
        r"$\theta_t^\ast=\phi_t$, $D=G\sqrt m=1$, T a power of two, and v a multiple (drawn as $x^\ast$) of "
        r"$\varepsilon$. All $v_t$ are at least $\varepsilon$, over the interval of eq:ewoo and over the appendix's, "
        r"and are replaced by it, which under-states the left side: regret comes as near as one likes to "
        r"$\varepsilon T=T^{3/4}$. Only at a fixed v is it of order $\sqrt T$.",
    ),
    Statement(
        label="eq:ewoo/square-root/corrected", kind="equation", part_of="eq:ewoo",
        title=r"Regret of order $\sqrt T$ at any v, with constants",
        latex=r"\varepsilon=T^{-\frac14}\implies\sum_{t=1}^T\fsim_t(v_t)-\fsim_t(v)\le\sqrt T\left(\min\left\{\frac1v,"
        r"T^{\frac14}\right\}+\frac12(1+\log(T+1))\right)",
        instance=_short_game, sides=_square_root_mended, uses=("eq:auxregret", "eq:ewoo/regret"),
        assumptions=(
            Assumption(r"\Breg_R(\theta_t^\ast||\phi_t)\in[0,1]", lambda i: min(i.B.min(), (1 - i.B).min())),
            COMPARATOR_POSITIVE,
        ),
        corrects=("eq:ewoo/square-root",),
        note=r"eq:ewoo/regret at $\varepsilon=T^{-\frac14}$, $D=G\sqrt m=1$; for a fixed v the right side is of order "
        r"$\sqrt T\log T$.",
    ),
)  # fmt: skip

SHAPE = (
    Statement(
        label="text:fsim-shape/not-smooth/literal", kind="claim in text", part_of="text:fsim-shape",
        title="Near 0 the loss of SIM is not smooth, whatever the divergence",
        latex=r"\forall\ \beta,\delta>0\ \exists\ v,v'\in(0,\delta]:\quad\frac\beta2(v'-v)^2"
        r"\le\ \fsim(v')-\fsim(v)-\partial_v\fsim(v)(v'-v)",
        instance=_any_divergence, sides=_not_smooth, uses=("eq:auxregret", "def:smooth"),
        assumptions=(
            Assumption(r"\Breg_R(\theta^\ast||\phi)\ge0", lambda i: i.b),
            Assumption(r"\beta>0", lambda i: i.constant), Assumption(r"\delta>0", lambda i: i.delta),
        ),
        note=r"For $\theta^\ast=\phi$ the function is linear, so the right side is 0 at every $v\ne v'$: it is smooth "
        r"with every $\beta$.",
    ),
    Statement(
        label="text:fsim-shape/not-smooth", kind="claim in text", part_of="text:fsim-shape",
        title="Near 0 the loss of SIM is not smooth",
        latex=r"\Breg_R(\theta^\ast||\phi)>0\implies\forall\ \beta,\delta>0\ \exists\ v,v'\in(0,\delta]:\quad"
        r"\frac\beta2(v'-v)^2<\fsim(v')-\fsim(v)-\partial_v\fsim(v)(v'-v)",
        instance=_with_divergence, sides=_not_smooth, uses=("eq:auxregret", "def:smooth"),
        assumptions=(
            Assumption(r"\Breg_R(\theta^\ast||\phi)>0", lambda i: i.b),
            Assumption(r"\beta>0", lambda i: i.constant), Assumption(r"\delta>0", lambda i: i.delta),
        ),
        corrects=("text:fsim-shape/not-smooth/literal",),
        note=r"With $b=\Breg_R(\theta^\ast||\phi)$ and $\sigma=G\sqrt m$, at $v=\min\{\delta,1,b\sigma/\beta\}$ and "
        r"$v'=v/2$, where the right side is at least four times the left.",
    ),
    Statement(
        label="text:fsim-shape/not-strongly-convex", kind="claim in text", part_of="text:fsim-shape",
        title=r"The loss of SIM is not strongly convex if $\theta^\ast=\phi$",
        latex=r"\theta^\ast=\phi\implies\fsim(v')-\fsim(v)-\partial_v\fsim(v)(v'-v)\le\frac\alpha4(v'-v)^2"
        r"\quad\forall\ \alpha,v,v'>0",
        instance=_linear, sides=_not_strongly_convex, uses=("eq:auxregret", "def:convex"),
        assumptions=(
            Assumption(r"\alpha>0", lambda i: i.constant), Assumption(r"v>0", lambda i: i.v),
            Assumption(r"v'>0", lambda i: i.other),
        ),
        note=r"$\alpha$-strong convexity asks for at least $\frac\alpha2(v'-v)^2$ on the left, which is 0.",
    ),
)  # fmt: skip

STATEMENTS = (*EWOO, *V_RULE, *SHAPE)
