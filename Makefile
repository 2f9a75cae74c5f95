# Everything runs from an environment of its own in .venv, made with the newest Python found.
# `make` alone lists the targets.

VENV  := .venv
BENCH := .venv-bench
BIN   := $(VENV)/bin

# Left empty: the server's own defaults and SIM_HOST, SIM_PORT, SIM_WORKERS hold.
HOST =
PORT =
WORKERS =
# More for JupyterLab, such as LAB_FLAGS="--no-browser --port=9999".
LAB_FLAGS ?=

FIND_PYTHON = for name in python3.14 python3.13 python3.12 python3.11 python3; do \
	if $$name -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	echo $$name; break; fi; done
PYTHON = $(shell $(FIND_PYTHON))
INSTALL = -m pip install --quiet --disable-pip-version-check

# The address shown opens the first notebook, too; nothing asks the network for news, updates or extensions.
LAB_OPTIONS = --LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb --LabApp.extension_manager=readonly \
	--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate \
	--LanguageServerManager.autodetect=False $(if $(filter 0,$(shell id -u)),--allow-root)
# Signatures, runtime files and window layouts of the notebook application stay in the environment.
JUPYTER_HOME = JUPYTER_DATA_DIR="$(CURDIR)/$(VENV)/share/jupyter/own" \
	JUPYTERLAB_WORKSPACES_DIR="$(CURDIR)/$(VENV)/share/jupyter/own/workspaces"

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help lab serve test lint format notebooks bench llm-eval clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

lab: $(VENV)/.lab $(VENV)/.trusted ## open the notebooks in JupyterLab
	@$(JUPYTER_HOME) $(BIN)/jupyter lab $(LAB_OPTIONS) $(LAB_FLAGS)

serve: $(VENV)/.base ## run the HTTP service; HOST=, PORT=, WORKERS=
	@$(BIN)/python -m server $(if $(HOST),--host $(HOST)) $(if $(PORT),--port $(PORT)) $(if $(WORKERS),--workers $(WORKERS))

test: $(VENV)/.dev ## run all tests: code, examples in docstrings, notebooks
	@$(BIN)/python -m pytest

lint: $(VENV)/.dev ## check style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(VENV)/.dev ## format the code and mend what can be mended
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

notebooks: $(VENV)/.dev ## run the notebooks and store their outputs
	@$(BIN)/python tests/refresh_notebooks.py

bench: $(BENCH)/.made ## compare the speed with other packages, into tests/bench/RESULTS.md
	@$(BENCH)/bin/python tests/bench/bench_codec.py

llm-eval: $(VENV)/.dev ## score real language models that are configured
	@$(BIN)/python tests/llm/evaluate.py

clean: ## remove the environments and everything else that was made
	rm -rf $(VENV) $(BENCH) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find sim server tests notebooks \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +

$(VENV)/bin/python $(BENCH)/bin/python:
	@if [ -z "$(PYTHON)" ]; then \
	echo "Python 3.11 or newer, with venv, is needed and was not found." >&2; \
	echo "Debian, Ubuntu: apt-get install python3-venv; macOS: brew install python; or make PYTHON=..." >&2; \
	exit 1; fi
	@echo "Making $(@D) with $(PYTHON)"
	@"$(PYTHON)" -m venv --clear $(@D:/bin=)

$(VENV)/.base: $(VENV)/bin/python pyproject.toml
	@echo "Installing the toolkit into $(VENV)"
	@$(BIN)/python $(INSTALL) -e .
	@touch $@

$(VENV)/.lab: $(VENV)/bin/python pyproject.toml binder/overrides.json
	@echo "Installing the toolkit and JupyterLab into $(VENV) (a minute or two)"
	@$(BIN)/python $(INSTALL) -e '.[lab]'
	@mkdir -p $(VENV)/share/jupyter/lab/settings
	@cp binder/overrides.json $(VENV)/share/jupyter/lab/settings/
	@touch $(VENV)/.base $@

# Stored tables and panels of a notebook are shown at once only where it is trusted.
$(VENV)/.trusted: $(VENV)/.lab $(wildcard notebooks/*.ipynb)
	@$(JUPYTER_HOME) $(BIN)/jupyter trust notebooks/*.ipynb >/dev/null
	@touch $@

$(VENV)/.dev: $(VENV)/.lab
	@echo "Installing what the tests need into $(VENV)"
	@$(BIN)/python $(INSTALL) -e '.[lab,dev]'
	@touch $@

$(BENCH)/.made: $(BENCH)/bin/python pyproject.toml
	@echo "Installing the toolkit and the packages to compare with into $(BENCH)"
	@$(BENCH)/bin/python $(INSTALL) -e . 'pyiso8583>=4' iso8583sim
	@touch $@
