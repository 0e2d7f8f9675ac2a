"""How large a constant must be: intervals with certified lower ends, curves over sizes, limits and guesses."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from arubatheory.cli import main
from arubatheory.engines.exact import certify
from arubatheory.engines.limits import closed_form, limit, relation
from arubatheory.engines.polish import STALE, polish, stretched
from arubatheory.engines.search import search
from arubatheory.engines.sharpen import SIZES, _broken, admits, constant_of, of_size, sharpen, size_of, times
from arubatheory.engines.trial import Record
from arubatheory.papers.aruba import ARUBA
from arubatheory.papers.classics.value_curve import seven_quarters
from arubatheory.problems.draw import GRID, RandomDraw, Tape
from arubatheory.prove.rationals import simplest_between
from arubatheory.statements.core import Constant, Instance, NotAnInstance, Sides, Statement


def game(draw):
    """Numbers of [0, 1] whose mean is below its claimed share."""
    return Instance(x=draw.unit(draw.size("n", 4)), one=draw.number(1))


def sides(i):
    n = len(i.x)
    return Sides(sum(i.x) * n / (n + 1), 2 * i.one * n)


MEAN = Statement("mean", "claim", "x", game, sides)


def test_a_factor_is_bracketed_for_each_size():
    found = sharpen(MEAN, sizes=(1, 2, 3), budget=400)
    assert [s.size for s in found] == [1, 2, 3, None]
    for s in found[:3]:
        true = s.size / (s.size + 1) / 2
        assert s.refuted == pytest.approx(true, rel=1e-6) and s.refuted < true <= s.survived
        assert s.witness is not None and s.trials > 600
    assert found[3].refuted > found[2].refuted


def test_the_trials_of_every_part_are_counted(monkeypatch):
    spent = []

    def counted(*args, **how):
        verdict = search(*args, **how)
        spent.append(verdict.trials)
        return verdict

    (found,) = [s for s in sharpen(MEAN, sizes=(2,), budget=100) if s.size]
    monkeypatch.setattr("arubatheory.engines.sharpen.search", counted)
    holds = of_size(times(MEAN, Fraction(found.survived)), "n", 2)
    trials, witness = _broken(holds, found.witness, 100, 0)
    assert witness is None and trials > sum(spent) > 50


def test_what_is_refuted_is_refuted_by_the_statement_with_that_constant():
    (found,) = [s for s in sharpen(MEAN, sizes=(2,), budget=300) if s.size]
    tape = Tape(**found.witness.tape)
    at = times(MEAN, Fraction(found.refuted))
    assert certify(of_size(at, "n", 2), tape).outcome == "violated"
    assert certify(of_size(times(MEAN, Fraction(found.survived)), "n", 2), tape).outcome == "holds"


def test_a_constant_inside_an_assumption_is_found_by_halving():
    def at(c):
        def instance(draw):
            return Instance(step=draw.number(c.numerator, c.denominator) * draw.unit())

        return Statement("step", "claim", "x", instance, lambda i: Sides(i.step * i.step, 3 + 0 * i.step))

    declared = Statement("root", "claim", "x", game, sides, constants=(Constant("step", 2, at, largest=True),))
    (found,) = [s for s in sharpen(declared, budget=200) if s.size is None]
    assert found.survived <= math.sqrt(3) < found.refuted and found.refuted - found.survived < 4e-6
    assert constant_of(declared, None).printed == 2


def test_the_largest_step_of_a_convex_value_curve_is_seven_quarters():
    """Barzilai, Shamir and Zamani, arXiv 2503.10138."""
    (found,) = sharpen(seven_quarters, budget=1200)  # seeds 0, 2 and 3 end there
    assert found.survived <= 1.75 < found.refuted and found.refuted - found.survived < 4e-6
    assert simplest_between(Fraction(found.survived), Fraction(found.refuted)) == Fraction(7, 4)


def test_omd_needs_what_is_proved_that_it_needs():
    r"""For two rounds $(\sqrt{17} - 1)/4$, to ten digits, from the search alone; `arubatheory sharpen thm:ftrlomd/omd
    --only --size m --sizes 1,2,3,4,5` has the other sizes and the relation."""
    (omd,) = [s for s in ARUBA.statements if s.label == "thm:ftrlomd/omd"]
    one, two, _ = sharpen(omd, sizes=(1, 2), budget=500)
    assert one.witness.ratio == pytest.approx(math.sqrt(1 / 2), rel=1e-10)
    assert two.witness.ratio == pytest.approx((math.sqrt(17) - 1) / 4, rel=1e-10)
    assert two.refuted < (math.sqrt(17) - 1) / 4 < two.survived and two.agree > 4


def test_sizes_are_held():
    alone = Statement("s", "claim", "x", lambda d: Instance(x=d.unit()), sides)
    assert size_of(MEAN) == "n" and size_of(alone) is None
    for size in (1, 7):
        assert len(of_size(MEAN, "n", size).instance(RandomDraw(np.random.default_rng(0))).x) == size


def two_sizes(draw):
    """The longer of two sizes comes second, and has a limit."""
    d, m = draw.size("d", 3), draw.size("m", 4, 6)
    return Instance(x=draw.unit((m, d)), one=draw.number(1))


BOTH = Statement("both", "claim", "x", two_sizes, lambda i: Sides(i.x.sum(), i.one * i.x.size * 2))


def test_the_size_is_the_one_that_usually_is_the_largest_or_the_one_that_is_named():
    assert size_of(BOTH) == "m" and size_of(BOTH, "d") == "d"
    assert [s.size for s in sharpen(BOTH, budget=100)] == [*(k for k in SIZES if k <= 6), None]
    assert admits(BOTH, "m", 6) and not admits(BOTH, "m", 7)
    (found, _) = sharpen(BOTH, sizes=(4,), budget=100, size="d")
    assert of_size(BOTH, "d", 4).instance(RandomDraw(np.random.default_rng(0))).x.shape[1] == found.size == 4


def test_a_game_is_stretched_in_four_ways():
    asked = Tape([3], [1, 2, 3])
    draws = list(stretched(game, asked, "n", 5))
    for draw in draws:
        game(draw)
    assert [d.tape.units for d in draws] == [[1, 2, 3, 1, 2], [1, 1, 2, 2, 3], [1, 2, 3, 3, 3], [1, 1, 1, 2, 3]]
    assert all(d.tape.integers == [5] for d in draws) and list(stretched(game, asked, "d", 5)) == []


def hills(draw):
    """Two hills; the lower one is where a start is."""
    return Instance(x=draw.unit())


TWO_HILLS = Statement(
    "hills", "claim", "x", hills, lambda i: Sides(1 / (1 + 9 * (i.x * 4 - 1) ** 2 * (i.x * 4 - 3) ** 2) + i.x / 8, 2)
)


def test_polishing_leaves_a_hill_for_a_higher_one_and_goes_to_its_top():
    record = Record(TWO_HILLS, "search", 0)
    ends = polish(record, [Tape([], [GRID // 4])], 1000, 10**6, 0)
    top = max(TWO_HILLS.sides(Instance(x=x)).lhs for x in np.linspace(0.74, 0.77, 200001)) / 2
    assert record.worst == pytest.approx(top, rel=1e-11) and min(ends) < 0.52 < max(ends)
    assert polish(Record(TWO_HILLS, "search", 0), [Tape([], [GRID // 4])], 1000, 10**6, 0, attained=0.1) == []


def test_polishing_ends_where_nothing_is_gained_any_more():
    even = Statement("even", "claim", "x", game, lambda i: Sides(1 + 0 * sum(i.x), 2 * i.one))
    record = Record(even, "search", 0)
    ends = polish(record, [Tape([2], [GRID // 4, GRID // 8])], 10**5, 10**9, 0)
    assert len(ends) == STALE and max(ends) == min(ends) == 0.5


def test_polishing_without_gradients_climbs():
    rough = Statement("rough", "claim", "x", game, lambda i: Sides(1 - abs(np.floor(sum(i.x) * 2**20) / 2**20 - 1), 2))
    record = Record(rough, "search", 0)
    ends = polish(record, [Tape([2], [GRID // 4, GRID // 8])], 1000, 10**6, 0)
    assert len(ends) == 5 and record.worst == pytest.approx(0.5, rel=1e-5) and record.evaluations <= 1100


@pytest.mark.parametrize(
    "given, message",
    [
        (dict(name="slope"), "constant must be one of factor, got 'slope'"),
        (dict(sizes=(0,)), r"sizes must be integers >= 1, got \[0\]"),
        (dict(sizes=(1.5,)), "sizes must be integers >= 1"),
        (dict(size="T"), "size must be one of n, got 'T'"),
    ],
    ids=["constant", "zero", "fraction", "size"],
)
def test_bad_input_is_named(given, message):
    with pytest.raises(ValueError, match=message):
        sharpen(MEAN, **{"budget": 100, **given})


def test_a_size_beyond_its_limit_is_named():
    with pytest.raises(ValueError, match=r"sizes must be admitted by the limit of m, got \[2, 7\]"):
        sharpen(BOTH, sizes=(2, 7), budget=100)


def test_sides_that_are_never_finite_are_named():
    nothing = Statement("nothing", "claim", "x", game, lambda i: Sides(i.x[0] / (i.x[0] - i.x[0]), i.one))
    with pytest.raises(ValueError, match="nothing: no trial has finite sides"):
        sharpen(nothing, sizes=(1,), budget=100)


def test_relations_limits_and_closed_forms():
    curve = [(n, (1 - n + math.sqrt(n * n + 6 * n + 1)) / 4) for n in range(1, 9)]
    assert relation(curve) == "2 x^2 + n x - x - n = 0"
    low, high = limit(curve)
    assert low <= 1 + 1e-2 and high >= 1 - 1e-2 and limit(curve[:2]) is None
    assert limit([(2, 1.0), (3, 8 / 9), (5, 24 / 25), (8, 1.0), (13, 168 / 169)]) is None
    assert limit([(3, 1.0), (5, 1 + 1e-9), (8, 1.0)]) == pytest.approx((1, 1))
    assert relation(curve[:5]) == relation(curve) and relation(curve[:4]) == ""
    assert relation([(n, math.exp(-n)) for n in range(1, 9)]) == ""
    assert not any(relation([(n, math.exp(-n / k)) for n in range(1, 6)]) for k in range(1, 40))


@pytest.mark.parametrize(
    "value, form",
    [
        (0.75, "3/4"),
        (7 / 16, "7/16"),
        (math.sqrt(0.5), "sqrt(1/2)"),
        (2.0, "2"),
        (math.log(1.5), "log(3/2)"),
        (math.log(16), "log(16)"),
        ((3 - math.sqrt(2)) / 4, "(3 - sqrt(2))/4"),
        ((1 + 11 * math.pi) / 7, "(1 + 11 pi)/7"),
    ],
)
def test_closed_forms(value, form):
    assert closed_form(value) == form and closed_form(value * (1 + 1e-9)) == ""


def interval(c):
    """A claim about a constant in an end of what is drawn."""
    return Statement("my:c", "claim", "x", lambda d: Instance(x=d.unit()), lambda i: Sides(i.x + c[0], c[1]))


def constant(name, at):
    said = Constant(name, 1, at)
    return replace(at(Fraction(1)), constants=(said,))


def test_a_constant_that_is_refuted_up_to_the_end_does_not_survive():
    (found,) = sharpen(constant("c", lambda c: interval((10, c))), budget=200)
    assert found.refuted == pytest.approx(4) and found.survived is None


def test_a_declared_constant_may_be_called_a_factor():
    (found,) = sharpen(constant("factor", lambda c: interval((0, c + Fraction(1, 4)))), budget=200)
    assert found.refuted == pytest.approx(0.75, rel=1e-5) and found.survived == pytest.approx(0.75, rel=1e-5)


def test_a_first_draw_that_is_no_instance_has_a_size():
    def even(draw):
        n = draw.size("n", 4)
        if n % 2:
            raise NotAnInstance("odd")
        return Instance(x=draw.unit(n), n=n)

    claim = Statement("my:even", "claim", "x", even, lambda i: Sides(sum(i.x), 2 * i.n))
    assert size_of(claim) == "n" and admits(claim, "n", 3)
    assert [s.size for s in sharpen(claim, sizes=[4, 2, 2], budget=200)] == [2, 4, None]


def test_the_verb_prints_a_table_and_json(tmp_path, capsys):
    path = tmp_path / "mean.py"
    path.write_text(
        "from arubatheory import Instance, Sides, Statement\n"
        "def game(draw):\n    return Instance(x=draw.unit(draw.size('n', 3)))\n"
        "MEAN = Statement('my:mean', 'claim', 'x', game, lambda i: Sides(sum(i.x), 2 * len(i.x) + 0 * i.x[0]))\n"
    )
    command = ["sharpen", "my:mean", "--file", str(path), "--sizes", "1,2", "--budget", "200"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert out.startswith("my:mean: the constant factor, printed as 1\n") and "0.5" in out and "all" in out
    assert main([*command, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["size"] == "n" and [i["size"] for i in said["intervals"]] == [1, 2, None]
    assert main([*command, "--only", "--size", "n"]) == 0 and capsys.readouterr().out == out
    assert main([*command, "--constant", "slope"]) == 4
    assert "constant must be one of factor, got 'slope'" in capsys.readouterr().err


@pytest.mark.parametrize("side", ["float('nan')", "float('inf')", "0.5 * x"])
def test_code_that_fails_is_one_line(tmp_path, capsys, side):
    path = tmp_path / "fails.py"
    path.write_text(
        "from arubatheory import Instance, Sides, Statement\n"
        f"F = Statement('my:f', 'claim', 'x', lambda d: Instance(x=d.unit()), lambda i: Sides(i.x, {side}))\n"
    )
    assert main(["sharpen", "my:f", "--file", str(path), "--budget", "200"]) == 3
    said = capsys.readouterr().err
    assert said.splitlines()[-1].startswith("arubatheory: error: my:f: the code failed, not the claim. ")
    assert "Traceback" not in said and ("fails.py, line 2" in said or "got the float" in said)
