"""check, search and exact on statements whose truth is known."""

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from toy_statements import ALL, BROKEN_GENERATOR, CRASHES, FALSE, MEANS, NEVER_COUNTS, TRUE, UNDEFINED

from arubatheory.arithmetic import Exact, ball
from arubatheory.engines.check import check
from arubatheory.engines.climb import fold
from arubatheory.engines.evaluation import evaluated, nearness
from arubatheory.engines.exact import BrokenAssumption, certify
from arubatheory.engines.rate import rate
from arubatheory.engines.search import search
from arubatheory.engines.simulate import simulate
from arubatheory.engines.trial import Record
from arubatheory.engines.units import run_unit, units_of
from arubatheory.engines.verdict import SENTENCES, Status
from arubatheory.problems.draw import GRID, RandomDraw, Tape, TapeDraw
from arubatheory.statements.core import Assumption, Columns, Instance, Sides, Statement, all_sides
from arubatheory.statements.effort import Effort


@pytest.mark.parametrize("engine, budget", [(check, 300), (search, 3000)])
def test_true_claim_survives_with_its_ties(engine, budget):
    verdict = engine(TRUE, budget, 1)
    assert verdict.status == Status.SURVIVED
    assert verdict.trials >= 100 and verdict.ties > 0
    assert verdict.worst_ratio == pytest.approx(1, abs=1e-12)
    assert verdict.simplest is None and verdict.worst is not None
    assert sum(verdict.histogram) == verdict.trials


@pytest.mark.parametrize("engine, budget", [(check, 300), (search, 3000)])
def test_false_claim_is_refuted_by_exact_arithmetic(engine, budget):
    verdict = engine(FALSE, budget, 1)
    assert verdict.status == Status.REFUTED and verdict.kind == "violation"
    assert verdict.simplest.certified == "violated" and verdict.worst.certified == "violated"
    assert verdict.simplest.bits == 0, "the arithmetic stayed rational"
    assert verdict.worst_ratio == pytest.approx(10 / 9, rel=1e-12)


def test_check_shrinks_to_the_simplest_witness():
    witness = check(FALSE, 300, 1).simplest
    assert witness.tape == {"integers": [1], "units": [GRID, GRID]}
    assert witness.instance == {"x": {"array": ["1"], "shape": [1]}, "y": {"array": ["1"], "shape": [1]}}
    assert (witness.lhs, witness.rhs) == ("1", "9/10")


def test_an_integer_is_simplified_to_the_least_that_refutes():
    at_most_4 = Statement("toy:n", "claim", "n", lambda draw: Instance(n=draw.integer(0, 7)), lambda i: Sides(i.n, 4))
    witness = search(at_most_4, 200, 0).simplest
    assert witness.tape["integers"] == [5] and witness.lhs == "5"


@pytest.mark.parametrize("engine, budget", [(check, 200), (search, 1000)])
def test_a_side_without_a_real_value_is_a_finding(engine, budget):
    verdict = engine(UNDEFINED, budget, 1)
    assert verdict.status == Status.REFUTED and verdict.kind == "undefined"
    assert verdict.simplest.certified == "undefined" and "logarithm" in verdict.simplest.note
    assert verdict.worst.certified == "undefined", "an instance on which the claim holds is no witness against it"
    assert verdict.worst_ratio is None


@pytest.mark.parametrize("engine", [check, search])
def test_a_generator_that_breaks_its_assumption_is_an_error(engine):
    with pytest.raises(BrokenAssumption, match=r"toy:broken-generator.*x\\\\ge0.*margin"):
        engine(BROKEN_GENERATOR, 200, 1)


@pytest.mark.parametrize("name", BROKEN_GENERATOR.engines)
@pytest.mark.parametrize("statement", [BROKEN_GENERATOR, CRASHES])
def test_a_crash_is_an_error_verdict_and_nothing_else(statement, name):
    unit = next(units_of(statement, Effort((name,), 100)))
    verdict, seconds = run_unit(statement, unit)
    assert verdict.status == Status.ERROR and verdict.error and seconds >= 0


