# Everything runs in .venv, which the first target that needs it makes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := dialects interpreters frontends lowering runtime
CODE := $(SOURCES) xrelay tests lit benchmarks docs examples

.DEFAULT_GOAL := help
.PHONY: help demo test lit lint bench docs clean plugin

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-8s %s\n", $$1, $$2 }'

$(STAMP): pyproject.toml examples/plugin/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "xrelay needs Python 3.11 or later: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip setuptools
	$(BIN)/python -m pip install --quiet -e '.[test,demo]'
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps -e examples/plugin
	@touch $@

demo: $(STAMP)  ## compile a real model, run it, show the result beside onnxruntime's
	$(BIN)/python examples/demo.py

test: lint lit plugin  ## all checks: ruff, pyright, lit, pytest; what CI runs
	$(BIN)/python -m pytest -n 2 tests

plugin: $(STAMP)  ## the example plugin's own tests
	$(BIN)/lit -q examples/plugin/lit
	$(BIN)/python -m pytest examples/plugin/tests

lit: $(STAMP)  ## the textual tests of dialects and passes
	$(BIN)/lit -q lit

# pyright reads no package-dir: build/typecheck shows it every module under its import name.
lint: $(STAMP)  ## ruff and pyright
	@rm -rf build/typecheck
	@find $(SOURCES) xrelay -name '*.py' | while read -r file; do \
		link="build/typecheck/xrelay/$${file#xrelay/}"; \
		mkdir -p "$$(dirname "$$link")" && ln -s "$(CURDIR)/$$file" "$$link"; done
	$(BIN)/ruff check $(CODE)
	$(BIN)/pyright --pythonpath $(BIN)/python

bench: $(STAMP)  ## xrelay beside onnxruntime: medians and ratios
	$(BIN)/python benchmarks/bench.py

docs: $(STAMP)  ## write docs/operators.md anew
	$(BIN)/python docs/generate_operators.py

clean:  ## remove everything that make made
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
	find . -name '*.egg-info' -prune -exec rm -rf {} +
