"""What the figures draw agrees with other ways to compute it."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory import PAPER
from arubatheory.learners.meta import descent
from arubatheory.papers.aruba.games.adaptive import EPS_EWOO, FTL, OGD, upper_bound
from arubatheory.report.ledger import LedgerRow
from figures import (
    blocks,
    captions,
    ellipses,
    exponents,
    families,
    growth,
    learned_rates,
    posterior,
    similarity,
    tightness,
)
from figures.captions import counts
from figures.games import DYNAMIC, STATIC, around, deviation, game, guarantee, similar_run

EPSILON = float(np.finfo(np.float64).eps)


def a_run(T: int = 60, greedy: bool = False):  # type: ignore[no-untyped-def]
    star, psi = similarity.drift(T)
    init = descent(np.zeros(2), 1 / np.sqrt(16)) if greedy else None
    return similar_run(around(star, 16), star, init), psi


@pytest.mark.parametrize("greedy", [False, True])
def test_the_statement_has_the_upper_bound_of_the_run(greedy: bool) -> None:
    run, psi = a_run(greedy=greedy)
    # Two implementations of Algorithm 1; EWOO's mean is good to 1e-12, everything else to some roundings of T terms.
    assert upper_bound(game(run, psi), OGD if greedy else FTL, EPS_EWOO) == pytest.approx(run.upper.sum(), rel=1e-10)


def test_guarantees_exceed_what_is_paid_and_the_leading_term() -> None:
    run, psi = a_run()
    moving, _ = a_run(greedy=True)
    static, dynamic = guarantee(run, STATIC), guarantee(moving, DYNAMIC, psi)
    assert static > run.upper.sum() / run.sigma.sum() > run.regret.sum() / run.sigma.sum()
    assert dynamic > moving.upper.sum() / moving.sigma.sum()
    assert static > 2 * deviation(run) and dynamic > 4 * deviation(moving, psi)


def test_the_static_guarantee_is_the_printed_sum() -> None:
    run, _ = a_run()
    x, V, sigma = game(run), deviation(run), run.sigma
    T, total = len(sigma), sigma.sum()
    price = x.D * sigma.max() / 2 * max(x.D / x.eps, 1) ** 2 * (1 + np.log(T + 1))
    starting = np.sqrt(8 * x.C * x.D * total * (sigma**2 / np.cumsum(sigma)).sum())
    printed = min(x.eps**2 / V, 2 * x.eps) * total + price + starting + 2 * V * total
    assert guarantee(run) == pytest.approx(printed / total, rel=1e-12)


def test_figure_1_shows_what_the_paper_says_of_it() -> None:
    v = {name: float(y[0]) for name, (_, y) in similarity.compute(T=400).items() if len(y) == 1}
    assert v["left: 2V"] < v["left: sqrt2 D*"] / 5  # outliers
    assert v["right: 4V_Psi"] < v["right: 2V"] / 5  # a path
    pair, far = similarity.largest_distance(similarity.cluster(400))
    points = similarity.cluster(400)
    every = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert far == every.max() == pytest.approx(float(np.linalg.norm(pair[0] - pair[1])))


def test_every_family_has_its_lines_in_order() -> None:
    series = families.compute((8, 32))
    for family in families.FAMILIES:
        bound, upper, regret, _ = (series[f"{family}: {line}"][1] for line in families.LINES)
        assert (bound > upper).all() and (upper > regret).all()


def test_learned_rates_are_those_of_the_run() -> None:
    series = learned_rates.compute(T=40)
    for sim in learned_rates.SIMS:
        t, v = series[f"{sim}: similar: v"]
        assert t[0] == 1 and t[-1] == 40 and (v > 0).all()
    # eps-FTL begins at sqrt(D^2 + eps^2), eps-EWOO in the middle of its interval
    assert series["eps-FTL: similar: v"][1][0] > series["eps-EWOO: similar: v"][1][0]


def test_learned_rates_end_nearer_to_the_limit_than_to_the_deviation() -> None:
    series = learned_rates.compute(T=300)
    for key in (f"{sim}: {family}" for sim in learned_rates.SIMS for family in learned_rates.SHOWN):
        end, limit, V = (float(series[f"{key}: {name}"][1][-1]) for name in ("v", "limit", "V"))
        assert abs(end - limit) < abs(end - V)


def test_the_density_peaks_nearer_to_the_limit_than_to_the_deviation() -> None:
    series = posterior.compute(after=(3, 300))
    v, y = series["after 300"]
    peak, limit, V = v[int(np.argmax(y))], float(series["limit"][0][0]), float(series["V"][0][0])
    assert abs(peak - limit) < abs(peak - V)
    assert limit**2 == pytest.approx(V**2 + v[0] ** 2)


def test_the_mean_of_the_density_is_what_is_played() -> None:
    run = posterior.play(41)
    low, high = posterior.interval(run)
    v = np.linspace(low, high, 4001)
    for t in (0, 1, 7, 40):
        y = posterior.density(run, t, v)
        # The trapezoidal rule with 4000 steps on a smooth density: relative error far below 1e-6.
        assert np.trapezoid(y * v, v) == pytest.approx(run.v[t], rel=1e-6)


def test_fitted_lines_have_the_printed_slopes() -> None:
    series = growth.compute(("thm:diagonal/rate/rounds",), longest=128)
    (claimed,), (fitted,) = series["thm:diagonal/rate/rounds: slopes"]
    for name, exponent in (("claimed", claimed), ("fitted", fitted)):
        T, y = series[f"thm:diagonal/rate/rounds: {name}"]
        assert np.diff(np.log(y)) / np.diff(np.log(T)) == pytest.approx(exponent, abs=1e-9)
    assert fitted == pytest.approx(0.5, abs=1e-3)


def test_exponents_cover_every_claim_of_growth() -> None:
    claims = {s.label for s in PAPER if s.growth is not None}
    assert set(exponents.labels()) == claims - set(exponents.LONG) and set(exponents.LONG) <= claims
    series = exponents.compute(seeds=1, longest=128, shown=("thm:diagonal/rate/rounds",))
    assert series["thm:diagonal/rate/rounds: claimed"][0][0] == 0.5


def test_the_caption_of_exponents_names_the_ends_and_what_is_left_out() -> None:
    series = {}
    places = {
        "thm:diagonal/rate": (-0.4, [-0.9, -0.7]),
        "thm:diagonal/rate/rounds": (0.5, [0.49]),
        "thm:fullmatrix/rate": (-0.125, [0.5, -0.2]),
    }
    for k, (label, (claimed, fitted)) in enumerate(places.items()):
        series[f"{label}: claimed"] = (np.array([claimed]), np.array([float(k)]))
        series[f"{label}: fitted"] = (np.array(fitted), np.full(len(fitted), float(k)))
    words = exponents.caption(series)
    assert "To the right: thm:fullmatrix/rate (0.50 for -0.125)." in words
    assert "Nearest to its claim thm:diagonal/rate/rounds (0.49 for 0.5); furthest below thm:diagonal/rate (" in words
    assert f"3 claims of growth ({counts(places)})" in words
    assert all(f"{label} ({why})" in words.partition("Left out: ")[2] for label, why in exponents.LONG.items())


def test_blocks_that_differ_more_get_larger_rates() -> None:
    series = blocks.compute(T=60)
    means = [float(y.mean()) for name, (_, y) in series.items() if "deviation" in name]
    assert means == sorted(means) and means[-1] > 2 * means[0]


def test_ellipses_have_the_axes_of_their_matrix() -> None:
    root = ellipses.turned(0.65, (1.5, 0.2))
    radius = np.hypot(*ellipses.outline(root))
    # 61 points of the outline come within 6 degrees of the axes.
    assert radius.max() == pytest.approx(1.5, rel=1e-2) and 0.2 <= radius.min() <= 0.25
    assert np.linalg.eigvalsh(root) == pytest.approx([0.2, 1.5])
    x, y = ellipses.compute(after=(2, 30))["along a direction: elongation"]
    assert x[0] == pytest.approx(7.5) and y[0] > 2


# tightness ------------------------------------------------------------------------------------------------------------
def row(status: str, ratio: str) -> LedgerRow:
    return LedgerRow("thm:ewoo", "theorem", status, ratio, "100", "search", "", "", "search", "quick", "0")


@pytest.mark.parametrize(
    ("status", "ratio", "place"),
    [
        ("SURVIVED", "0.25", 0.25),
        ("SURVIVED", "1", 1.0),
        ("SURVIVED", "-0.5", None),
        ("SURVIVED", "", None),
        ("REFUTED", "10", 1 + 0.7 / 3),
        ("REFUTED", "1000", 1.7),
        ("REFUTED", "1e9", tightness.UNBOUNDED),
        ("REFUTED", "", tightness.UNBOUNDED),
        ("REFUTED", "0.5", tightness.UNBOUNDED),
        ("IDLE", "0.5", None),
    ],
)
def test_a_record_has_its_place(status: str, ratio: str, place: float | None) -> None:
    assert tightness.place(row(status, ratio)) == (None if place is None else pytest.approx(place))


def test_every_record_with_a_place_is_drawn() -> None:
    ledger = {f"thm:ewoo/{k}": row("SURVIVED", f"0.{k}") for k in range(1, 5)} | {"thm:ewoo/5": row("REFUTED", "2")}
    series = tightness.compute(ledger)
    assert list(series) == ["thm:ewoo: SURVIVED", "thm:ewoo: REFUTED"]
    words = tightness.caption(series)
    assert "4 SURVIVED, 0 PROVED, 0 SUSPECT, 1 REFUTED" in words
    assert "the smallest that survived is of thm:ewoo (0.1); the largest refuted one of thm:ewoo (2)" in words
    assert series["thm:ewoo: SURVIVED"][0].tolist() == [0.1, 0.2, 0.3, 0.4]
    everything = tightness.compute()
    assert sum(len(x) for x, _ in everything.values()) == len(tightness.labels())


def test_rows_of_statements_that_are_gone_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"thm:ewoo": row("SURVIVED", "0.5"), "thm:ewoo/gone": row("REFUTED", "2")}
    monkeypatch.setattr(captions.ledger, "find", lambda root, paper: rows)
    assert list(captions.recorded.__wrapped__()) == ["thm:ewoo"]
