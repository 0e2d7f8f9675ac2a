r"""Worst cases by semidefinite programming, against what is known on paper and against what search finds.

For linear losses the supremum is $r_n = (1 - n + \sqrt{n^2 + 6n + 1})/4$ (proved in verification/README.md for lazy
OGD, which is FTRL there; greedy OGD has the same bound by nonexpansiveness), and for thm:ftlaogd it
is 1 (the alternating game there). `ACCURACY` is what `solve` demands of a solution.
"""

from __future__ import annotations

import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from toy import TRUE, verdict

from arubatheory.arithmetic import exact
from arubatheory.cli import main
from arubatheory.cli.codes import AS_RECORDED, INTERNAL
from arubatheory.engines import pep_games
from arubatheory.engines import worst_case as engine
from arubatheory.engines.pep_games import ACCURACY, SolverError
from arubatheory.engines.search import search
from arubatheory.engines.verdict import Status
from arubatheory.engines.worst_case import EXACT, GAMES, UPPER, find_game, worst_case
from arubatheory.kernel import compiled, pure
from arubatheory.learners.ftl import ftl
from arubatheory.learners.ogd import aogd
from arubatheory.papers.aruba import ARUBA
from arubatheory.papers.aruba.worst_cases import LABELS, caveat
from arubatheory.problems.domains import box
from arubatheory.problems.losses import losses, total
from arubatheory.report import worst_cases
from arubatheory.report.outcome import Outcome
from arubatheory.report.page import Beside, page
from arubatheory.statements.untrusted import RecordError
from verification import worst_case as script

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = range(1, 9)
IDS = [f"{game.learner}-{game.losses}".replace(" ", "-") for game in GAMES]
RECORDED = worst_cases.TABLE.read(ROOT / worst_cases.TABLE.location(ARUBA))


def supremum(game, n):
    """What is known on paper."""
    return 1.0 if game.logarithmic else (1 - n + math.sqrt(n * n + 6 * n + 1)) / 4


# the engine ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("game", GAMES, ids=IDS)
def test_the_program_has_the_value_known_on_paper(game, n):
    found = worst_case(game.learner, game.losses, n)
    assert found.value == pytest.approx(supremum(game, n), abs=ACCURACY)
    assert (found.game, found.n, found.status, found.solver) == (game, n, "optimal", "CLARABEL")
    assert 0 <= found.residual <= ACCURACY and abs(found.gap) <= ACCURACY


@pytest.mark.parametrize("learner", ["lazy OGD", "greedy OGD", "FTRL"])
@pytest.mark.parametrize("n", ROUNDS)
def test_linear_losses_reach_the_supremum_for_all_recorded_rounds(learner, n):
    found = worst_case(learner, "linear", n)
    assert found.value == pytest.approx(supremum(found.game, n), abs=ACCURACY)


@pytest.mark.parametrize("n", [1, 2, 4, 8])
@pytest.mark.parametrize(
    "game", [g for g in GAMES if g.kind == EXACT and g.losses != "convex"], ids=lambda g: g.learner
)
def test_our_learner_attains_the_value_on_losses_made_of_the_solution(game, n):
    found = worst_case(game.learner, game.losses, n)
    assert found.rebuilt.ratio == pytest.approx(found.value, abs=1e-5)
    assert found.rebuilt.losses.a.shape == (n, found.rebuilt.comparator.size)


def test_linear_losses_are_rebuilt_as_equal_gradients_on_a_line():
    found = worst_case("lazy OGD", "linear", 4).rebuilt
    g = found.losses.a
    assert g.shape == (4, 1)
    assert g == pytest.approx(np.full_like(g, g[0, 0]), abs=1e-3)
    assert found.comparator == pytest.approx(-g.sum(axis=0) / supremum(GAMES[0], 4), abs=1e-3)


def test_a_convex_program_is_no_worse_than_a_linear_one_for_any_learner_of_thm_ftrlomd():
    """FTRL minimises the convex losses themselves, and yet linear ones are the worst: not obvious, and new here."""
    for learner in ("lazy OGD", "greedy OGD", "FTRL"):
        values = [worst_case(learner, kind, 4).value for kind in ("linear", "convex")]
        assert values[0] == pytest.approx(values[1], abs=2 * ACCURACY)


