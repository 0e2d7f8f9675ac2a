r"""What Algorithm 2 costs beside a loop of one's own: microseconds of the processor a call, at sizes of small models.

    python benchmarks/own_loop.py [--repetitions N]
    python benchmarks/own_loop.py --torch | --jax    the loop of docs/howto/own-loop.md, where that is installed

`see` is what every step pays; its peer is `g += x * x` in numpy, unchecked. Calls are repeated a thousand times, sweeps
are interleaved; medians, least and most of the processor's time are shown. With --torch and --jax the task family of
the page is learned twice, by a loop below and by the lines that stand on the page, and both end with what a loop in
numpy on the same tasks ends with, up to rounding.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _rows import agree, contest

from arubatheory.learners import Aruba, Isotropic

CALLS = 1_000
TASKS, STEPS = 100, 10
PAGE = Path(__file__).resolve().parents[1] / "docs" / "howto" / "own-loop.md"
FIVE = ((20, 10), (10,), (10, 10), (10,), (10, 3))


def repeated(call: Callable[[], Any]) -> Callable[[], Any]:
    """A thousand calls: one is too short to be timed."""

    def run() -> None:
        for _ in range(CALLS):
            call()

    return run


def calls(gradients: Any) -> dict[str, Callable[[], Any]]:
    """Name -> call, for parameters like these gradients."""
    running, ready, isotropic, out = Aruba(gradients), Aruba(gradients), Isotropic(gradients), Aruba(gradients).rates()
    running.start()
    isotropic.start()
    refined = Aruba(gradients).refine()
    leaves = gradients if isinstance(gradients, list) else [gradients]
    sums = [np.ones_like(x) for x in leaves]

    def plain() -> None:
        for g, x in zip(sums, leaves, strict=True):
            g += x * x

    return {
        "see": lambda: running.see(gradients),
        "see, isotropic": lambda: isotropic.see(gradients),
        "see, ARUBA++": lambda: refined.see(gradients),
        "rates(out=...)": lambda: ready.rates(out),
        "numpy: g += x * x": plain,
    }


def compare(gradients: Any) -> None:
    """Ends the benchmark where the squares of three steps are not those of numpy."""
    aruba, leaves = Aruba(gradients), gradients if isinstance(gradients, list) else [gradients]
    aruba.start()
    for _ in range(3):
        aruba.see(gradients)
    aruba.end(gradients, gradients)
    found = aruba.rates()
    expected = [np.sqrt(1.5 / (1.5 + 3 * x * x)) for x in leaves]  # the second eps^2 and zeta^2 are halved
    agree("numpy", found if isinstance(found, list) else [found], expected)


def times(repetitions: int) -> None:
    """The table."""
    rng = np.random.default_rng(0)
    shapes: dict[str, Any] = {
        "1,000 in one array": rng.normal(size=1_000),
        "10,000 in one array": rng.normal(size=10_000),
        "five arrays, 350 in all": [rng.normal(size=shape) for shape in FIVE],
    }
    for name, gradients in shapes.items():
        compare(gradients)
        peers = {key: repeated(call) for key, call in calls(gradients).items()}
        print(name)
        for key, seconds in contest(peers, repetitions).seconds.items():
            low, middle, high = (1e6 / CALLS * float(q) for q in np.quantile(seconds, (0, 0.5, 1)))
            print(f"  {key:20s} {middle:6.2f} us  [{low:.2f}, {high:.2f}]")


# the same loop in three libraries -----------------------------------------------------------------------------------
def data() -> tuple[Any, list[Any]]:
    """Inputs (20, 3), and the targets (20,) of each task."""
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(20, 3))
    features = rng.normal(size=(3, 8)) / np.sqrt(3)
    return inputs, [np.tanh(inputs @ features) @ rng.normal(size=8) for _ in range(TASKS)]


def start() -> dict[str, Any]:
    """The first weights."""
    return {"first": np.random.default_rng(1).normal(size=(3, 8)) / np.sqrt(3), "second": np.zeros(8)}


def in_numpy(eps: float = 0.03) -> dict[str, Any]:
    """What Reptile with Algorithm 2 ends with."""
    inputs, targets = data()
    phi = start()
    aruba = Aruba(phi, eps=eps, zeta=0.1)
    for y in targets:
        theta, eta = {name: x.copy() for name, x in phi.items()}, aruba.start()
        for _ in range(STEPS):
            hidden = np.tanh(inputs @ theta["first"])
            error = hidden @ theta["second"] - y
            back = np.outer(error, theta["second"]) * (1 - hidden**2)
            gradients = {"first": inputs.T @ back / 20, "second": hidden.T @ error / 20}
            aruba.see(gradients)
            for name in theta:
                theta[name] -= eta[name] * gradients[name]
        aruba.end(phi, theta)
        phi = {name: x + 0.1 * (theta[name] - x) for name, x in phi.items()}
    return phi


def in_torch() -> dict[str, Any]:
    """The same with tensors: gradients by backward(), arrays shared with numpy."""
    import torch

    inputs, targets = (torch.from_numpy(np.array(x)) for x in data())
    phi = start()
    theta = {name: torch.tensor(x, requires_grad=True) for name, x in phi.items()}
    shown = {name: x.detach().numpy() for name, x in theta.items()}  # the same memory
    aruba = Aruba(phi, eps=0.03, zeta=0.1)
    for y in targets:
        with torch.no_grad():
            for name, x in theta.items():
                x.copy_(torch.from_numpy(phi[name]))
        eta = {name: torch.from_numpy(x) for name, x in aruba.start().items()}
        for _ in range(STEPS):
            error = torch.tanh(inputs @ theta["first"]) @ theta["second"] - y
            slopes = torch.autograd.grad(error.square().mean() / 2, list(theta.values()))
            gradients = dict(zip(theta, slopes, strict=True))
            aruba.see({name: g.numpy() for name, g in gradients.items()})
            with torch.no_grad():
                for name, x in theta.items():
                    x -= eta[name] * gradients[name]
        aruba.end(phi, shown)
        phi = {name: x + 0.1 * (shown[name] - x) for name, x in phi.items()}
    return phi


def for_jax() -> tuple[Any, Any, list[Any], Callable[[Any, Any], Any]]:
    """JAX in double precision and its numpy, the targets, and the loss."""
    import jax

    jax.config.update("jax_enable_x64", True)
    from jax import numpy as jnp

    inputs, targets = data()

    def loss(theta: Any, y: Any) -> Any:
        return jnp.mean((jnp.tanh(inputs @ theta["first"]) @ theta["second"] - y) ** 2) / 2

    return jax, jnp, targets, loss


def in_jax() -> dict[str, Any]:
    """The same with a pytree: a task is one compiled function, which sums the squares for `absorb`."""
    jax, jnp, targets, loss = for_jax()

    @jax.jit
    def run(phi: Any, eta: Any, y: Any) -> Any:
        def step(carry: Any, _: Any) -> Any:
            theta, squares = carry
            gradients = jax.grad(loss)(theta, y)
            theta = jax.tree.map(lambda x, rate, g: x - rate * g, theta, eta, gradients)
            return (theta, jax.tree.map(lambda s, g: s + g * g, squares, gradients)), None

        return jax.lax.scan(step, (phi, jax.tree.map(jnp.zeros_like, phi)), length=STEPS)[0]

    phi: Any = start()
    aruba = Aruba(phi, eps=0.03, zeta=0.1)
    for y in targets:
        theta, squares = run(phi, aruba.rates(), y)
        aruba.absorb(*jax.tree.map(np.asarray, (phi, theta, squares)))
        phi = jax.tree.map(lambda x, z: x + 0.1 * (z - x), phi, theta)
    return {name: np.asarray(x) for name, x in phi.items()}


# the lines of the page ----------------------------------------------------------------------------------------------
def example(library: str) -> str:
    """The example of the page that is not run with it, by the library that its comment names."""
    found = re.search(rf"<!-- not run: needs {library};.*?-->\n```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    if found is None:
        raise LookupError(f"{PAGE} has no example that needs {library}")
    return found[1]


def page_in_torch() -> dict[str, Any]:
    """What the page's lines end with: the `model` of the task family, its `loss`, and the `tasks` as batches."""
    import torch

    inputs, targets = (torch.from_numpy(np.array(x)) for x in data())
    model = torch.nn.ParameterDict({name: torch.nn.Parameter(torch.tensor(x)) for name, x in start().items()})

    def loss(model: Any, batch: Any) -> Any:
        return (torch.tanh(inputs @ model["first"]) @ model["second"] - batch).square().mean() / 2

    names = {"torch": torch, "Aruba": Aruba, "model": model, "loss": loss, "tasks": [[y] * STEPS for y in targets]}
    exec(example("torch"), names)  # our own page
    return dict(zip(model.keys(), names["phi"], strict=True))


