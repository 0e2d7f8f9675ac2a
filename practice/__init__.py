r"""The paper's algorithms on real tasks: `python -m practice convex|federated|fewshot|all [--quick]`.

* `datasets`: two packed data sets (`data/`), or the full collections from a folder;
* `runs`: what an experiment is, and how its units are computed, kept by seed and taken up again;
* `statistics`: paired intervals, and what a sentence's interval says;
* `tables`, `pictures`: what becomes of results: tables of docs/practice.md, figures with a csv beside each;
* `convex`, `federated`, `fewshot`: the experiments; `sentences`: the paper's sentences on trial.

An experiment is a module with `units(quick)`, `compute(unit)`, `tables(results)`, `figures(results)` and `SOURCES`, and
one line of `EXPERIMENTS`; see `runs.Experiment`. Rates are learned by the package's own `Aruba`, `Isotropic` and
`refine` (arubatheory.learners.algorithm2); there is no second body of them here.
"""

from __future__ import annotations

EXPERIMENTS = {
    "convex": "the theory's own setting: schools, lecturers, roles and pairs of digits as tasks of convex losses",
    "federated": "FedAvg on roles of Shakespeare: first rates, learned rates, personalisation",
    "fewshot": "Reptile on drawings of characters: SGD, Adam, ARUBA, ARUBA++, Isotropic",
    "sentences": "what the paper says of its experiments, on trial",
    "departures": "where the authors' code departs from Algorithm 2",
}
