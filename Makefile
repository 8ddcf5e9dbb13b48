# A new machine needs Python 3.11 and make; `make help` lists the targets.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: help demo test slow docs lint types contracts versions benchmarks clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/\1\t\2/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "eyelog needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) -e '.[service]'
	@touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) 'pip>=25.1' # supports dependency groups, also in an environment that was made by hand
	$(PIP) -e '.[all]' --group test
	@touch $@ $(VENV)/.demo

$(VENV)/.dev: $(VENV)/.test
	$(PIP) -e '.[all,s3]' --group dev
	@touch $@

$(VENV)/.docs: $(VENV)/.test
	$(PIP) --group docs
	@touch $@

demo: $(VENV)/.demo ## install eyelog, then run the main job on the embedded service
	$(BIN)/eyelog demo --output demo-output
	@echo 'In this terminal and each new one, first: . $(BIN)/activate'

test: $(VENV)/.test ## install what the tests need, then run them, notebooks included
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow"
	TQDM_DISABLE=1 $(BIN)/python -m pytest -q -n auto --dist loadfile --nbval --nbval-sanitize-with notebooks/nbval.cfg notebooks

slow: $(VENV)/.dev ## the long tests: kills, many seeds, long fuzzing
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m slow

docs: $(VENV)/.docs ## build the documentation site, warnings as errors: docs/_build/html
	$(BIN)/sphinx-build --quiet --jobs auto --fail-on-warning --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

lint: $(VENV)/.dev ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev ## mypy, strict
	$(BIN)/mypy

contracts: $(VENV)/.dev ## import-linter: imports point down
	$(BIN)/lint-imports

versions: $(VENV)/.dev ## the wheel with the lowest, a hosted notebook's and the newest versions, and without extras
	.ci/versions

benchmarks: $(VENV)/.dev ## print the measured ratios; not part of the tests
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

clean: ## remove the virtual environment, builds and caches
	rm -rf $(VENV) build dist demo-output docs/_build docs/_results docs/figures \
		docs/reference/api docs/reference/made .hypothesis .import_linter_cache \
		.mypy_cache .pytest_cache .ruff_cache