def test_trials_that_do_not_count_leave_the_verdict_idle():
    verdict = search(NEVER_COUNTS, 500, 1)
    assert (verdict.status, verdict.trials, verdict.evaluations) == (Status.IDLE, 0, 500)


def test_fewer_than_100_trials_are_idle():
    assert search(TRUE, 90, 1).status == Status.IDLE


@pytest.mark.parametrize("engine, budget", [(check, 150), (search, 1500)])
@pytest.mark.parametrize("statement", [TRUE, FALSE, MEANS])
def test_same_seed_same_verdict(statement, engine, budget):
    first = engine(statement, budget, 7)
    random.seed(5)
    np.random.seed(5)
    assert engine(statement, budget, 7) == first
    if statement is TRUE:
        assert engine(statement, budget, 8) != first


def test_balls_certify_what_is_irrational_and_leave_ties_undecided():
    violated = Statement("toy:means-false", "claim", "x", MEANS.instance, lambda i: MEANS.sides(i)._replace(rhs=i.a))
    verdict = check(violated, 300, 1)
    assert verdict.status == Status.REFUTED
    tie = certify(MEANS, Tape([], [GRID // 2 + 1, GRID // 2 + 1]), 256)
    assert tie.outcome == "tie" and tie.bits == 0, "the root of a square is rational"


def test_of_several_inequalities_that_hold_the_tightest_is_kept():
    several = Statement(
        "toy:several",
        "claim",
        "x",
        lambda d: Instance(n=d.integer(3, 5)),
        lambda i: [Sides(-i.n, 0), Sides(1, i.n), Sides(i.n - 1, i.n), Sides(1, i.n)],
    )
    assert certify(several, Tape([4], [])).sides[:2] == (3, 4)


def test_precision_doubles_until_decided_and_stops_at_its_limit():
    def close(bits):
        def sides(i):
            root = Exact(2).sqrt()
            return Sides(root * root, Exact(2) - Exact(Fraction(1, 2**bits)))

        return Statement("toy:close", "claim", "x", MEANS.instance, sides)

    tape = Tape([], [0, 0])
    assert certify(close(100), tape).bits == 128
    decided = certify(close(600), tape)
    assert decided.outcome == "violated" and decided.bits == 1024
    undecided = certify(close(600), tape, 512)
    assert undecided.outcome == "undecided" and undecided.bits == 512
    given_up = certify(close(10_000), tape)
    assert given_up.outcome == "undecided" and given_up.bits == 4096


def test_precision_does_not_double_where_balls_stay_as_wide():
    """What a solver encloses is no narrower in more bits; one ball beside it that may still decide is waited for."""

    def bits(*more):
        sides = [Sides(ball(2, 1), Exact(2)), *more]
        return certify(Statement("toy:solved", "claim", "x", MEANS.instance, lambda i: sides), Tape([], [0, 0])).bits

    narrowing = Statement("toy:both", "claim", "x", MEANS.instance, lambda i: [Sides(ball(2, 1), 2), _root_of_two()])
    assert bits() == bits(Sides(Exact(1), Exact(2))) == 512
    assert certify(narrowing, Tape([], [0, 0])).bits == 4096


def _root_of_two():
    root = Exact(2).sqrt()
    return Sides(root * root, Exact(2))


def test_an_apparent_violation_that_exact_arithmetic_rejects_is_overruled():
    """sqrt(x)^2 - x <= 0: floats see violations of the size of rounding, exact arithmetic none."""

    def sides(i):
        root = i.x.sqrt() if hasattr(i.x, "sqrt") else np.sqrt(i.x)
        return Sides(root * root - i.x, i.x * 0)

    statement = Statement("toy:overruled", "claim", "x", lambda d: Instance(x=d.unit()), sides)
    verdict = search(statement, 2000, 1)
    assert verdict.status == Status.SURVIVED and verdict.overruled > 0


def test_undecided_apparent_violations_are_suspect():
    def sides(i):
        return Sides(ball(2, 1) if isinstance(i.x, Exact) else 2, 1 + Exact(0) if isinstance(i.x, Exact) else 1)

    statement = Statement("toy:suspect", "claim", "x", lambda d: type(MEANS.instance(d))(x=d.real()), sides)
    assert check(statement, 150, 1).status == Status.SUSPECT


def planted(claim, lhs, rhs):
    """x, y in [0, 1] and two sides made of them."""
    return Statement(
        "toy:planted", "claim", claim, lambda d: Instance(x=d.unit(), y=d.unit()), lambda i: Sides(lhs(i), rhs(i))
    )


@pytest.mark.parametrize("delta", [10**7, 10**10, 10**12])
def test_violations_a_little_above_rounding_are_found(delta):
    """x + y <= (|x| + |y|)(1 - delta): everywhere false, by very little."""
    statement = planted("x", lambda i: i.x + i.y, lambda i: (abs(i.x) + abs(i.y)) * (delta - 1) / delta)
    assert check(statement, 100, 1).status == search(statement, 500, 1).status == Status.REFUTED


def test_a_branch_that_is_undecided_supports_no_nomination():
    """(sqrt x)^2 is compared with x inside the sides: floats take the branch that breaks the claim, balls none."""

    def lhs(i):
        root = i.x.sqrt() if hasattr(i.x, "sqrt") else np.sqrt(i.x)
        return i.y if root * root <= i.x else i.y + 1

    for engine, budget in ((check, 300), (search, 2000)):
        verdict = engine(planted("x", lhs, lambda i: 1), budget, 1)
        assert verdict.status == Status.SURVIVED and verdict.overruled > 0


def test_what_floats_make_of_zero_over_zero_is_no_worst_case():
    """x/2 <= x, and in every other instance noise <= noise, of any ratio in floats and 0 <= 0 exactly."""

    def noise(x):
        roots = np.array([u.sqrt() for u in x]) if x.dtype == object else np.sqrt(x)
        return sum((roots * roots - x) * np.arange(1, 9))

    def sides(i):
        return Sides(noise(i.x), noise(i.y)) if i.n else Sides(i.x[0], 2 * i.x[0])

    statement = Statement(
        "toy:noise", "claim", "x", lambda d: Instance(x=d.unit(8), y=d.unit(8), n=d.integer(0, 1)), sides
    )
    for engine, budget in ((check, 300), (search, 2000)):
        verdict = engine(statement, budget, 1)
        assert (verdict.status, verdict.worst_ratio, verdict.measure) == (Status.SURVIVED, 0.5, "lhs/rhs")


def test_a_third_member_of_sides_is_ignored():
    plain, scaled = (replace(TRUE, sides=lambda i, more=m: Sides(*TRUE.sides(i)[:2], *more)) for m in ((), (1e30,)))
    assert search(plain, 500, 1) == search(scaled, 500, 1)


def test_search_ends_at_its_first_certified_violation_if_asked():
    verdict = search(FALSE, 5000, 1, first=True)
    assert verdict.status == Status.REFUTED and verdict.simplest.certified == "violated"
    assert 1 <= verdict.evaluations < 100 < search(FALSE, 5000, 1).evaluations < 5000
    assert search(TRUE, 5000, 1).evaluations == 5000
    assert search(TRUE, 200, 1, first=True) == search(TRUE, 200, 1)
    with pytest.raises(TypeError, match="first must be True or False, got 1"):
        search(TRUE, 200, 1, first=1)


def nonnegative(lhs):
    r"""$0 \le \mathrm{Tr}(ABC)$ of positive definite 2 x 2 matrices, which is false; `lhs` makes its left side."""

    def sides(i):
        return Sides(lhs(i.A[0, 0]), (i.A @ i.B @ i.C).trace())

    def instance(draw):
        return Instance(A=draw.spd(2, -2, 2), B=draw.spd(2, -2, 2), C=draw.spd(2, -2, 2))

    return Statement(label="toy:trace", kind="claim", latex="x", instance=instance, sides=sides)


@pytest.mark.parametrize("lhs", [lambda a: 0 * a, lambda a: 0 * a - Fraction(1, 100)], ids=["zero", "negative"])
def test_search_climbs_where_no_left_side_is_positive(lhs):
    """The ratio is 0 throughout, or best where the right side is largest; in units of their own, sides may be small."""
    found = [search(nonnegative(lhs), 2500, seed, first=True).status is Status.REFUTED for seed in range(4)]
    assert sum(found) >= 2  # by the ratio alone: one of the first three for zero, none for negative


def test_nearness_knows_no_units():
    rng, statement = np.random.default_rng(0), nonnegative(lambda a: 0 * a)
    for _ in range(20):
        here = statement.instance(RandomDraw(rng))
        large, small = (
            nearness(statement, Instance(A=here.A * scale, B=here.B, C=here.C)) for scale in (2**30, 2**-30)
        )
        assert large < 0 and 1e-3 < large / small < 1e3
    assert nearness(nonnegative(lambda a: 9**9 + a), here) is None


def test_search_beats_chance():
    """A narrow ridge: random draws see at most a few percent of it, the climb reaches its top."""

    def instance(draw):
        return type(MEANS.instance(draw))(x=draw.real(-1, 1, 6))

    def sides(i):
        distance = sum((i.x - 1 / 3) ** 2) if i.x.dtype != object else sum((i.x - Exact(Fraction(1, 3))) ** 2)
        return Sides(1 / (1 + 100 * distance), 1 + distance * 0)

    statement = Statement("toy:ridge", "claim", "x", instance, sides)
    blind = Record(statement, "search", 0)
    rng = np.random.default_rng(0)
    for _ in range(4000):
        blind.evaluate(RandomDraw(rng))
    assert blind.worst < 0.5
    assert search(statement, 4000, 0).worst_ratio > 0.98


def test_fold_reflects_into_the_cube():
    assert fold(np.array([-0.25, 0.5, 1.25, 2.0])) == [0.25, 0.5, 0.75, 0.0]


def test_every_status_has_a_sentence():
    assert set(SENTENCES) == set(Status)


@pytest.mark.parametrize("statement", ALL, ids=lambda s: s.label)
def test_exact_and_float_instances_are_the_same(statement):
    draw = RandomDraw(np.random.default_rng(3))
    floats = statement.instance(draw)
    exact = statement.instance(TapeDraw(draw.tape, exact=True))
    assert vars(floats).keys() == vars(exact).keys()


@pytest.mark.parametrize("name, value", [("label", ""), ("label", "two words"), ("latex", " "), ("kind", "")])
def test_statement_rejects_bad_text(name, value):
    good = {"label": "x:y", "kind": "claim", "latex": "x", "instance": MEANS.instance, "sides": MEANS.sides}
    with pytest.raises(ValueError, match=name):
        Statement(**{**good, name: value})


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"engines": ("chek",)}, ValueError, r"engines must be some of check, .*, prove, got \('chek',\)"),
        ({"engines": ()}, ValueError, "engines must be some of"),
        ({"engines": "check"}, TypeError, "engines must be a tuple of strings, got 'check'"),
        ({"engines": ("rate",)}, ValueError, "growth must be given for the engine rate, got None"),
        ({"engines": ("simulate",)}, ValueError, "chance must be given for the engine simulate, got None"),
        ({"uses": "lem:one"}, TypeError, "uses must be a tuple of strings, got 'lem:one'"),
        ({"corrects": ["lem:one"]}, TypeError, "corrects must be a tuple of strings"),
        ({"assumptions": ((r"x\ge0", abs),)}, TypeError, "assumptions must be a tuple of Assumption values"),
    ],
)
def test_statement_rejects_fields_that_would_be_misread(given, error, message):
    with pytest.raises(error, match=message):
        Statement("x:y", "claim", "x", MEANS.instance, MEANS.sides, **given)


