# `make demo` and `make test` are all a new machine needs: Python 3.11 and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test slow lint types contracts benchmarks clean

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "eyelog needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) -e '.[service]'
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) -e '.[all,test]'
	@touch $@ $(VENV)/.demo

$(VENV)/.dev: $(VENV)/.test
	$(PIP) -e '.[dev]'
	@touch $@

demo: $(VENV)/.demo ## install, then run the main job on the embedded service
	$(BIN)/eyelog demo --output demo-output

test: $(VENV)/.test ## install what tests need, then run them all, notebooks included
	$(BIN)/python -m pytest -q -n auto -m "not slow"
	$(BIN)/python -m pytest -q --nbval notebooks

slow: $(VENV)/.dev ## the long tests: kills, many seeds, long fuzzing
	$(BIN)/python -m pytest -q -n auto -m slow

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

contracts: $(VENV)/.dev
	$(BIN)/lint-imports

benchmarks: $(VENV)/.dev ## measured ratios, printed; not part of the tests
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) build dist demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis
