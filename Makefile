# `make demo` and `make test` need Python 3.11 or newer with pip and venv, and make; everything else they fetch.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO ?= rallypoint-demo
READY := $(VENV)/ready

EXTENSION := adapters/rallypoint_owlbear/extension

.PHONY: demo test lint types imports extension bench bench-peers clean

demo: $(READY)            ## muster the example platoon and export it
	$(BIN)/rallypoint demo -o $(DEMO)

test: lint types imports  ## everything that must hold
	$(BIN)/python -m pytest -n 2 -q

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy core plugins adapters bench examples tests

imports: $(READY)
	$(BIN)/lint-imports

extension:                ## the page that runs in Owlbear Rodeo, and what drives a browser in its tests; needs npm
	cd $(EXTENSION) && npm ci --no-audit --no-fund --silent && npm run --silent check && npm run --silent build
	cd tests/owlbear_browser && npm ci --no-audit --no-fund --silent

bench: $(READY)           ## the speed table
	$(BIN)/python -m bench

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group test --group lint --group bench
	touch $(READY)

bench-peers:              ## boardgame.io, for make bench; needs npm
	cd bench/peers && npm install --no-audit --no-fund --no-package-lock

clean:
	rm -rf $(VENV) adapters/rallypoint_owlbear/link/bundle build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