def page_in_jax() -> dict[str, Any]:
    """What the page's lines end with: `phi`, `aruba`, the `loss`, and the `tasks` as batches."""
    jax, jnp, targets, loss = for_jax()

    names = {"jax": jax, "jnp": jnp, "np": np, "loss": loss, "phi": start()}
    names |= {"aruba": Aruba(start(), eps=0.03, zeta=0.1), "tasks": [np.tile(y, (STEPS, 1)) for y in targets]}
    exec(example("jax"), names)  # our own page
    return {name: np.asarray(x) for name, x in names["phi"].items()}


def compared(library: str, eps: float, *runs: Callable[[], dict[str, Any]]) -> int:
    """Run the loop of a library, and the page's, where it is installed; 1 if one ends elsewhere than numpy's."""
    if importlib.util.find_spec(library) is None:
        print(f"{library} is not installed: nothing was run")
        return 0
    wrong = 0
    for run, own in zip(runs, (0.03, eps), strict=True):
        found, expected = run(), in_numpy(own)
        apart = max(float(np.abs(found[name] - x).max()) for name, x in expected.items())
        print(f"{library}, {run.__name__}: {TASKS} tasks of {STEPS} steps end within {apart:.1e} of numpy's")
        wrong |= apart > 1e-9
    return int(wrong)


def main() -> int:
    """Print the table, or run a loop."""
    parser = argparse.ArgumentParser(description="Algorithm 2 beside a loop of one's own")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("--jax", action="store_true")
    options = parser.parse_args()
    if not (options.torch or options.jax):
        times(max(options.repetitions, 1))
    wrong = compared("torch", 0.1, in_torch, page_in_torch) if options.torch else 0
    return wrong + (compared("jax", 0.03, in_jax, page_in_jax) if options.jax else 0)


if __name__ == "__main__":
    sys.exit(main())