def test_the_program_sees_a_wrong_learner_and_a_wrong_class(monkeypatch):
    """The engine's own power: with four times the step, or losses less convex than the bound says, the ratio grows."""

    def hasty(nature, area):
        actions = [pep_games._nothing()]
        for loss in nature[:-1]:
            actions.append(area.project(actions[-1] - loss.oracle(actions[-1])[0] * 4))
        return actions

    right = worst_case("greedy OGD", "linear", 3).value
    monkeypatch.setitem(pep_games.LEARNERS, "greedy OGD", hasty)
    found = pep_games.solve("greedy OGD", "linear", 3, False)
    assert found.value > right + 0.1
    monkeypatch.undo()
    monkeypatch.setattr(pep_games._StronglyConvex, "alpha", 0.25)
    assert pep_games.solve("AOGD", "strongly convex", 3, True).value > 1.1


def test_the_solution_is_the_same_each_time_and_nothing_is_printed(capfd):
    first, second = (worst_case("FTRL", "convex", 3) for _ in range(2))
    assert first[:-1] == second[:-1]
    assert first.rebuilt.ratio == second.rebuilt.ratio
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("learner", "kind", "n", "error", "message"),
    [
        ("SGD", "linear", 1, ValueError, "no game of learner='SGD' and losses='linear'; there are lazy OGD on linear"),
        ("FTL", "linear", 1, ValueError, "no game of learner='FTL' and losses='linear'"),
        ("FTRL", "linear", 0, ValueError, "n must be >= 1, got 0"),
        ("FTRL", "linear", 2.0, TypeError, "n must be an integer, got 2.0"),
        ("FTRL", "linear", True, TypeError, "n must be an integer, got True"),
    ],
)
def test_bad_requests_are_named(learner, kind, n, error, message):
    with pytest.raises(error, match=message):
        worst_case(learner, kind, n)


def test_an_inaccurate_solution_is_an_error_and_no_number(monkeypatch):
    monkeypatch.setattr(pep_games, "TOLERANCES", (1e-15,))
    with pytest.raises(SolverError, match=r"CLARABEL says '\w+' of FTRL on convex losses, n = 4: no worst case"):
        worst_case("FTRL", "convex", 4)
    monkeypatch.setattr(pep_games, "TOLERANCES", (1e-2,))
    with pytest.raises(SolverError, match="CLARABEL's solution of FTRL on convex losses, n = 4 is off by"):
        worst_case("FTRL", "convex", 4)


def test_a_gram_matrix_that_is_not_semidefinite_is_a_residual():
    program = SimpleNamespace(G_value=np.diag([2.0, -0.5, 1.0]), _list_of_constraints_sent_to_wrapper=[])
    assert pep_games._residual(program) == 0.5


def test_a_second_tolerance_is_tried_when_the_first_is_out_of_reach(monkeypatch):
    monkeypatch.setattr(pep_games, "TOLERANCES", (1e-15, 1e-7))
    assert worst_case("FTRL", "convex", 4).value == pytest.approx(supremum(GAMES[0], 4), abs=ACCURACY)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(engine, "available", lambda: False)
    with pytest.raises(
        ImportError, match=r"needs PEPit, of the extra worst-case: pip install 'arubatheory\[worst-case\]'"
    ):
        worst_case("FTRL", "linear", 1)


def test_pepit_is_imported_only_when_a_program_is_solved_and_under_any_warning_filter():
    code = (
        "import sys, arubatheory.engines.worst_case as w\n"
        "assert 'PEPit' not in sys.modules and 'cvxpy' not in sys.modules\n"
        "print(round(w.worst_case('FTRL', 'linear', 2).value, 5))"
    )
    run = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (0, "0.78078\n"), done.stderr


def test_the_example_of_the_findings_prints_what_it_says(capsys):
    text = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    (block,) = [code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "worst_case" in code]
    exec(block, {})
    assert capsys.readouterr().out.strip() == re.search(r"# (0\..*)", block)[1]


