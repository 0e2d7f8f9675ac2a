r"""Planted bugs in learners, and the check that catches each.

| planted bug | caught by |
|---|---|
| uses the gradient of the round before last | the definition of OMD |
| adds the current round's gradient before it plays | causality |
| plays FTRL on all losses, past and future | causality |
| forgets the projection | feasibility |
| has the wrong sign in the entropy step | the regret bound of thm:ftrlomd |
| starts from a stale initialisation | the first action |
| lets the step size grow with the round | the regret bound of thm:ftrlomd |
| plays greedy where the definition is lazy | the definition of OMD |
| reports the gap of the previous round | the certificate |

Each check is a function of a learner alone, on instances that it draws itself; the correct learners pass all of them.

Bugs planted in the source of what every trial shares (`SHARED`: numbers, the tie rule, the judge, losses, norms, steps)
are found by the product itself, without tests and without the record: the first line of `doctor --deep` names the
place.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arubatheory.kernel import compiled
from arubatheory.learners import Trajectory, ftrl, greedy_ogd, omd
from arubatheory.problems import losses as f
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, contains, linear_minimizer, project
from arubatheory.problems.losses import LINEAR
from arubatheory.problems.norms import dual_square, norm_of
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, bregman, mirror_step
from tests.learners.learner_instances import problem, spliced

EPS = np.finfo(np.float64).eps
SEEDS = range(12)
M = 6


def instances(link=LINEAR):
    """Small problems, entropy and Euclidean, on bounded domains; tight games come from the step sizes drawn."""
    for seed in SEEDS:
        for domain, regularizer in ((BALL, EUCLIDEAN), (BOX, EUCLIDEAN), (SIMPLEX, ENTROPY), (BOX, ENTROPY)):
            p = problem(seed, domain, regularizer, link=link, m=M)
            yield p._replace(losses=p.losses._replace(ridge=p.losses.ridge * 0))


def games():
    """Where thm:ftrlomd has little to spare: equal or alternating gradients, the step size tuned or small."""
    for p in instances():
        for sign in (1.0, -1.0):
            a = np.array([p.losses.a[0] * sign**t for t in range(M)])
            squares = M * dual_square(norm_of(p.R, p.domain), a[0])
            if squares == 0:
                continue
            L = p.losses._replace(a=a, b=np.zeros(M), weight=np.ones(M))
            far = bregman(p.R, linear_minimizer(p.domain, a[0]), p.phi)
            for eta in (np.sqrt(far / squares) + 2.0**-20, 2.0**-10 / np.sqrt(squares)):
                yield p._replace(losses=L, eta=eta)


def played(actions, p):
    actions = np.array(actions)
    return Trajectory(actions, f.values(p.losses, actions), np.zeros(len(actions)))


def gradients(p):
    return p.losses.weight[:, None] * p.losses.a


# checks: True when the learner passes ----------------------------------------------------------------------------
def causality(learner):
    """Changing the losses from round t on leaves the actions up to t."""
    for p, other in zip(instances(), list(instances())[::-1], strict=True):
        for t in range(M):
            changed = learner(*p._replace(losses=spliced(p.losses, other.losses, t)))
            if not np.array_equal(learner(*p).actions[: t + 1], changed.actions[: t + 1]):
                return False
    return True


def feasibility(learner):
    """Every action is in the domain."""
    return all(contains(p.domain, x) for p in instances() for x in learner(*p).actions)


def first_action(learner):
    """The learner starts at phi, also when it has been called before."""
    return all(np.allclose(learner(*p).actions[0], p.phi, rtol=0, atol=8 * EPS) for p in instances())


def definition(learner):
    """def:omd: each action from scratch out of the sum of past gradients."""
    for p in instances():
        got = learner(*p).actions
        for t in range(M):
            past = gradients(p)[:t].sum(axis=0) * p.eta
            expected = mirror_step(p.R, p.domain, p.phi, past)
            # exp and the projection have condition at most 1 + the exponent
            if not np.allclose(got[t], expected, rtol=0, atol=64 * EPS * (1 + np.abs(past).max()) * 4):
                return False
    return True


def regret_bound(learner):
    """thm:ftrlomd for linear losses, against the start, the best action and all that were played."""
    for p in [*instances(), *games()]:
        got, g = learner(*p), gradients(p)
        squares = sum(dual_square(norm_of(p.R, p.domain), x) for x in g)
        for comparator in (linear_minimizer(p.domain, g.sum(axis=0)), p.phi, *got.actions):
            regret = (g * (got.actions - comparator)).sum()
            bound = bregman(p.R, comparator, p.phi) / p.eta + p.eta * squares
            size = np.abs(g).sum() * (1 + np.abs(got.actions).max()) + bound
            if regret > bound + 64 * EPS * size:
                return False
    return True


def certificate(learner):
    """The gap bounds how much a nearby point improves on the action in the objective that defines it."""
    rng = np.random.default_rng(0)
    for p in instances(f.ABSOLUTE):
        got = learner(*p)
        for n in range(1, M):
            points = [project(p.domain, got.actions[n] + 0.1 * rng.normal(size=2)) for _ in range(4)]
            points += [x for x in got.actions if x.min() > 0 or p.R.kind != ENTROPY]

            def value(x, p=p, n=n):
                return bregman(p.R, x, p.phi) + p.eta * f.total(p.losses, n, x)

            ours = value(got.actions[n])
            if any(ours - value(x) > got.gap[n] + 256 * EPS * (1 + ours) for x in points):
                return False
    return True


CHECKS = (causality, feasibility, first_action, definition, regret_bound, certificate)


# planted bugs ----------------------------------------------------------------------------------------------------
def lazy(p, past):
    return mirror_step(p.R, p.domain, p.phi, p.eta * past)


def make(step):
    """An OMD-like learner out of `step(p, t)`, the action of round t."""

    def learner(L, domain, R, phi, eta):
        from tests.learners.learner_instances import Problem

        p = Problem(L, domain, R, phi, eta)
        return played([step(p, t) for t in range(len(L.a))], p)

    return learner


@make
def off_by_one(p, t):
    return lazy(p, gradients(p)[: max(t - 1, 0)].sum(axis=0))


@make
def looks_ahead(p, t):
    return lazy(p, gradients(p)[: t + 1].sum(axis=0))


@make
def knows_everything(p, t):
    return lazy(p, gradients(p).sum(axis=0))


@make
def no_projection(p, t):
    past = p.eta * gradients(p)[:t].sum(axis=0)
    return p.phi * np.exp(-past) if p.R.kind == ENTROPY else p.phi - past


@make
def wrong_sign(p, t):
    past = gradients(p)[:t].sum(axis=0)
    return lazy(p, -past if p.R.kind == ENTROPY else past)


@make
def growing_step(p, t):
    return lazy(p, (t + 1) ** 2 * gradients(p)[:t].sum(axis=0))


def stale_start():
    """A learner that keeps the initialisation of its previous call."""
    kept = {}

    def learner(L, domain, R, phi, eta):
        start = kept.get("phi", phi)
        kept["phi"] = phi
        return omd(L, domain, R, start if contains(domain, start) else domain_point(domain, phi), eta)

    return learner


def domain_point(domain, phi):
    return project(domain, np.full(phi.size, 0.9))


def greedy_for_lazy(L, domain, R, phi, eta):
    return greedy_ogd(L, domain, phi, eta) if R.kind == EUCLIDEAN else omd(L, domain, R, phi, eta)


def stale_gap(L, domain, R, phi, eta):
    """FTRL that plays the action of the round before under this round's gap."""
    got = ftrl(L, domain, R, phi, eta)
    return Trajectory(np.concatenate([got.actions[:1], got.actions[:-1]]), got.values, got.gap)


