"""How large a constant must be: intervals with certified lower ends, curves over sizes, limits and guesses."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from arubatheory.cli import main
from arubatheory.engines.exact import certify
from arubatheory.engines.limits import closed_form, limit, relation
from arubatheory.engines.sharpen import constant_of, first_size, of_size, sharpen, times
from arubatheory.problems.draw import RandomDraw, Tape
from arubatheory.statements.core import Constant, Instance, Sides, Statement


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
    assert found.survived <= math.sqrt(3) < found.refuted and found.refuted - found.survived < 1e-3
    assert constant_of(declared, None).printed == 2


def test_sizes_are_held():
    assert (
        first_size(MEAN) == "n"
        and first_size(Statement("s", "claim", "x", lambda d: Instance(x=d.unit()), sides)) is None
    )

    for size in (1, 7):
        assert len(of_size(MEAN, "n", size).instance(RandomDraw(np.random.default_rng(0))).x) == size


@pytest.mark.parametrize(
    "given, message",
    [
        (dict(name="slope"), "constant must be one of factor, got 'slope'"),
        (dict(sizes=(0,)), r"sizes must be integers >= 1, got \[0\]"),
        (dict(sizes=(1.5,)), "sizes must be integers >= 1"),
    ],
    ids=["constant", "zero", "fraction"],
)
def test_bad_input_is_named(given, message):
    with pytest.raises(ValueError, match=message):
        sharpen(MEAN, **{"budget": 100, **given})


def test_sides_that_are_never_finite_are_named():
    nothing = Statement("nothing", "claim", "x", game, lambda i: Sides(i.x[0] / (i.x[0] - i.x[0]), i.one))
    with pytest.raises(ValueError, match="nothing: no trial has finite sides"):
        sharpen(nothing, sizes=(1,), budget=100)


def test_relations_limits_and_closed_forms():
    curve = [(n, (1 - n + math.sqrt(n * n + 6 * n + 1)) / 4) for n in range(1, 9)]
    assert relation(curve) == "2 x^2 + n x - x - n = 0"
    low, high = limit(curve)
    assert low <= 1 + 1e-2 and high >= 1 - 1e-2 and limit(curve[:2]) is None
    assert relation([(n, math.exp(-n)) for n in range(1, 9)]) == "" and relation(curve[:4]) == ""
    assert closed_form(0.75) == "3/4" and closed_form(math.sqrt(1 / 2)) == "sqrt(1/2)" and closed_form(2.0) == "2"


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
    assert main([*command, "--constant", "slope"]) == 4
    assert "constant must be one of factor, got 'slope'" in capsys.readouterr().err
