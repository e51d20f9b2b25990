# What builds and deploys a project with the SAM CLI, for the Makefile of this repository and those that
# `stratabase init --aws` writes. They define VENV, BIN, PYTHON, and how $(VENV)/.run is made.
.PHONY: build deploy smoke destroy
# The Python that AWS runs the functions on.
DEPLOYED := 3.13

build: .venv-sam/.done $(VENV)/.run ## Build what is deployed (needs Python 3.13)
	@echo "Building the functions and the layers, which installs their packages (a minute or two)"
	@PATH="$(dir $(shell tools/find-python $(DEPLOYED))):$$PATH" STRATABASE="$(CURDIR)/$(BIN)/stratabase" SAM_CLI_TELEMETRY=0 .venv-sam/bin/sam build
	@PYTHONPYCACHEPREFIX= $(shell tools/find-python $(DEPLOYED)) -m compileall -q --invalidation-mode unchecked-hash .aws-sam/build/DependenciesLayer .aws-sam/build/ProvidersLayer
	@echo "Megabytes of the layers (Lambda allows 250 for all layers and a function together):"
	@du -sm .aws-sam/build/*Layer
	@$(if $(NEXT),echo "$(NEXT)")
NEXT := Next: run make deploy, in place of what the SAM CLI advises above.

# The questions come before the build, which takes minutes. (`make -n` would run a line that has `MAKE` itself.)
deploy: $(VENV)/.run ## Deploy to AWS: asks for the Region, the stage and the administrator's address, and saves them (ENV=dev REGION=… ADMIN=… PARAMETERS="Basic=off …" YES=1)
	@stage=$$($(BIN)/stratabase aws configure $(DEPLOYED_WITH) $${GIVEN_ENV:+"$$GIVEN_ENV"}) \
	&& $(MAKE_COMMAND) --no-print-directory build NEXT= \
	&& $(BIN)/stratabase aws deploy $(DEPLOYED_WITH) "$$stage"
ENV :=
DEPLOYED_WITH = $${GIVEN_REGION:+"--region=$$GIVEN_REGION"} $${GIVEN_ADMIN:+"--administrator=$$GIVEN_ADMIN"} $${GIVEN_PARAMETERS:+"--parameters=$$GIVEN_PARAMETERS"} $${GIVEN_YES:+--yes}

smoke: $(VENV)/.run ## Try an instance over HTTP, and with ENV=dev also the clients of its table (URL=https://…, MEMBER=admin, FILE=Class.attribute)
	@$(BIN)/stratabase aws smoke $${GIVEN_URL:+"$$GIVEN_URL"} "--user=$$GIVEN_MEMBER" $${GIVEN_FILE:+"--file=$$GIVEN_FILE"} $${GIVEN_ENV:+"--environment=$$GIVEN_ENV"}
MEMBER := admin

destroy: $(VENV)/.run ## Delete the stack; the tables, the bucket and the secret stay (ENV=dev, staging or prod)
	@$(BIN)/stratabase aws destroy $${GIVEN_ENV:+"$$GIVEN_ENV"}

# What a person gives reaches the shell through the environment: in the text of a recipe, a quote would end there.
deploy smoke destroy: export GIVEN_ENV = $(value ENV)
deploy: export GIVEN_REGION = $(value REGION)
deploy: export GIVEN_ADMIN = $(value ADMIN)
deploy: export GIVEN_PARAMETERS = $(value PARAMETERS)
deploy: export GIVEN_YES = $(value YES)
smoke: export GIVEN_URL = $(value URL)
smoke: export GIVEN_MEMBER = $(value MEMBER)
smoke: export GIVEN_FILE = $(value FILE)

# An environment of its own: it pins other versions than the service. The lock file is complete, and says all
# about dependencies that pip would otherwise ask for with extras, which its hashes do not cover.
.venv-sam/.done: requirements/sam.txt
	@echo "Installing the SAM CLI into .venv-sam (once)"
	@$(PYTHON) -m venv .venv-sam
	@.venv-sam/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/sam.txt
	@touch $@
