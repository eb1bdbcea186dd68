# make demo               from nothing: environment, a first dataset and its check, drift, a few training steps
# make test               lint, format and the whole test suite
# make check              lint, then types, doctests and contents of the built wheel in an environment of its own
# make test-integrations  what needs other environments: older transformers, TRL, verl, a model server, a browser
# make cards              remake the cards in data_cards/
# make clean              remove what these made

PYTHON ?= python3
VENV ?= .venv
CHECK_VENV ?= .venv-check
OLD_VENV ?= .venv-old-transformers
TRL_VENV ?= .venv-trl
VERL_VENV ?= .venv-verl
SERVE_VENV ?= .venv-serve
JOBS ?= 2

BIN := $(VENV)/bin
CHECK_BIN := $(CHECK_VENV)/bin
OLD_BIN := $(OLD_VENV)/bin
TRL_BIN := $(TRL_VENV)/bin
VERL_BIN := $(VERL_VENV)/bin
SERVE_BIN := $(SERVE_VENV)/bin
INSTALL := install --quiet --constraint constraints.txt
DEMO_SOURCE := builtin:word_problems?steps=1..2&max=20&n=20
DEMO_OUT := out/demo
DEMO_RUNS := runs/demo
DEMO_SETTINGS := $(addprefix --set ,steps=4 rollout.batch=8 optim.minibatch=4 'eval.sets.validation.source=$(DEMO_SOURCE)')

.PHONY: demo test lint check test-integrations cards clean

demo: $(VENV)/.installed
	rm -rf $(DEMO_OUT) $(DEMO_RUNS)
	$(BIN)/semifactual build "$(DEMO_SOURCE)" --out $(DEMO_OUT)
	$(BIN)/semifactual check $(DEMO_OUT) --fail-on-reject
	$(BIN)/semifactual show $(DEMO_OUT) --limit 2
	$(BIN)/semifactual drift $(DEMO_OUT) --model builtin:tiny --out $(DEMO_RUNS)/drift
	$(BIN)/scapo-train tiny-cpu --out $(DEMO_RUNS)/train --set data.source=$(DEMO_OUT) $(DEMO_SETTINGS)

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

test-integrations: $(foreach venv,$(OLD_VENV) $(TRL_VENV) $(VERL_VENV) $(SERVE_VENV),$(venv)/.installed) $(VENV)/.installed-dev
	$(OLD_BIN)/pytest -n $(JOBS) tests/policy
	$(TRL_BIN)/pytest tests/integration/test_trl_loss.py tests/integration/test_trl_export.py
	$(VERL_BIN)/pytest tests/integration/test_verl_export.py
	$(SERVE_BIN)/pytest tests/integration/test_transformers_serve.py
	$(BIN)/pytest tests/browser

cards: $(VENV)/.installed
	$(BIN)/python -m semifactual.publish.data_cards data_cards

clean:
	rm -rf $(VENV) $(CHECK_VENV) $(OLD_VENV) $(TRL_VENV) $(VERL_VENV) $(SERVE_VENV) build dist *.egg-info $(DEMO_OUT) $(DEMO_RUNS)

# Stamps: an environment is made again only when what it is made from has changed.

$(VENV)/.installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip $(INSTALL) --editable ".[train]"
	touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip $(INSTALL) --editable ".[browser,dev,llm,train]"
	touch $(VENV)/.installed $@

$(CHECK_VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(CHECK_VENV)
	$(CHECK_BIN)/pip $(INSTALL) ".[dev,llm,train]"
	touch $@

$(OLD_VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(OLD_VENV)
	$(OLD_BIN)/pip $(INSTALL) --editable ".[dev,train]" "transformers==5.10.4" "huggingface_hub<2" "tokenizers<0.23"
	touch $@

$(TRL_VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(TRL_VENV)
	$(TRL_BIN)/pip $(INSTALL) --editable ".[dev,train]" "trl==1.16.0"
	touch $@

$(VERL_VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(VERL_VENV)
	$(VERL_BIN)/pip $(INSTALL) --editable . "verl==0.9.1" "huggingface_hub==1.33.0" "transformers==5.10.4" TransferQueue cachetools fastapi uvicorn "pytest>=8.3"
	touch $@

$(SERVE_VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(SERVE_VENV)
	$(SERVE_BIN)/pip $(INSTALL) --editable ".[dev,llm,train]" "transformers[serving]"
	touch $@
