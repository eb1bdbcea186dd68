# make demo    a first dataset, from nothing: environment, build, check, show
# make test    lint, format and the whole test suite
# make check   lint, then types, doctests and contents of the built wheel in an environment of its own
# make clean   remove what these made

PYTHON ?= python3
VENV ?= .venv
CHECK_VENV ?= .venv-check
JOBS ?= 2

BIN := $(VENV)/bin
CHECK_BIN := $(CHECK_VENV)/bin
DEMO_SOURCE := builtin:word_problems?n=20
DEMO_OUT := out/demo

.PHONY: demo test lint check clean

demo: $(VENV)/.installed
	rm -rf $(DEMO_OUT)
	$(BIN)/semifactual build "$(DEMO_SOURCE)" --out $(DEMO_OUT)
	$(BIN)/semifactual check $(DEMO_OUT) --fail-on-reject
	$(BIN)/semifactual show $(DEMO_OUT) --limit 2

test: lint
	$(BIN)/pytest -n $(JOBS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

check: lint $(CHECK_VENV)/.installed
	rm -rf dist
	$(BIN)/python -m build --quiet --no-isolation --outdir dist .
	$(CHECK_BIN)/pip install --quiet --force-reinstall --no-deps dist/*.whl
	$(CHECK_BIN)/mypy --strict -p semifactual
	$(CHECK_BIN)/pytest --doctest-modules --pyargs semifactual
	$(BIN)/pytest tests/test_packaging.py

clean:
	rm -rf $(VENV) $(CHECK_VENV) build dist *.egg-info $(DEMO_OUT)

# Stamps: an environment is made again only when what it is made from has changed.

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable ".[dev]"
	touch $(VENV)/.installed $@

$(CHECK_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv --clear $(CHECK_VENV)
	$(CHECK_BIN)/pip install --quiet ".[dev]"
	touch $@
