# Every verb of the repository. `make up` and `make test` work on a fresh machine with Python 3.11.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
# Tests start hundreds of processes: what Python compiles is kept, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install up agent test test-azure test-kubernetes check format crash simulate fuzz bench

help:                ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

install: $(STAMP)    ## make the environment in .venv
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable . --group dev
	@touch $@

up: install          ## start Forewarn with a small sample fleet; Ctrl-C stops it
	@$(BIN)/forewarn up

agent:               ## the agent in one file, dist/forewarn-agent.pyz, for machines with Python 3.11 and nothing else
	$(PYTHON) deploy/pack_agent.py

test: check          ## every gate and every test
	$(BIN)/python -m tests.portal.browser.installing
	$(BIN)/python -m pytest -n 4 --dist worksteal -m 'not azure and not kubernetes'

test-azure: install  ## the real Azure CLI against a whole Forewarn; installed once, outside the checkout
	$(BIN)/python -m tests.azure.installing
	$(BIN)/python -m pytest -n 2 -m azure tests/azure

test-kubernetes: install  ## a real kube-apiserver and etcd; built once, outside the checkout
	$(BIN)/python -m tests.kubernetes.installing
	$(BIN)/python -m pytest -n 2 -m kubernetes tests/kubernetes

check: install       ## format, lint, types, architecture
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install      ## rewrite the code in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

crash: install       ## the long form of the crash tests: power cuts at every write, hundreds of SIGKILLs
	$(BIN)/python -m tests.crash

simulate: install    ## the deterministic simulation; SEEDS=N for any number of seeds
	$(BIN)/python -m forewarn.testing.simulation --seeds $(or $(SEEDS),2000)

fuzz: install        ## mutated requests against the metadata service; REQUESTS=N
	$(BIN)/python -m tests.fuzz --requests $(or $(REQUESTS),1000000)

bench: install       ## the speed figures, as ratios against named peers
	$(BIN)/python -m bench