# on paper ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [[1], [1] * 8, [2, 1, 3, 0.125, 5], [1e6, 1, 1e-6], list(range(1, 60))], ids=len)
def test_the_alternating_game_attains_thm_ftlaogd_exactly(alpha):
    r"""$\Theta = [-1, 1]$, $\theta_1 = 1$, slopes $2\alpha_{1:t}\theta_t$: FTL and AOGD go from end to end, and against
    $\theta_{n+1}$ the regret is $\frac12\sum_t (2\alpha_{1:t})^2/\alpha_{1:t}$ (verification/README.md)."""
    n, alpha = len(alpha), exact(np.array(alpha, dtype=float))
    ends = exact(np.array([[(-1.0) ** t] for t in range(n + 1)]))
    masses = np.cumsum(alpha)
    centers = ends[:n] - 2 * ends[:n] * (masses / alpha)[:, None]
    L = losses("linear", 0 * centers, ridge=alpha, c=centers)
    domain = box(exact(np.array([-1.0])), exact(np.array([1.0])))
    adaptive, leader = aogd(L, domain, ends[0]), ftl(L, domain, ends[0])
    assert np.all(adaptive.actions == ends[:n]) and np.all(leader.actions == ends[:n])
    squares = [max((a * (end - c)) ** 2 for end in (1, -1)) for a, c in zip(alpha, centers[:, 0], strict=True)]
    assert adaptive.values.sum() - pure(total)(L, n, ends[n]) == (squares / masses).sum() / 2


# search and the recorded table ---------------------------------------------------------------------------------------


def test_the_table_has_every_game_for_one_to_eight_rounds():
    assert [(r.label, r.learner, r.losses, r.n, r.kind, r.caveat) for r in RECORDED] == [
        (LABELS[g.learner], g.learner, g.losses, n, g.kind, caveat(g.learner, g.losses)) for g in GAMES for n in ROUNDS
    ]
    for row in RECORDED:
        assert row.sdp == pytest.approx(supremum(find_game(row.learner, row.losses), row.n), abs=2 * ACCURACY)
        assert not script.contradicts(row)
        assert (row.rebuilt is None) == (row.kind == UPPER)
        assert row.rebuilt is None or row.rebuilt == pytest.approx(row.sdp, abs=1e-5)


def test_on_record_search_reaches_99_percent_on_linear_losses():
    for row in RECORDED:
        if row.losses == "linear":
            assert row.found >= 0.99 * row.sdp, row


@pytest.mark.parametrize("row", [r for r in RECORDED if r.n <= 3], ids=lambda r: f"{r.learner}-{r.losses}-{r.n}")
def test_the_table_is_reproduced(row):
    found = worst_case(row.learner, row.losses, row.n)
    assert found.value == pytest.approx(row.sdp, abs=2 * ACCURACY)
    assert (found.game.kind, row.claimed) == (row.kind, 1.0)


@pytest.mark.parametrize("n", [1, 2, 3] if compiled() else [1])
@pytest.mark.parametrize("learner", ["lazy OGD", "greedy OGD", "FTRL"])
def test_search_comes_within_a_thousandth_of_the_program_on_linear_losses(learner, n):
    """Five digits of it were met with as little by each of four seeds."""
    game = find_game(learner, "linear")
    found = search(script.statement_of(game, n), 1_000, 1)
    value = worst_case(learner, "linear", n).value
    assert 0.999 * value <= found.worst_ratio <= value + ACCURACY


def test_the_script_writes_what_it_computed(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(script, "GAMES", GAMES[:1])
    path = tmp_path / "table.csv"
    assert script.main(["--rounds", "2", "--evaluations", "200", "--jobs", "1", "--output", str(path)]) == 0
    rows = worst_cases.TABLE.read(path)
    assert [(r.learner, r.losses, r.n, r.evaluations) for r in rows] == [("lazy OGD", "linear", n, 200) for n in (1, 2)]
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == ["learner", "losses", "n", "SDP", "rebuilt", "found", "share", "kind"]
    assert out.splitlines()[-1] == f"wrote {path}"
    before = path.read_text()
    worst_cases.TABLE.write(path, rows)
    assert path.read_text() == before


def test_a_contradiction_is_not_written(tmp_path, capsys, monkeypatch):
    wrong = RECORDED[0]._replace(found=RECORDED[0].sdp + 1e-3)
    monkeypatch.setattr(script, "rows", lambda *given: iter([wrong]))
    assert script.main(["--output", str(tmp_path / "table.csv")]) == 1
    assert "search found more than the program allows, nothing is written" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["rounds", "evaluations", "jobs"])
