r"""FedAvg with given or learned rates: at each round ten roles start from $\phi_r$, and their average is $\phi_{r+1}$.

Rates are those of the shipped state, `Aruba` and `Isotropic`, to which each node's sum of squared gradients is sent.
The movement has two readings. In Algorithm 2 a node is a task, which went from $\phi_r$ to $\hat\theta_k$ ("nodes": ten
tasks each round, as in the authors' code); section 6 says that the server uses "the squared difference between $\phi_r$
and $\phi_{r+1}$" ("server": one task each round, with the gradients of all ten).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.learners.algorithm2 import Aruba, Isotropic
from practice.charnet import CharNet
from practice.nodes import NUMBERS, Groups, Passed, fixed, hits, learn, ordered, tried

NODES = 10  # roles in a round
ZETA = 1.0
EVERY = 5  # rounds between two looks at the tuning and the held-out roles


class Rule(NamedTuple):
    """How rates come about: the rule's name ("constant", "decayed", "ARUBA", "isotropic"), the first rate, what it is
    multiplied by after each round, whose movement counts, and zeta (eps is the first rate times zeta)."""

    name: str
    rate: float
    decay: float = 1.0
    movement: str = "nodes"
    zeta: float = ZETA


class Trained(NamedTuple):
    r"""A trained model $\phi$ (P,), the state of its rates if they were learned, the rates of the last round, and, at
    `rounds` (R,), the accuracy on tuning and on held-out roles (R,) and the mean of $\log_{10}\eta$ by layer (R, 5)."""

    phi: np.ndarray
    state: Aruba | None
    last: Any
    rounds: np.ndarray
    tuning: np.ndarray
    held_out: np.ndarray
    by_layer: np.ndarray


def state_of(rule: Rule, phi: np.ndarray) -> Aruba | None:
    r"""The state of a rule that learns: $\varepsilon$ is the first rate times $\zeta$, p = 1."""
    kinds = {"ARUBA": Aruba, "isotropic": Isotropic}
    return kinds[rule.name](phi, eps=rule.rate * rule.zeta, zeta=rule.zeta) if rule.name in kinds else None


def tell(state: Aruba, movement: str, phi: np.ndarray, average: np.ndarray, found: Passed) -> None:
    """What a server tells its state after a round: of each node, or of all together."""
    if movement == "server":
        ends: list[tuple[np.ndarray, np.ndarray]] = [(average, found.squares.sum(axis=0))]
    else:
        ends = list(zip(found.theta, found.squares, strict=True))
    for theta, squares in ends:
        state.absorb(phi, theta, float(squares.sum(dtype=np.float64)) if state.scalar else squares)


def train(net: CharNet, sets: Groups, rule: Rule, seed: int, rounds: int) -> Trained:
    """FedAvg over the training roles: ten in each round, weighted by the length of their texts."""
    phi = net.start(np.random.default_rng([seed, 0])).astype(NUMBERS)
    state, seen, eta = state_of(rule, phi), [], None
    for r in range(rounds):
        eta = rule.rate * rule.decay**r if state is None else state.rates()
        chosen = np.random.default_rng([seed, 2, r]).choice(len(sets.training), min(NODES, len(sets.training)), False)
        nodes = ordered([sets.training[k] for k in chosen])
        found = learn(net, phi, nodes, fixed(eta), (seed, 3, r))
        weights = np.array([one.Y.size for one in nodes], np.float64)
        average = (weights @ found.theta / weights.sum()).astype(NUMBERS)
        if state is not None:
            tell(state, rule.movement, phi, average, found)
        phi = average
        if (r + 1) % EVERY == 0 or r + 1 == rounds:
            seen.append((r + 1, accuracy(net, phi, sets.tuning), accuracy(net, phi, sets.held_out), layers(net, eta)))
    at, tuning, held_out, by_layer = map(np.array, zip(*seen, strict=True))
    return Trained(phi, state, eta, at, tuning, held_out, by_layer)


def accuracy(net: CharNet, theta: np.ndarray, nodes: Any) -> float:
    """The share of characters that nodes get right, in what they are tried on."""
    return float(hits(net, theta, nodes).sum() / tried(nodes).sum())


def layers(net: CharNet, eta: Any) -> np.ndarray:
    r"""The mean of $\log_{10}\eta$ over each layer."""
    logs = np.log10(np.broadcast_to(np.asarray(eta, np.float64), net.size))
    return np.array([part.mean() for part in net.views(logs)])