PLANTED = {
    "off by one": (off_by_one, definition),
    "looks ahead": (looks_ahead, causality),
    "knows everything": (knows_everything, causality),
    "no projection": (no_projection, feasibility),
    "wrong sign in the entropy step": (wrong_sign, regret_bound),
    "stale initialisation": (stale_start(), first_action),
    "growing step size": (growing_step, regret_bound),
    "greedy for lazy": (greedy_for_lazy, definition),
    "gap of another round": (stale_gap, certificate),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_the_named_check_catches_the_planted_bug(bug):
    learner, check = PLANTED[bug]
    assert not check(learner), f"{check.__name__} missed: {bug}"


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("learner", [omd, ftrl], ids=["omd", "ftrl"])
def test_the_correct_learners_pass(learner, check):
    if learner is omd and check is certificate:
        return  # its gap speaks of the linearised objective
    assert check(learner)


@pytest.mark.parametrize("check", [causality, feasibility, first_action], ids=lambda check: check.__name__)
def test_the_greedy_learner_passes_what_applies_to_it(check):
    assert check(lambda L, domain, R, phi, eta: greedy_ogd(L, domain, phi, eta))


# planted in what both sides share --------------------------------------------------------------------------------
PACKAGE = Path(__file__).resolve().parents[2] / "arubatheory"
FIRST_LINE = """
from pathlib import Path
from arubatheory.crosscheck.agreement import disagreements
from arubatheory.papers.aruba import ARUBA
print(next(disagreements(Path("."), ARUBA), "nothing"))
"""
SHARED = {
    "a sign in play_omd": (
        "learners/mirror_descent.py",
        "theta[j], total[j] + g[j]",
        "theta[j], total[j] - g[j]",
        "play_omd, mixed",
    ),
    "a sign in play_omd on a ball": (
        "learners/mirror_descent.py",
        "k * s[j], kept * s[j] - step * g[j]",
        "k * s[j], kept * s[j] + step * g[j]",
        "play_omd, linear",
    ),
    "a sum of losses without the last": (
        "problems/losses.py",
        "for i in range(n):\n        s = s + value",
        "for i in range(n - 1):\n        s = s + value",
        "losses.total",
    ),
    "the root of a ball is its midpoint": (
        "arithmetic.py",
        "flint.arb(self.v).sqrt())",
        "flint.arb(self.v).sqrt().mid())",
        "arithmetic, 128 bits: sqrt",
    ),
    "floats call nothing apparent": (
        "engines/evaluation.py",
        "False, max(gap, 0.0)",
        "False, 0.0",
        "floats on 1 + 1.0 <= 1",
    ),
    "a wide tie": ("engines/evaluation.py", "TIE = 2.0**-40", "TIE = 2.0**-20", "floats on 1 + 1e-07 <= 1"),
    "a comparison that guesses": (
        "arithmetic.py",
        'raise Undecided(f"{_text(a)} < {_text(b)}")',
        "return False",
        "arithmetic, 128",
    ),
    "a judge that stops at the first precision": (
        "engines/exact.py",
        "bits *= 2\n    return certificate",
        "break\n    return certificate",
        "certify root(2)^2 <= 2 - 1e-60",
    ),
    "a record that settles on holding": (
        "engines/trial.py",
        'certificate.outcome in ("violated", "undefined")',
        'certificate.outcome == "undefined"',
        "a violation below rounding is settled",
    ),
    "a gap that is disowned whatever its middle": (
        "engines/exact.py",
        "approximate(gap) < claim * PERSISTS",
        "approximate(gap) > -claim * PERSISTS",
        "a gap whose middle is as claimed is not",
    ),
    "a hinge that bends at 0": (
        "problems/losses.py",
        "return larger(1 - z, 0)",
        "return larger(-z, 0)",
        "losses.value of hinge",
    ),
    "the dual of l1 is l1": (
        "problems/norms.py",
        "L1 + LINF - kind if kind == L1",
        "kind if kind == L1",
        "norms.dual_square of l1",
    ),
    "an entropy step uphill": (
        "problems/mirror.py",
        "np.exp(least - g[i])",
        "np.exp(g[i] - least)",
        "regularizers.mirror_step of kind 1",
    ),
}


def first_line(folder: Path) -> str:
    """What the deep check of the package in a folder says first."""
    bare = dict(os.environ, PYTHONPATH=str(folder), NUMBA_DISABLE_JIT="1", PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([sys.executable, "-c", FIRST_LINE], cwd=folder, env=bare, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(compiled(), reason="an uncompiled process of its own, whatever the suite: one suite will do")
@pytest.mark.parametrize("bug", SHARED)
def test_the_deep_check_names_what_is_planted(bug, tmp_path):
    file, right, wrong, named = SHARED[bug]
    shutil.copytree(PACKAGE, tmp_path / "arubatheory", ignore=shutil.ignore_patterns("__pycache__"))
    source = (tmp_path / "arubatheory" / file).read_text(encoding="utf-8")
    assert source.count(right) == 1
    (tmp_path / "arubatheory" / file).write_text(source.replace(right, wrong), encoding="utf-8")
    assert named in first_line(tmp_path)
