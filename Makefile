# What people and CI run. `make help` lists it.
# The versions of Python that are supported, beside the one that AWS runs the functions on, newest first.
OLDER := 3.12 3.11
OLDEST := $(lastword $(OLDER))
PYTHON ?= $(shell tools/find-python 3.13 $(OLDER))
VENV := .venv
BIN := $(VENV)/bin
# What differs between versions of Python without any help from us: pure rules, engines, and each route once.
PORTABLE := tests/values/formats tests/values/cel tests/values/test_folding.py tests/core/model tests/core/domain $(wildcard tests/members/test_*.py) tests/contract tests/server/http/test_request.py tests/server/http/test_dispatcher.py tests/scenarios/test_newcomer.py

.DEFAULT_GOAL := help
.PHONY: help run test test-built test-lambda test-oldest test-older check format soak bench performance costs golden wheel messages validate invoke lock clean graphiql reference console check-console

help: ## List what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: $(VENV)/.run $(if $(filter dynamodb,$(STORE)),.venv-ministack/.done) ## Serve the model on this machine (STORE=dynamodb: over an emulator, which forgets)
	@$(if $(filter dynamodb,$(STORE)),$(BIN)/python -m stratabase_aws.commands.emulator) $(BIN)/stratabase serve

# Where npm is, if there is Node.
NPM := $(shell command -v npm 2>/dev/null)
# What tests marked `built` need besides.
BUILT := .venv-clients/.done .venv-layers/.done $(if $(NPM),.node/.done tools/console/node_modules/.done)
# Tests start the service many times, which takes longer where Python may not keep what it has compiled.
test test-built test-lambda test-oldest test-older soak: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/.dev .venv-ministack/.done $(if $(TESTS),$(BUILT)) ## Run the tests (TESTS=PATH: those of a file or folder)
	@echo "Running the tests (about 4 minutes on 2 cores); the end of a line says how many percent are done"
	@$(BIN)/python -u -m pytest -n 3 --dist worksteal $(if $(TESTS),$(TESTS),-m "not built")

test-built: $(VENV)/.dev .venv-ministack/.done $(BUILT) ## Run the tests of wheels, of functions on Lambda, of browsers and clients
	@echo "Running the tests of wheels, functions on Lambda, browsers and clients"
	@$(BIN)/python -u -m pytest -n 2 --dist worksteal -m built

test-lambda: $(VENV)/.dev .venv-ministack/.done .venv-layers/.done ## Run the scenarios on Lambda functions over an emulator that fails (FAULTS=SEED:PERCENT)
	@echo "Running the scenarios on Lambda functions with the faults $(FAULTS)"
	@SCENARIOS_ON=lambda STACK_FAULTS=$(FAULTS) $(BIN)/python -u -m pytest -n 2 tests/scenarios
FAULTS := 7:1%

test-oldest: .venv-$(OLDEST)/.dev .venv-ministack/.done ## Run the portable tests on the oldest supported Python
	@echo "Running the portable tests on Python $(OLDEST)"
	@.venv-$(OLDEST)/bin/python -u -m pytest -n 2 $(PORTABLE)

test-older: $(OLDER:%=.venv-%/.dev) .venv-ministack/.done .venv-clients/.done .node/.done ## Run the tests on every older supported Python
	@for version in $(OLDER); do echo "Running the tests on Python $$version"; .venv-$$version/bin/python -u -m pytest -n 2 $(TESTS) || exit 1; done

check: $(VENV)/.dev ## Everything that CI does: format, lint, types, template, imports, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/cfn-lint template.yaml
	@$(MAKE) --no-print-directory build/template.json
	$(BIN)/cfn-lint build/template.json
	@$(MAKE) --no-print-directory check-console test test-built test-oldest

format: $(VENV)/.dev ## Format the code and mend what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

