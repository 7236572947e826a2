# `make help` lists the targets. CLUSTER=existing uses the current kubeconfig instead of a cluster
# of our own on this machine.
SHELL := /bin/sh
.DEFAULT_GOAL := help
CLUSTER ?= own

export PYTHONPATH := operator:.
export CLUSTER

venv = $(shell tests/venv.sh)
python = $(venv)/bin/python

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

.PHONY: demo
demo: ## From nothing to a report: cluster, images, chart, campaigns/demo
	$(python) -m tests.demo

.PHONY: test
test: check contract e2e ## Everything that must pass: check, contract, end-to-end and faults

.PHONY: check
check: ## Format, lint, types, import directions, shell, generated files, unit tests; in seconds
	$(venv)/bin/ruff format --check --quiet .
	$(venv)/bin/ruff check --quiet .
	$(venv)/bin/mypy
	$(venv)/bin/lint-imports --no-logo >/dev/null || $(venv)/bin/lint-imports --no-logo
	git ls-files '*.sh' .ci/run | xargs $(venv)/bin/shellcheck
	$(python) -m encbench.api.crd --check
	$(python) -m pytest -q tests/unit

.PHONY: contract
contract: ## The adapters against a real API server, MinIO, Prometheus, MariaDB and sysbench
	$(python) -m tests.cluster build
	$(python) -m pytest -q tests/contract

.PHONY: e2e
e2e: ## The product as a user drives it, on a real cluster, faults included
	$(python) -m pytest -q tests/e2e tests/faults
	$(python) -m pytest -q tests/teardown

.PHONY: format
format: ## Format the code and mend what the linter can
	$(venv)/bin/ruff check --fix --quiet . || true
	$(venv)/bin/ruff format --quiet .

.PHONY: crds
crds: ## Generate crds/ and the chart's copies from the models
	$(python) -m encbench.api.crd

.PHONY: lock
lock: ## Pin the requirements again
	operator/lock.sh

.PHONY: cluster
cluster: ## Bring a Kubernetes up on this machine
	@python3 -m tests.cluster up

.PHONY: images
images: ## Build the images and hand them to the cluster
	@python3 -m tests.cluster images

.PHONY: kubeconfig
kubeconfig: ## Print the path of the cluster's kubeconfig
	@python3 -m tests.cluster kubeconfig

.PHONY: down
down: ## Remove the cluster with all its traces; caches and Debian packages stay
	@python3 -m tests.cluster down

.PHONY: bench-dead-time
bench-dead-time: ## Measure the time between measured windows on warm testbeds
	$(python) -m tests.bench.dead_time