def leaking(lhs, rhs):
    return Statement(
        "toy:leak", "claim", r"\sqrt n^2\le n", lambda d: Instance(n=d.integer(3, 5)), lambda i: Sides(lhs(i), rhs(i))
    )


@pytest.mark.parametrize("engine", [check, search])
@pytest.mark.parametrize(
    ("lhs", "rhs"),
    [
        (lambda i: np.sqrt(i.n) ** 2, lambda i: i.n),
        (lambda i: 0, lambda i: np.sqrt(i.n) ** 2 - i.n),
        (lambda i: 0.1 + 0.2, lambda i: 0.3),
    ],
)
def test_floats_among_the_exact_sides_never_refute(engine, lhs, rhs):
    """The true claim (sqrt n)^2 <= n breaks in floats, and an integer of an instance stays one in the exact run."""
    with pytest.raises(TypeError, match="toy:leak: a side left exact arithmetic, got the float"):
        engine(leaking(lhs, rhs), 200, 1)


def test_search_meets_what_fails_in_exact_arithmetic_before_it_spends_its_budget():
    played = []

    def sides(i):
        played.append(i)
        return Sides(0.5 * i.x, 3)

    claim = Statement(label="toy:half", kind="claim", latex="x", instance=lambda d: Instance(x=d.real()), sides=sides)
    with pytest.raises(TypeError, match="an Exact does not mix with float"):
        search(claim, 1000, 0)
    assert len(played) == 1