soak: $(VENV)/.dev .venv-ministack/.done .venv-sam/.done $(BUILT) ## The races, kills and random histories at full count (up to an hour)
	STRATABASE_SOAK=1 $(BIN)/python -u -m pytest -n 3 --dist worksteal --durations=30 --durations-min=20 -m soak $(TESTS)

PEERS := .node-peer/.done .postgresql/.done
bench: $(VENV)/.dev $(if $(PEER),$(PEERS)) ## Measure, and fail past a limit (PEER=1: requests beside PostGraphile, too)
	@echo "Running the benchmarks; each prints its table when it is done"
	@$(BIN)/python -u -m benchmarks $(if $(PEER),--peer)

performance: $(VENV)/.dev $(if $(MEASURE),$(PEERS)) ## Write docs/performance.md anew (MEASURE=1: measure first, beside PostGraphile)
	@echo "Writing docs/performance.md$(if $(MEASURE), after the measurements)"
	@$(if $(MEASURE),$(BIN)/python -u -m benchmarks.peer --record)
	@$(BIN)/python -m benchmarks.peer.figures

costs: $(VENV)/.dev $(if $(MEASURE),.venv-ministack/.done .venv-layers/.done) ## Write docs/costs.md anew (MEASURE=1: measure first, which takes two minutes)
	@echo "Writing docs/costs.md$(if $(MEASURE), after the measurements)"
	@$(if $(MEASURE),PYTHONDONTWRITEBYTECODE= $(BIN)/python -m benchmarks.costs.measure)
	@$(BIN)/python -m benchmarks.costs > docs/costs.md

golden: $(VENV)/.dev ## Write the golden files anew; read the difference before you commit it
	$(BIN)/stratabase model sdl > tests/core/schema/golden/hr.graphql
	$(BIN)/stratabase model sdl --profile Member > tests/core/schema/golden/hr.Member.graphql
	$(BIN)/stratabase model sdl tests/core/schema/models/everything.graphql > tests/core/schema/golden/everything.graphql
	$(BIN)/python -m tests.golden > tests/core/http/api/openapi/golden/openapi.json
	$(BIN)/python -m tests.golden tests/core/schema/models/everything.graphql Administrator > tests/core/schema/golden/everything.json
	$(BIN)/python -m tests.golden layers/model/model.graphql Member > tests/core/schema/golden/hr.Member.json

wheel: $(VENV)/.run ## Build the packages that users install, into dist/
	@$(BIN)/python -m hatchling build --target wheel --directory dist
	@cd layers/stratabase/aws && $(CURDIR)/$(BIN)/python -m hatchling build --target wheel --directory $(CURDIR)/dist

