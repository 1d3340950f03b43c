# make demo and make test do all set-up themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find cpp -name '*.cpp' -o -name '*.hpp') CMakeLists.txt pyproject.toml

.PHONY: dev demo test lint format docs wheel bench fuzz growth sanitize experiments clean experiments-max-cut experiments-cart-elc experiments-nominal experiments-scratch experiments-boundary experiments-summary

dev: $(VENV)/.built

$(VENV)/.tools: pyproject.toml
	@echo "Making an environment in $(VENV) with the tools of the build."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python tools/install.py --tools
	@touch $@

$(VENV)/.built: $(VENV)/.tools $(SOURCES)
	@$(BIN)/python tools/install.py dev
	@touch $@ $(VENV)/.core

# The library alone, without the tools of its developers.
$(VENV)/.core: $(VENV)/.tools $(SOURCES)
	@$(BIN)/python tools/install.py
	@touch $@

demo: $(VENV)/.core
	@$(BIN)/python -m bough demo

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run -Werror $$(find cpp tests/cpp -name '*.cpp' -o -name '*.hpp')
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n auto

format: dev
	$(BIN)/ruff check --fix-only -q . || true
	$(BIN)/ruff format -q .
	$(BIN)/clang-format -i $$(find cpp tests/cpp -name '*.cpp' -o -name '*.hpp')

# The tables of plug-ins and systems in docs/ and the README, from the registry; then the site, in which a broken link is an error.
docs: dev
	$(BIN)/python tools/docs.py
	$(BIN)/python tools/live.py
	$(BIN)/pip install -q "mkdocs-material>=9.5" "mkdocstrings[python]>=0.25"
	$(BIN)/mkdocs build --strict --quiet

# An sdist and a wheel in dist/, tried in empty environments.
wheel: $(VENV)/.tools
	$(BIN)/python tools/wheel.py

bench: dev
	$(BIN)/python -m benchmarks

# The papers' tables again, from the data sets in ../shared/data or BOUGH_DATA; FULL=1 for the published sizes.
experiments: experiments-max-cut experiments-cart-elc experiments-nominal experiments-scratch experiments-boundary

experiments-max-cut experiments-cart-elc experiments-nominal experiments-scratch experiments-boundary: experiments-%: $(VENV)/.experiments
	$(BIN)/python -m experiments.$(subst -,_,$*) $(if $(FULL),--full)

# What came of every table and figure, into experiments/README.md.
experiments-summary: $(VENV)/.built
	$(BIN)/python -m experiments.summary

$(VENV)/.experiments: $(VENV)/.built
	@$(BIN)/python tools/install.py dev experiments
	@touch $@

# The core with address, undefined and thread sanitizers, each in a build folder of its own, under a stress of everything.
sanitize: dev
	$(BIN)/python -m fuzz.sanitize --jobs 2

# Damaged files by the thousand, saves under fire, and every export of random models. The longer runs: fuzz.same, fuzz.ctrl_c and fuzz.memory.
fuzz: dev
	$(BIN)/python -m fuzz --jobs 2
	$(BIN)/python -m fuzz.saves --jobs 2
	$(BIN)/python -m fuzz.exports --jobs 2

# Time against rows, columns, classes, categories, depth and trees, for every system: no exponent beyond its documented one.
growth: dev
	$(BIN)/python -m fuzz.growth

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis
