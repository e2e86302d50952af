# bglab: `make lab` opens the notebooks, `make test` checks everything; `make help` lists the rest.

PYTHON ?= python3
WORKERS ?= 2
PYTEST_ARGS ?=
LAB_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALL := $(PIP) install --constraint constraints.txt
PINS := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help lab test lint format notebooks cuda clean
.DELETE_ON_ERROR:

help: ## list the targets and variables
	@awk -F ' *:[^#]*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo '  PYTHON=python3.12 chooses the interpreter of a new environment; WORKERS=1 runs the tests in one process;'
	@echo '  PYTEST_ARGS="-k name" is handed to pytest, LAB_ARGS="--no-browser --port 8899" to JupyterLab.'

lab: $(VENV)/lab.stamp ## install, then open JupyterLab on the start notebook
	@$(BIN)/jupyter trust notebooks/*.ipynb >/dev/null
	$(BIN)/bglab lab $(LAB_ARGS)

test: lint ## lint, check layers and types, then run every test
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

lint: $(VENV)/test.stamp ## style, import layers and types only
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --cache-dir .cache/import-linter
	$(BIN)/mypy

format: $(VENV)/test.stamp ## rewrite the sources in the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

notebooks: $(VENV)/lab.stamp ## run every notebook again and store what it shows
	$(BIN)/jupytext --quiet --set-kernel python3 --sync notebooks/*.py
	$(BIN)/python -m bglab.lab.execute notebooks/*.ipynb
	$(BIN)/jupytext --quiet --sync notebooks/*.py

cuda: $(VENV)/lab.stamp ## add JAX's CUDA plugin for an NVIDIA GPU
	$(INSTALL) --no-build-isolation --editable '.[lab,cuda]'

clean: ## remove the environment, caches and build leftovers
	rm -rf $(VENV) .cache .hypothesis build dist *.egg-info
	find bglab tests notebooks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

$(VENV)/venv.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo 'bglab needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11 ...' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	    { echo 'This Python cannot make virtual environments; install the venv package of your system (Debian: apt-get install python3-venv).' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/pip.stamp: $(VENV)/venv.stamp $(PINS)
	$(INSTALL) pip hatchling editables
	@touch $@

$(VENV)/lab.stamp: $(VENV)/pip.stamp
	$(INSTALL) --no-build-isolation --editable '.[lab]'
	@touch $@

$(VENV)/test.stamp: $(VENV)/pip.stamp
	$(INSTALL) --no-build-isolation --editable '.[test]'
	@touch $(VENV)/lab.stamp $@