messages: $(VENV)/.dev ## Bring the catalogs up to date with the messages of the code (a new language: LANGUAGE=de)
	@echo "Extracting the messages, and updating $(notdir $(wildcard $(MESSAGES)/*.po))"
	@cd $(MESSAGES)/../.. && $(CURDIR)/$(BIN)/pybabel -q extract --omit-header --add-location=file --sort-by-file -F $(CURDIR)/tools/messages.cfg -k ngettext:1,2 -k t:1 -k plural:2,3 -o values/messages/messages.pot . ../../aws/stratabase_aws ../../../../tools/console/src
	@test -z "$(LANGUAGE)" || $(BIN)/pybabel -q init -i $(MESSAGES)/messages.pot -l $(LANGUAGE) -o $(MESSAGES)/$(LANGUAGE).po
	@for file in $(MESSAGES)/*.po; do $(BIN)/pybabel -q update -N --ignore-obsolete --ignore-pot-creation-date -i $(MESSAGES)/messages.pot -l $$(basename $$file .po) -o $$file; done
MESSAGES := layers/stratabase/python/stratabase/values/messages

console: tools/console/node_modules/.done ## Build the console anew (needs Node 20.19 or later)
	@echo "Building the console"
	@cd tools/console && npm run --silent build

check-console: $(if $(NPM),tools/console/node_modules/.done) ## Check the console's format, types and unit tests, as `make check` does
	@echo "Checking the console$(if $(NPM),,: left out because there is no Node. Install Node 20.19 or later with npm)"
	@$(if $(NPM),cd tools/console && npm run --silent check,test -z "$$CI")

graphiql: .node-graphiql/.done ## Build the GraphiQL page anew (needs Node 20 or later)
	@$(call build_page,graphiql,src/main.jsx)

reference: .node-reference/.done ## Build the API reference page anew (needs Node 20 or later)
	@$(call build_page,reference,src/main.js)

# How a page signs in, which the account page has as it is.
SIGN_IN := layers/stratabase/python/stratabase/core/http/pages/templates/sign_in.js

# build_page NAME ENTRY: builds the page of a folder in tools into the folder that the service serves.
define build_page
echo "Building the page $(1)"
@rm -rf .node-$(1)/src && cp -r tools/build-page.mjs tools/page-records.mjs tools/$(1)/src .node-$(1)
@cp $(SIGN_IN) .node-$(1)/src
@cd .node-$(1) && node build-page.mjs $(1) $(2) "$(CURDIR)/layers/stratabase/python/stratabase/core/http/pages/$(1)/built"
endef

validate: $(VENV)/.dev .venv-sam/.done .venv-checkov/.done ## Check the template as deployment does, and for security
	@echo "1/4 Checking the template with the SAM CLI (half a minute)"
	@SAM_CLI_TELEMETRY=0 .venv-sam/bin/sam validate --lint
	@echo "2/4 Transforming the template as AWS does"
	@$(MAKE) --no-print-directory build/template.json
	@echo "3/4 Checking what the transformation has made with cfn-lint"
	@$(BIN)/cfn-lint build/template.json
	@echo "4/4 Checking the security of the transformed template with checkov (half a minute)"
	@.venv-checkov/bin/checkov --config-file .checkov.yaml --file build/template.json

# What AWS makes of the template. Some mistakes are visible only here.
build/template.json: template.yaml tests/transformed_template.py
	@mkdir -p build && $(BIN)/python -m tests.transformed_template > $@

invoke: $(VENV)/.dev .venv-ministack/.done .venv-layers/.done ## Run an event through its function as on Lambda: EVENT=events/graphql_query.json
	@$(BIN)/python -m tests.lambda_stack.invoke $(EVENT)

lock: $(VENV)/.dev ## Pin every package anew
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv pip compile $(LOCK) --group layers -o layers/dependencies/requirements.txt
	$(BIN)/uv pip compile $(LOCK) -c layers/dependencies/requirements.txt --group providers -o layers/providers/requirements.txt
	$(BIN)/uv pip compile $(LOCK) -c layers/dependencies/requirements.txt -c layers/providers/requirements.txt pyproject.toml --group build --group layers --group aws -o requirements/run.txt
	$(BIN)/uv pip compile $(LOCK) -c requirements/run.txt pyproject.toml --group build --group layers --group aws --group dev -o requirements/dev.txt
	echo aws-sam-cli | $(BIN)/uv pip compile $(LOCK) - -o requirements/sam.txt
	printf 'ministack\naws-sam-translator\nuvicorn\nhttptools\nuvloop\n' | $(BIN)/uv pip compile $(LOCK) - -o requirements/ministack.txt
	printf 'ariadne-codegen\nmypy\n' | $(BIN)/uv pip compile $(LOCK) - -o requirements/clients.txt
LOCK := --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet

clean: ## Remove what was installed and built, but no data
	rm -rf $(VENV) $(OLDER:%=.venv-%) .venv-sam .venv-checkov .venv-ministack .venv-clients .venv-layers .node .node-graphiql .node-reference .node-peer tools/console/node_modules .postgresql build dist .aws-sam .mypy_cache .ruff_cache .pytest_cache .hypothesis

include tools/sam.mk

# A stamp per set of packages: installed once, and again only when its lock file changes.
$(VENV)/bin/python:
	@python="$(PYTHON)"; $${python:-false} -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Stratabase needs Python 3.11 or later; name one with: make PYTHON=python3.13 $(MAKECMDGOALS)"; exit 1; }; \
	$$python -m venv $(VENV)

.venv-3.%/bin/python:
	@python=$$(tools/find-python 3.$*) && $$python -m venv .venv-3.$*

.SECONDARY: # which keeps what make made on the way
%/.run: requirements/run.txt pyproject.toml layers/stratabase/aws/pyproject.toml | %/bin/python
	@echo "Installing what the service needs into $* (once)"
	@$*/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	@$*/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . -e layers/stratabase/aws
	@touch $@

