r"""Algorithm 2 (alg:aruba), isotropic ARUBA and ARUBA++ as state beside a training loop of your own.

Task t starts at $\phi_t$ with the rates $\eta_t = \sqrt{b_t/g_t}$, coordinate by coordinate; it ends at $\hat\theta_t$:
$$b_{t+1} = b_t + \frac{\varepsilon^2}{(t+1)^p} + \tfrac12(\phi_t - \hat\theta_t)^2,\qquad
  g_{t+1} = g_t + \frac{\zeta^2}{(t+1)^p} + \sum_i \nabla_{t,i}^2,\qquad b_1 = \varepsilon^2,\ g_1 = \zeta^2.$$
In any loop over numpy arrays, or over what `numpy.asarray` reads without a copy, these are three lines (marked):

>>> import numpy as np
>>> rng, phi = np.random.default_rng(0), np.zeros(2)
>>> rates = Aruba(phi, eps=0.1, zeta=0.1)
>>> for task in range(100):
...     centre = np.array([rng.normal(), 0.0])  # tasks differ along the first coordinate only
...     theta, eta = phi.copy(), rates.start()  # 1
...     for _ in range(10):
...         gradient = theta - centre + rng.normal(size=2)
...         theta -= eta * gradient
...         rates.see(gradient)  # 2
...     rates.end(phi, theta)  # 3
...     phi = phi + 0.2 * (theta - phi)  # Reptile's update, or any other
>>> eta = rates.rates()
>>> bool(eta[0] > 2 * eta[1])
True

Parameters are one array of any shape or nested lists, tuples and dicts of arrays, in float32 or float64; gradients and
points have the same structure. What the paper leaves open is settled so:

* Indexing. The regulariser enters at the end of task t with $(t+1)^p$, so that $b_t$ holds
  $\sum_{s=0}^{t-1}\varepsilon^2/(s+1)^p$: eq:percoord with its sum from s = 0, where no task is.
* Result. The printed $\eta_T$ is what `start` gave in the last task, and knows nothing of it; `rates()` and `refine`
  after it give $\eta_{T+1}$, which knows all, as in the authors' code.
* ARUBA++. $\hat g$ and $g_{T,\cdot}$ are one sequence; the gradient of step i enters the rate of step i + 1 only.
  $b$ stays. The rates never grow within a task.
* Isotropic. The scalars begin at $d\varepsilon^2$, $d\zeta^2$, as sums over the coordinates do (and in the authors'
  code); `summed=False` begins at $\varepsilon^2$, $\zeta^2$. They differ by a factor $\sqrt d$ in both settings.
* Batches. Tasks that run from one $\phi$ are tasks of their own: `absorb` takes each with its summed squares.

State is the two arrays b and g, in place: nothing else of their size is ever allocated, except for what is not
C-contiguous; `state` and `restore` take it to a file and back. A float32 sum loses increments below $2^{-24}$ of
itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, Exact
from arubatheory.kernel import compiled, kernel
from arubatheory.learners.trees import Leaves, Shapes
from arubatheory.problems.numbers import as_items, real
from arubatheory.problems.scalar import twin
from arubatheory.problems.signatures import typed

SCALES = ("eps", "zeta", "p")


def _fading_exactly(k: Any, p: Any) -> Any:
    if p.is_rational and p.v.q == 1:
        return 1 / (Exact(0) + k) ** int(p.v.p)
    return np.exp(-p * np.log(Exact(0) + k))


@twin(_fading_exactly)
def fading(k: Any, p: Any) -> Any:
    r"""$k^{-p}$ for an integer $k \ge 1$: the share of the regularisers that enters k-th; rational for a whole p, and
    in floats 1, 0, 0, ... for $p = \infty$."""
    return float(k) ** -p


@twin(lambda b, g: np.sqrt(b / g))
def rate(b: Any, g: Any) -> Any:
    r"""$\sqrt{b/g}$, in floats as $\sqrt b/\sqrt g$: that can neither overflow nor underflow."""
    return np.sqrt(b) / np.sqrt(g)


def as_power(name: str, value: Any, **bounds: Any) -> float:
    r"""The p of $k^{-p}$, where `math.inf` stands for 0 from k = 2 on. Errors as those of `numbers.real`."""
    return math.inf if isinstance(value, float) and value == math.inf else float(real(name, value, **bounds))


@kernel
def add_squares(g: Array, x: Array, weight: Any) -> None:
    r"""[exact] g += weight $x^2$, in place."""
    for i in range(g.size):
        g[i] = g[i] + weight * (x[i] * x[i])


@kernel
def add_movement(b: Array, initial: Array, final: Array, shift: Any) -> None:
    r"""[exact] b += shift + $\frac12(\phi - \hat\theta)^2$, in place."""
    for i in range(b.size):
        step = initial[i] - final[i]
        b[i] = b[i] + (shift + step * step / 2)


@kernel
def rates_of(b: Array, g: Array, out: Array) -> None:
    r"""[exact] out = $\sqrt{b/g}$."""
    for i in range(b.size):
        out[i] = rate(b[i], g[i])


@kernel
def fading_weights(p: Any, n: int) -> Array:
    r"""[exact] $k^{-p}$, k = 1, ..., n."""
    out = np.full(n, p)
    for k in range(n):
        out[k] = fading(k + 1, p)
    return out


@kernel
def coordinate_ftl(beta: Array, gamma: Array) -> Array:
    r"""[exact] $\eta_1, \eta_2, \dots$ (n, d) of the state to which task t = 0, 1, ... adds $\beta_t$ and $\gamma_t$,
    both (n, d) and regularised: $\eta_t^2 = \beta_{0:t-1}/\gamma_{0:t-1}$, the leader on $\|\beta_t/x + \gamma_t
    \odot x\|_1$."""
    b, g, eta = 0 * beta[0], 0 * gamma[0], np.empty_like(beta)
    for t in range(beta.shape[0]):
        b += beta[t]
        g += gamma[t]
        rates_of(b, g, eta[t])
    return eta


@kernel
def _squared_norm(x: Array) -> float:
    """In float64, whatever x is: not finite exactly where x is not, or is too large to be squared."""
    s = 0.0
    for i in range(x.size):
        y = np.float64(x[i])
        s += y * y
    return s


@kernel
def _squared_distance(x: Array, y: Array) -> float:
    s = 0.0
    for i in range(x.size):
        step = np.float64(x[i]) - np.float64(y[i])
        s += step * step
    return s


@kernel
def _sum(x: Array) -> float:
    s = 0.0
    for i in range(x.size):
        s += np.float64(x[i])
    return s


def _sizes(size: Any, *arrays: Leaves) -> float:
    """The sum over leaves of a size, by a kernel: they may hold anything, NaN and overflow are looked for in it."""
    # Compiled nothing warns, and a task's hundred calls need not pay for silence, a microsecond each.
    with nullcontext() if compiled() else np.errstate(all="ignore"):
        return sum((size(*[x for _, x in group]) for group in zip(*arrays, strict=True)), 0.0)


class _Rates:
    r"""b and g, flat, and how large their entries can be at most: what meta-training and ARUBA++ share."""

    scalar, c = False, 1.0

    def __init__(self, shapes: Shapes, b: list[Array], g: list[Array], most: tuple[float, float]) -> None:
        self.shapes, self._b, self._g = shapes, b, g
        self._most_b, self._most_g = most

    @property
    def b(self) -> Any:
        """b in the structure of the parameters (isotropic: a float); a read-only view."""
        return self._shown(self._b)

    @property
    def g(self) -> Any:
        """g in the structure of the parameters (isotropic: a float); a read-only view."""
        return self._shown(self._g)

    def _shown(self, arrays: list[Array]) -> Any:
        if self.scalar:
            return float(arrays[0][0])
        return self.shapes.rebuilt([np.broadcast_to(x, x.shape) for x in arrays])

    def rates(self, out: Any = None) -> Any:
        """The rates of the next step, into the arrays of `out` if given. Errors as in `Aruba.start`."""
        if self.scalar:
            eta = float(rate(self._b[0][0], self._g[0][0]))
            for _, x in () if out is None else self.shapes.check("out", out, writable=True):
                x.fill(eta)
            return eta if out is None else out
        tree = self.shapes.rebuilt([np.empty_like(b) for b in self._b]) if out is None else out
        for b, g, (_, x) in zip(self._b, self._g, self.shapes.check("out", tree, writable=True), strict=True):
            rates_of(b, g, x)
        return tree

    def see(self, gradients: Any) -> None:
        """The gradient of the step just made: g += c gradients^2. Errors as in `Aruba.see`."""
        leaves = self.shapes.check("gradients", gradients)
        size = self.c * _sizes(_squared_norm, leaves)
        self._most_g = self._bounded("gradients", leaves, self._most_g, size)
        if self.scalar:
            self._g[0][0] += size
            return
        for g, (_, x) in zip(self._g, leaves, strict=True):
            add_squares(g, x, x.dtype.type(self.c))

    def _bounded(self, name: str, leaves: Leaves, before: float, more: float) -> float:
        """before + more, or an error if that is not finite or so large that a sum could leave the range."""
        if not before + more <= self.shapes.limit:
            self.shapes.check_finite(leaves)
            raise OverflowError(f"{name} must keep sums of squares below {self.shapes.limit:.3g}, got {float(more)!r}")
        return before + more


class Refinement(_Rates):
    r"""ARUBA++: rates that go on learning within one task, $g_{i+1} = g_i + c\nabla_i^2$, $\eta_i = \sqrt{b/g_i}$.

    Made by `refine`, on copies: the meta-state is not touched. Take `rates()`, make a step, `see` its gradient.
    """

    @typed
    def __init__(self, parent: _Rates, c: float) -> None:
        most = (parent._most_b, parent._most_g)
        super().__init__(parent.shapes, [x.copy() for x in parent._b], [x.copy() for x in parent._g], most)
        self.scalar, self.c = parent.scalar, c


class Aruba(_Rates):
    r"""The state of Algorithm 2 for parameters like `params`; $\varepsilon$ = `eps`, $\zeta$ = `zeta` and p are
    positive, and the first rates are $\varepsilon/\zeta$. p may be `math.inf`: then $\varepsilon^2$ and $\zeta^2$
    enter once, before the first task. With $\varepsilon = D/2$ and $\zeta = G\sqrt{m/2}$ it is the choice with the
    best bound known (thm:diagonal/sharp).

    A task is `start`, any number of `see`, `end`. State is in `b`, `g` and `task`, the number of the task that runs or
    comes next; it pickles and copies like any object.

    Raises TypeError for parameters that are not in float32 or float64, ValueError for a parameter that is not positive
    and finite or whose square leaves the range. No call that raises has changed anything.
    """

    def __init__(self, params: Any, eps: float = 1.0, zeta: float = 1.0, p: float = 1.0) -> None:
        self._begin(Shapes(params), eps, zeta, p, 1)

    def _begin(self, shapes: Shapes, eps: float, zeta: float, p: float, count: int) -> None:
        r"""With `count` times $\varepsilon^2$ and $\zeta^2$ in every entry."""
        self.eps, self.zeta, self.p = real("eps", eps, above=0), real("zeta", zeta, above=0), as_power("p", p, above=0)
        for name, value in (("eps", self.eps), ("zeta", self.zeta)):
            if not shapes.tiny <= value * value <= shapes.limit / count:
                raise ValueError(f"{name} must have a square in the range of params, got {value!r}")
        first = (count * self.eps**2, count * self.zeta**2)
        like = [((1,), np.dtype(np.float64))] if self.scalar else shapes.like
        b, g = ([np.full(math.prod(shape), value, dtype) for shape, dtype in like] for value in first)
        super().__init__(shapes, b, g, first)
        self.task, self._running, self._count = 1, False, count

    def start(self, out: Any = None) -> Any:
        r"""Start a task: its rates $\eta_t = \sqrt{b_t/g_t}$, in new arrays, or in those of `out` (returned).

        Raises RuntimeError if a task is running; ValueError or TypeError if `out` is not like the parameters,
        C-contiguous and writable.
        """
        self._expect(running=False, call="start")
        eta = super().rates(out)
        self._running = True
        return eta

    def rates(self, out: Any = None) -> Any:
        r"""The rates that the next task would get, between tasks. Errors as in `start`."""
        self._expect(running=False, call="rates")
        return super().rates(out)

    def see(self, gradients: Any) -> None:
        r"""A gradient of the running task: $g$ += `gradients`$^2$.

        Raises RuntimeError before `start`; ValueError or TypeError for arrays that are not like the parameters or not
        finite; OverflowError where squares leave the range.
        """
        self._expect(running=True, call="see")
        super().see(gradients)

    def end(self, initial: Any, final: Any) -> None:
        r"""End the task that went from $\phi_t$ = `initial` to $\hat\theta_t$ = `final`, two arrays: a `final` made by
        steps in place on `initial` has gone nowhere. Errors as in `see`."""
        self._expect(running=True, call="end")
        self._close(initial, final, None)
        self._running = False

    def absorb(self, initial: Any, final: Any, squares: Any) -> None:
        r"""A whole task at once, as a node sends it to its server: `squares` is $\sum_i\nabla_i^2$, like the parameters
        (for isotropic state $\sum_i\|\nabla_i\|_2^2$, a number).

        Raises RuntimeError while a task is running, ValueError for negative squares; else as `see`.
        """
        self._expect(running=False, call="absorb")
        self._close(initial, final, squares)

    def refine(self, c: float = 1.0) -> Refinement:
        r"""ARUBA++ from the present state, for one task at meta-test time, with c > 0.

        Raises RuntimeError while a task is running, TypeError or ValueError for c.
        """
        self._expect(running=False, call="refine")
        return Refinement(self, real("c", c, above=0))

    def state(self) -> dict[str, Array]:
        r"""All that a run goes on from, for `numpy.savez`: copies of b and g, by leaf (b0, b1, ..., g0, g1, ...), and
        `task`, $\varepsilon$, $\zeta$, p. Raises RuntimeError while a task is running."""
        self._expect(running=False, call="state")
        numbers = {name: np.array(getattr(self, name)) for name in ("task", *SCALES)}
        return {name: x.copy() for name, x in self._named()} | numbers

    def restore(self, state: Mapping[str, Any]) -> None:
        r"""Goes on from a `state` (a dict, or what `numpy.load` makes of an npz file) of parameters like these, with
        its $\varepsilon$, $\zeta$ and p.

        Raises RuntimeError while a task is running; TypeError for what is no mapping, ValueError where an array is
        missing, of another shape or dtype, or not positive and finite. Nothing has changed then.
        """
        self._expect(running=False, call="restore")
        if not isinstance(state, Mapping):
            raise TypeError(f"state must be a mapping of names to arrays, got {type(state).__name__}")
        held = {name: _entry(state, name, x.shape, x.dtype) for name, x in self._named()}
        scales = {name: float(_entry(state, name, (), np.dtype(np.float64))) for name in SCALES}
        task = int(_entry(state, "task", (), np.dtype(np.int64)))
        for name, x in self._named():
            x[:] = held[name]
        self.eps, self.zeta, self.p, self.task = *scales.values(), task
        self._most_b, self._most_g = (max(float(x.max()) for x in arrays) for arrays in (self._b, self._g))

    def _named(self) -> Iterator[tuple[str, Array]]:
        return ((f"{name}{k}", x) for name in "bg" for k, x in enumerate(getattr(self, f"_{name}")))

    def _expect(self, running: bool, call: str) -> None:
        if self._running != running:
            state = "is running: end it first" if self._running else "has not been started"
            raise RuntimeError(f"{call} came at the wrong time: task {self.task} {state}")

    def _close(self, initial: Any, final: Any, squares: Any) -> None:
        """The step from t to t + 1; all is checked before anything is changed."""
        starts, ends = self.shapes.check("initial", initial), self.shapes.check("final", final)
        moved, (seen, size) = _sizes(_squared_distance, starts, ends), self._seen(squares)
        fade = self._count * fading(self.task + 1, self.p)
        shift_b, shift_g = self.eps**2 * fade, self.zeta**2 * fade
        most_b = self._bounded("initial - final", [*starts, *ends], self._most_b, shift_b + moved)
        most_g = self._bounded("squares", seen, self._most_g, shift_g + size)
        if self.scalar:
            self._b[0][0] += shift_b + moved / 2
            self._g[0][0] += shift_g + size
        else:
            for b, (_, x), (_, y) in zip(self._b, starts, ends, strict=True):
                add_movement(b, x, y, b.dtype.type(shift_b))
            for g in self._g:
                g += g.dtype.type(shift_g)
            for g, (_, x) in zip(self._g, seen, strict=False):
                g += x
        self._most_b, self._most_g, self.task = most_b, most_g, self.task + 1

    def _seen(self, squares: Any) -> tuple[Leaves, float]:
        """What `absorb` was given, and its sum."""
        if squares is None:
            return [], 0.0
        if self.scalar:
            return [], real("squares", squares, least=0)
        leaves = self.shapes.check("squares", squares)
        for name, x in leaves:
            least = float(np.fmin.reduce(x, initial=0))
            if least < 0:
                raise ValueError(f"{name} must not be negative, got {least!r}")
        return leaves, _sizes(_sum, leaves)


def _entry(state: Mapping[str, Any], name: str, shape: tuple[int, ...], dtype: Any) -> Array:
    """One array of a state, or the ValueError that says what is wrong with it."""
    if name not in state:
        raise ValueError(f"state must hold {name!r}, got {sorted(map(str, state))}")
    x = as_items(f"state[{name!r}]", state[name])
    if x.shape != shape or x.dtype != dtype:
        raise ValueError(f"state[{name!r}] must have shape {shape} in {dtype}, got {x.shape} in {x.dtype}")
    if not (x > 0).all() or (name != "p" and not np.isfinite(x).all()):  # p may be infinite
        raise ValueError(f"state[{name!r}] must be positive and finite, got {x!r}")
    return x


class Isotropic(Aruba):
    r"""Isotropic ARUBA: one rate for all coordinates, from two scalars, the sums of squared distances (halved) and of
    squared gradient norms.

    They begin at $d\varepsilon^2$ and $d\zeta^2$, or with `summed=False` at $\varepsilon^2$ and $\zeta^2$, and so do
    the regularisers. Rates are a float; given `out`, its arrays are filled with it. Else as `Aruba`.
    """

    scalar = True

    @typed
    def __init__(
        self, params: Any, eps: float = 1.0, zeta: float = 1.0, p: float = 1.0, *, summed: bool = True
    ) -> None:
        shapes = Shapes(params)
        self._begin(shapes, eps, zeta, p, shapes.size if summed else 1)
