# make demo, make test and make check are all that a newcomer needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Constraints pin every version, so that a fresh machine gets what was tested.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test check bench prove clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable .
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable '.[dev]'
	touch $(VENV)/.core $@

demo: $(VENV)/.core  ## compare memory strategies on generated dialogues, without any model
	$(BIN)/memorycode run demo

test: $(VENV)/.dev  ## run all tests; MEMORYCODE_RELEASE=DIR adds those on the published data
	$(BIN)/python -m pytest --quiet

check: $(VENV)/.dev  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev  ## measure; nothing here passes or fails
	$(BIN)/python tests/bench/bench_scoring.py

prove: $(VENV)/.dev  ## long proofs: kills at random moments, ten minutes of fuzzing
	MEMORYCODE_KILLS=20 $(BIN)/python -m pytest --quiet tests/running/test_resume.py
	$(BIN)/python tests/prove/fuzz_scoring.py --seconds 600

clean:
	rm -rf $(VENV) dist build