%/.dev: requirements/dev.txt %/.run
	@echo "Installing what the tests need into $* (once)"
	@$*/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

# The checks of the template's security, in an environment of its own for the same reason.
.venv-checkov/.done: requirements/checkov.txt
	@echo "Installing checkov into .venv-checkov (once)"
	@$(PYTHON) -m venv .venv-checkov
	@.venv-checkov/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/checkov.txt
	@touch $@

# The emulator of DynamoDB and S3 that the tests start, in an environment of its own for the same reason.
.venv-ministack/.done: requirements/ministack.txt
	@echo "Installing the emulator of AWS into .venv-ministack (once)"
	@$(PYTHON) -m venv .venv-ministack
	@.venv-ministack/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/ministack.txt
	@touch $@

# Exactly the packages of the layers, for tests that run the functions as Lambda does.
.venv-layers/.done: layers/dependencies/requirements.txt layers/providers/requirements.txt | $(VENV)/bin/python
	@echo "Installing the packages of the layers into .venv-layers (once)"
	@rm -rf .venv-layers
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --target .venv-layers/python -r $<
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --target .venv-layers/providers -r $(word 2,$^)
	@touch $@

# The generator of clients for Python, which pins an earlier graphql-core than the service.
.venv-clients/.done: requirements/clients.txt
	@echo "Installing the generator of Python clients into .venv-clients (once)"
	@$(PYTHON) -m venv .venv-clients
	@.venv-clients/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/clients.txt
	@touch $@

# The GraphQL clients that the tests have talk to the service. Where there is no Node, those tests are skipped.
.node/.done: tests/clients/package.json tests/clients/package-lock.json
	@echo "Installing the GraphQL clients into .node (once)"
	@mkdir -p .node
	@cp tests/clients/package.json tests/clients/package-lock.json tests/clients/.npmrc .node
	@cd .node && npm ci --loglevel error
	@touch $@

# PostGraphile, beside which requests are measured.
.postgresql/.done: tools/install-postgresql
	@tools/install-postgresql .postgresql
	@touch $@

.node-peer/.done: benchmarks/peer/package.json benchmarks/peer/package-lock.json
	@echo "Installing PostGraphile into .node-peer (once)"
	@mkdir -p .node-peer
	@cp benchmarks/peer/package.json benchmarks/peer/package-lock.json benchmarks/peer/.npmrc .node-peer
	@cd .node-peer && npm ci --loglevel error
	@touch $@

# What the console is built with and consists of. The folder with the packages must be beside its sources.
tools/console/node_modules/.done: tools/console/package.json tools/console/package-lock.json
	@echo "Installing what the console is built with into tools/console/node_modules (once)"
	@cd tools/console && npm ci --loglevel error
	@touch $@

# What a page of tools is built with.
.node-%/.done: tools/%/package.json tools/%/package-lock.json
	@echo "Installing what the page $* is built with into .node-$* (once)"
	@mkdir -p .node-$*
	@cp tools/$*/package.json tools/$*/package-lock.json tools/$*/.npmrc .node-$*
	@cd .node-$* && npm ci --loglevel error
	@touch $@
