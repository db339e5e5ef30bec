# make run    install what is missing and start Castboard at http://127.0.0.1:7860
# make test   install what is missing, then format check, lint, types and tests
# make bench  print the speed figures, each against its peer in the same run
# make fuzz   give the intake hostile input, guided by coverage: FUZZ_S seconds for each of four targets
# make lint   format check, lint and types alone

PYTHON ?= python3.11
VENV   := .venv
PY     := $(VENV)/bin/python
DEMO   ?= 1
FUZZ_S ?= 600

export HF_HUB_OFFLINE := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: run test bench fuzz lint format debian debian-test clean

run: $(VENV)/app.stamp $(if $(filter all,$(DEMO)),$(VENV)/demo.stamp) debian
	CASTBOARD_DEMO=$(DEMO) exec $(PY) app.py

test: $(VENV)/dev.stamp debian-test lint
	$(PY) -m pytest -n 2 --dist loadfile

lint: $(VENV)/dev.stamp
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

format: $(VENV)/dev.stamp
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

bench: $(VENV)/dev.stamp debian
	$(PY) -m tests.bench

# atheris comes as a wheel for few systems, so it is installed only here.
fuzz: $(VENV)/dev.stamp
	$(PY) -m pip install --quiet --requirement requirements-fuzz.txt
	nice -n 19 $(PY) -m tests.fuzz --seconds $(FUZZ_S)

# Debian's voices for the demo systems, and for the tests a browser too. Without root they are asked
# for; a demo system without its voice is skipped and says so, a test without its program fails.
debian:
	@sh .ci/debian $$(cat packages.txt) $(if $(filter all,$(DEMO)),npm)

debian-test:
	@sh .ci/debian $$(cat packages.txt) chromium

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' \
	  || { echo "Castboard needs Python 3.11; name one with: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip

# PyTorch goes first and alone: then nothing that depends on it can choose another build.
$(VENV)/app.stamp: requirements.txt | $(PY)
	$(PY) -m pip install --quiet "$$(sed -n 's/^\(torch==[^ ]*\).*/\1/p' requirements.txt)"
	$(PY) -m pip install --quiet --requirement requirements.txt
	touch $@

$(VENV)/demo.stamp: requirements-demo.txt $(VENV)/app.stamp
	$(PY) -m pip install --quiet --requirement requirements-demo.txt
	touch $@

$(VENV)/dev.stamp: requirements-dev.txt $(VENV)/app.stamp
	$(PY) -m pip install --quiet --requirement requirements-dev.txt
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
