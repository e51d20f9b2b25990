# What builds and deploys a project with the SAM CLI, for the Makefile of this repository and those that
# `stratabase init --aws` writes. They define VENV, BIN, PYTHON, and how $(VENV)/.run is made.
.PHONY: build deploy smoke destroy
# The Python that AWS runs the functions on.
DEPLOYED := 3.13

build: .venv-sam/.done $(VENV)/.run ## Build what is deployed (needs Python 3.13)
	@echo "Building the functions and the layers, which installs their packages (a minute or two)"
	@PATH="$(dir $(shell tools/find-python $(DEPLOYED))):$$PATH" STRATABASE="$(CURDIR)/$(BIN)/stratabase" SAM_CLI_TELEMETRY=0 .venv-sam/bin/sam build
	@PYTHONPYCACHEPREFIX= $(shell tools/find-python $(DEPLOYED)) -m compileall -q --invalidation-mode unchecked-hash .aws-sam/build/DependenciesLayer
	@echo "Megabytes of the layers (Lambda allows 250 for all layers and a function together):"
	@du -sm .aws-sam/build/*Layer

# The questions come before the build, which takes minutes. (`make -n` would run a line that has `MAKE` itself.)
deploy: $(VENV)/.run ## Deploy to AWS: asks for the Region, the stage and the administrator's address, and saves them (ENV=dev REGION=… ADMIN=… PARAMETERS="Basic=off …" YES=1)
	@stage=$$($(BIN)/stratabase aws configure $(DEPLOYED_WITH) $(ENV)) \
	&& $(MAKE_COMMAND) --no-print-directory build \
	&& $(BIN)/stratabase aws deploy $(DEPLOYED_WITH) "$$stage"
ENV :=
DEPLOYED_WITH = $(if $(REGION),--region '$(REGION)') $(if $(ADMIN),--administrator '$(ADMIN)') $(foreach each,$(PARAMETERS),--parameter '$(each)') $(if $(YES),--yes)

smoke: $(VENV)/.run ## Try an instance over HTTP, and with ENV=dev also the clients of its table (URL=https://…, MEMBER=admin)
	@$(BIN)/stratabase aws smoke $(URL) --user $(MEMBER) $(if $(ENV),--environment $(ENV))
MEMBER := admin

destroy: $(VENV)/.run ## Delete the stack; the tables, the bucket and the secret stay (ENV=dev, staging or prod)
	@$(BIN)/stratabase aws destroy $(ENV)

# An environment of its own: it pins other versions than the service. The lock file is complete, and says all
# about dependencies that pip would otherwise ask for with extras, which its hashes do not cover.
.venv-sam/.done: requirements/sam.txt
	@echo "Installing the SAM CLI into .venv-sam (once)"
	@$(PYTHON) -m venv .venv-sam
	@.venv-sam/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/sam.txt
	@touch $@
