# make demo: train, evaluate and use a classifier on the embedded corpus.   make test: the whole test suite.
PYTHON ?= python3
BIN := .venv/bin
# Byte code is kept, whatever the shell says: to compile the sources anew takes each process a second or two.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick kernels core lowest constraints lint hooks docs bench reproduce clean

demo: .venv/.core
	$(BIN)/classmark demo

test: .venv/.test
	$(BIN)/pytest -n auto --dist loadgroup --durations=10 -m "$(MARKERS)"

# CI runs the tests that are marked slow too.
MARKERS ?= not slow

# What one runs after each edit: some tests of every package, with a few examples each.
quick: .venv/.test
	$(BIN)/pytest $(QUICK)

QUICK := tests -n auto --dist loadgroup --quick --hypothesis-profile=few

# The numeric tests as another processor computes; which one depends on the day, or is named: make kernels CORE=Haswell.
kernels: .venv/.test
	$(BIN)/python -m tests.processors $(CORE)

# The wheel with its core dependencies alone, as a user without extras has it, in their newest versions; then the quick
# tests with the newest versions of everything. Compiled kernels are kept apart: another version of numba cannot read
# them, and fails if one that runs at the same time replaces them.
core:
	rm -rf .venv-core && $(PYTHON) -m venv .venv-core
	.venv-core/bin/python -m pip install --quiet --upgrade pip
	.venv-core/bin/python -m pip install --quiet .
	cd .venv-core && bin/classmark demo && bin/classmark compare docstrings -m majority,linear-svm
	.venv-core/bin/python -m pip install --quiet --editable ".[$(EXTRAS)]" --group test-core
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-core/kernels .venv-core/bin/pytest $(QUICK)
	rm -rf .venv-core

# The quick tests with the lowest versions that pyproject.toml admits.
lowest: .venv/.uv
	rm -rf .venv-lowest && $(BIN)/uv venv --quiet --python $(BIN)/python .venv-lowest
	$(BIN)/uv pip install --quiet --python .venv-lowest --resolution lowest-direct --editable ".[$(EXTRAS)]" --group test-core
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-lowest/kernels .venv-lowest/bin/pytest $(QUICK)
	rm -rf .venv-lowest

TESTED := parquet,excel,networkx,skos,serve,postgres,dask
EXTRAS := $(TESTED),report,embed

# The versions that CI installs.
constraints: .venv/.uv
	$(BIN)/uv pip compile --quiet --upgrade --universal --no-header --no-annotate --python-version 3.11 \
		$(foreach extra,$(subst $(comma), ,$(EXTRAS)),--extra $(extra)) \
		$(foreach group,test lint docs bench,--group $(group)) pyproject.toml --output-file constraints.txt

comma := ,

# Types are checked against the packages that tests need too.
lint: .venv/.lint .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# What lint checks, before every commit.
hooks: .venv/.lint
	$(BIN)/python -m pip install --quiet pre-commit
	$(BIN)/pre-commit install

docs: .venv/.docs
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: .venv/.test .venv/.bench
	@for script in $(filter-out benchmarks/timing.py benchmarks/processes.py benchmarks/synthetic_lshtc.py,$(sort $(wildcard benchmarks/*.py))); do PYTHONPATH=. $(BIN)/python $$script || exit 1; done

# The papers' tables, into the documentation: make reproduce DATA=FOLDER, where FOLDER holds the corpora.
PAPERS := $(sort $(patsubst reproductions/%/,%,$(dir $(wildcard reproductions/*/table_*.toml))))

reproduce: .venv/.core
	@for paper in $(PAPERS); do \
		$(BIN)/python -m reproductions $$paper $(if $(DATA),--data $(DATA)) --write docs/reproductions || exit 1; done

clean:
	rm -rf .venv .venv-core .venv-lowest docs/_build docs/gallery

.venv/.core: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "classmark needs Python 3.11 or newer; say make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/.uv: .venv/.core
	$(BIN)/python -m pip install --quiet uv
	@touch $@

# Dependency groups (PEP 735) need pip 25.1, which .core has brought.
.venv/.test .venv/.lint .venv/.docs .venv/.bench: .venv/.%: .venv/.core
	$(BIN)/python -m pip install --quiet --group $* $(if $(filter test,$*),--editable ".[$(TESTED)]")
	@touch $@