def test_bad_options_are_named(name, capsys):
    with pytest.raises(SystemExit):
        script.main([f"--{name}", "0"])
    assert f"{name} must be >= 1, got 0" in capsys.readouterr().err


def test_a_game_without_a_statement_is_not_searched(monkeypatch):
    monkeypatch.setattr(script, "ARUBA", replace(ARUBA, modules=()))
    assert script.statement_of(GAMES[0], 1) is None
    row = script.row(0, 1)
    assert (row.found, row.gap, row.evaluations) == (None, None, 0)


# show ----------------------------------------------------------------------------------------------------------------


def test_show_prints_claimed_computed_and_found(capsys):
    assert main(["show", "thm:ftrlomd", "--root", str(ROOT)]) == AS_RECORDED
    lines = capsys.readouterr().out.splitlines()
    heads = [i for i, line in enumerate(lines) if "SDP worst case" in line]
    assert len(heads) == 6
    assert lines[heads[0] - 1].strip() == "FTRL, linear losses (exact class)"
    assert lines[heads[0]].split() == ["n", "claimed", "SDP", "worst", "case", "worst", "found", "gap"]
    first = lines[heads[0] + 1].split()
    assert first[:3] == ["1", "1", "0.707107"] and float(first[3]) >= 0.7
    assert any("again: python -m verification.worst_case" in line for line in lines)


def test_show_without_the_table_says_nothing_of_it(tmp_path, capsys):
    assert main(["show", "thm:ftrlomd/omd", "--root", str(tmp_path)]) == AS_RECORDED
    assert "SDP" not in capsys.readouterr().out


def test_the_page_shows_the_table_with_its_statement():
    statement = replace(TRUE, label="thm:ftlaogd/aogd")
    rows = [row for row in RECORDED if row.label == statement.label and row.n == 1]
    outcome = Outcome(statement, verdict(statement.label, Status.SURVIVED))
    text = page([outcome], Beside(ARUBA, worst={statement.label: rows}))
    ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    assert "Worst ratio regret/bound in n rounds" in text and "&lt;= 1.000000" in text
    assert "Worst ratio regret/bound" not in page([outcome], Beside(ARUBA))


HEADER = "label,learner,losses,n,claimed,sdp,kind,rebuilt,found,evaluations,caveat,gap\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("label\n", "has no column learner, losses"),
        (f"{HEADER}a,b,c,one,1,1,{EXACT},1,1,1,,0\n", "row 1: invalid literal for int"),
        (f"{HEADER}a,b,c,1,1,,{EXACT},1,1,1,,0\n", "row 1: could not convert string to float"),
        (f"{HEADER}a,b,c,1,1,1,guess,1,1,1,,0\n", "row 1: unknown kind 'guess'"),
    ],
)
def test_a_bad_table_is_named(text, message, tmp_path, capsys):
    path = tmp_path / worst_cases.TABLE.location(ARUBA)
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(RecordError, match=message):
        worst_cases.TABLE.by_label(path)
    assert main(["show", "thm:ftrlomd/omd", "--root", str(tmp_path)]) == INTERNAL
    assert message in capsys.readouterr().err


def test_a_ratio_below_one_is_never_shown_as_one():
    assert [worst_cases.ratio(x) for x in (0.99999999, 1.0, 0.7071068, None)] == [
        "0.999999",
        "1.000000",
        "0.707107",
        "-",
    ]


def test_a_row_survives_json():
    for row in RECORDED[:3]:
        assert worst_cases.TABLE.from_json(worst_cases.TABLE.to_json(row)) == row
