# Every target sets itself up: the first use creates .venv and installs the package into it.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo paper test lint format pytest docs notebooks pictures package fuzz diffs clean

help:  ## show the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	# For tests and examples, without their dependencies: they would bring older versions of pandas and NumPy.
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps stg==0.1.2 six \
		aeon==1.6.0 anndata==0.12.19 array-api-compat donfig legacy-api-wrap natsort numcodecs \
		scanpy==1.11.5 scverse-misc session-info2 zarr==3.1.6 pyyaml google-crc32c
	# Large, and not available for every Python: its test is skipped without it.
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check ray==2.60.0
	@touch $@

demo: .venv/installed  ## select 16 pixels of the digits and draw them into demo/
	$(BIN)/ipcae demo --out demo

paper: .venv/installed  ## the paper's tables, the quick version: two data sets, three runs
	$(BIN)/python -m paper run all --quick
	$(BIN)/python -m paper show table-1 --quick
	$(BIN)/python -m paper show table-2 --quick

test: lint pytest  ## everything a change must pass: format, lint, types, import layers, tests

lint: .venv/installed  ## format, lint, types, import layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

pytest: .venv/installed  ## the tests, the docstrings and the README's code
	$(BIN)/python -m pytest -n 2 --dist worksteal

fuzz: .venv/installed  ## many random attempts; writes docs/fuzz.md, continues if interrupted
	$(BIN)/python -m tests.fuzz --long --jobs 2 --state .fuzz.json --out docs/fuzz.md

docs: .venv/installed  ## build the site into docs/_build/html; fails on a warning
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html."

notebooks: .venv/installed  ## run the examples as notebooks, and keep them with their outputs
	$(BIN)/python docs/notebooks.py docs/_build/notebooks

pictures: .venv/installed  ## draw the pictures of the first pages again
	$(BIN)/python docs/pictures.py

package: .venv/installed  ## build the wheel into dist/, and run the demo from it in a new environment
	rm -rf dist .venv/clean
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv .venv/clean
	.venv/clean/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		"$$(ls dist/*.whl)[all]"
	cd .venv/clean && bin/ipcae demo --out demo

format: .venv/installed  ## rewrite the code in the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove what the other targets made
	rm -rf .venv demo dist docs/_build docs/auto_examples docs/api/generated docs/api/examples

diffs:  ## every deliberate difference from the paper
	@grep -rn --include='*.py' 'NOTE\[DIFF\]' src benchmarks paper || true