@pytest.mark.parametrize("engine", [check, search])
def test_a_margin_that_is_no_number_does_not_hold(engine):
    statement = replace(TRUE, assumptions=(Assumption("m", lambda i: float("nan")),))
    with pytest.raises(BrokenAssumption, match="margin nan"):
        engine(statement, 200, 1)


@pytest.mark.parametrize("engine", [check, search, rate, simulate])
@pytest.mark.parametrize(
    ("budget", "seed", "name"),
    [
        (0, 0, "budget"),
        (-5, 0, "budget"),
        (1.5, 0, "budget"),
        (100, -1, "seed"),
        (100, 1.5, "seed"),
        (100, True, "seed"),
    ],
)
def test_an_engine_wants_a_budget_and_a_seed(engine, budget, seed, name):
    with pytest.raises(ValueError, match=f"{name} must be an integer >= "):
        engine(TRUE, budget, seed)
    with pytest.raises(TypeError, match="statement must be a Statement, got None"):
        engine(None, 100, 0)


def test_statement_rejects_what_cannot_be_called():
    with pytest.raises(ValueError, match="sides must be given for the engine check, got None"):
        Statement("x:y", "claim", "x", MEANS.instance)
    with pytest.raises(TypeError, match="sides must be callable, got 3"):
        Statement("x:y", "claim", "x", MEANS.instance, 3)


def test_all_sides_is_always_a_tuple():
    several = Statement("x:y", "claim", "x", MEANS.instance, lambda i: [Sides(0, 1), Sides(1, 2)])
    assert all_sides(several, Instance()) == (Sides(0, 1), Sides(1, 2))


@pytest.mark.parametrize(("engine", "most"), [(check, 1.0), (search, 0.5)], ids=["check", "search"])
def test_check_looks_at_the_margins_of_all_and_search_at_those_of_some(engine, most):
    """Of the first, of one in 16 and of each that is worse than all before: all true instances, so few are."""
    asked = []

    def margin(i):
        asked.append(1)
        return i.x[0] * i.x[0] + 1

    verdict = engine(replace(TRUE, assumptions=(Assumption(r"x_1^2+1\ge0", margin),)), 2000, 1)
    looked = len(asked) / verdict.evaluations
    assert looked >= 1 if most == 1 else 1 / 16 < looked < most


def test_many_inequalities_are_compared_as_one_by_one():
    odd = [0.0, -0.0, 1.0, 1.0 + 2.0**-41, 1.0 + 2.0**-39, -1.0, 1e-320, 1e308, -1e308, math.inf, -math.inf, math.nan]
    pairs = list(itertools.product(odd, odd))
    for some in (pairs, *([pair] for pair in pairs), *itertools.combinations(pairs[::5], 2)):
        several = Columns(np.array([a for a, _ in some]), np.array([b for _, b in some]))
        toy = [Statement("t", "claim", "x", any_draw, lambda i, s=s: s) for s in (several, tuple(several))]
        with np.errstate(all="ignore"):
            at_once, in_turn = (evaluated(one, Instance()) for one in toy)
        assert at_once == in_turn


def any_draw(draw):
    return Instance()
