# `make help` lists the targets. CLUSTER=existing uses the current kubeconfig instead of a cluster
# of our own on this machine.
SHELL := /bin/sh
.DEFAULT_GOAL := help
CLUSTER ?= own
NODES ?= 1
BEFORE ?= HEAD
FUZZ_SECONDS ?= 600
MINUTES ?= 30
VERSIONS ?= 1.32 1.37

export PYTHONPATH := operator:.
export CLUSTER
export ENCBENCH_CLUSTER_NODES := $(NODES)
export VALUES
# As in the operator's image: threads that wait for each other by spinning are slow on a busy machine.
export OPENBLAS_NUM_THREADS := 1

venv = $(shell tests/venv.sh)
python = $(venv)/bin/python
# Whatever waits for something that never comes ends with its name and its stack.
bounded = $(python) -m pytest -q --timeout=900
# Half of the time these tests wait for servers; a file and its servers stay with one worker.
contract = $(bounded) --durations=15 --durations-min=10 -n 3 --dist loadfile --no-loadscope-reorder tests/contract
# Of these, what may run beside campaigns, because it measures nothing and has no short deadline.
beside = $(addprefix tests/contract/,api conformance page plugin release store)

# The English of these files keeps the rules in .vale/styles: pages, the comments of manifests, the
# docstrings and comments of the operator, and the API's descriptions.
prose = git ls-files '*.md' 'campaigns/*.yaml' 'charts/*.yaml' 'crds/*.yaml' 'operator/*.py' \
	':!tests/data/report/expected' \
	| xargs $(python) -m tests.prose

# In one session each: what is left is looked for on the machine that all others have used. Nodes join
# after whatever needs one node, and before what may have three.
cluster = $(python) -m pytest -q --durations=25 --durations-min=5
on_one = tests/e2e/test_small_campaigns.py tests/e2e/test_registry.py tests/faults tests/attacks
short = tests/e2e tests/faults tests/attacks tests/e2e_nodes/test_join.py tests/teardown

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

.PHONY: demo
demo: demo-made ## From nothing to a report: cluster, images, chart, campaigns/demo; VALUES=files of yours
	$(python) -m tests.demo

.PHONY: test
test: parts lint ## Everything that must pass: check, contract, end-to-end and faults
	$(MAKE) --no-print-directory --jobs=2 e2e aside
	$(contract) -m 'not full' $(addprefix --ignore=,$(beside))

# A campaign mostly waits, so that there is time beside it for what measures nothing.
.PHONY: aside
aside:
	@code=$$(mktemp); \
	{ nice -n 19 $(MAKE) --no-print-directory unit check-parts contract-beside 2>&1; \
		echo $$? >"$$code"; } | sed -u 's/^/beside: /'; \
	exit "$$(cat "$$code"; rm "$$code")"

.PHONY: parts
parts: parts-made ## Install, compile and build what the tests need, unless it is in the cache
	$(python) -m tests.support.debian

# What compiles needs no package of Python: with an empty cache it is made beside the environment.
# These are targets of their own, because make expands all of a recipe before it runs the first line,
# and to expand `python` makes the environment.
.PHONY: demo-made parts-made environment compiled demo-cluster
demo-made:
	@$(MAKE) --no-print-directory --jobs=2 environment $(if $(filter existing,$(CLUSTER)),,demo-cluster)
parts-made:
	@$(MAKE) --no-print-directory --jobs=2 environment compiled
environment:
	@tests/venv.sh >/dev/null
compiled:
	python3 -m tests.cluster build
demo-cluster:
	python3 -m tests.cluster up --images demo

.PHONY: check
check: lint unit ## Format, lint, types, import directions, shell, generated files, prose, unit tests; in minutes

.PHONY: lint
lint: ## The same without the unit tests
	$(venv)/bin/ruff format --check --quiet .
	$(venv)/bin/ruff check --quiet .
	$(venv)/bin/mypy --cache-dir=$(venv)/mypy-cache
	$(venv)/bin/lint-imports --no-logo >/dev/null || $(venv)/bin/lint-imports --no-logo
	git ls-files '*.sh' .ci/run | xargs $(venv)/bin/shellcheck
	$(python) -m encbench.api.crd --check
	$(python) -m encbench.api.lifecycle_page --check
	$(python) -m encbench.api.reference --check
	$(python) -m encbench.report.reference --check
	$(python) -m tests.chart_readme --check
	$(prose)

.PHONY: unit
unit: ## The unit tests, and fuzzers with a fixed seed
	$(bounded) -n auto --maxprocesses 4 --dist worksteal -m 'not full' tests/unit tests/fuzz

.PHONY: prose
prose: ## The English of README, docs and campaigns, by the rules in .vale/styles
	$(prose)

.PHONY: site
site: ## The docs as a site in site/, with every link between pages checked
	NO_MKDOCS_2_WARNING=1 $(python) -m mkdocs build --strict --quiet

.PHONY: pictures
pictures: ## The docs' pictures of a report, from the page that `make demo` has left
	$(python) -m tests.pictures

.PHONY: check-java
check-java: ## The same for the Java parts: format, warnings, unit tests
	$(python) -c 'from tests.support import java; java.install()'
	mvn -B -q -f images/tpcc spotless:check test
	mvn -B -q -f tests/contract/conformance/java spotless:check

.PHONY: check-rust
check-rust: ## The same for the Rust parts, a bounded fuzzing of its parsers included
	MAKEFLAGS= $(python) -m tests.support.rust images/confidential-proxy images/turnstile

.PHONY: check-parts
check-parts: ## check-java, check-rust and calibration, two at a time
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target check-rust check-java calibration

.PHONY: contract
contract: parts ## The adapters against a real API server, MinIO, Prometheus, MariaDB and sysbench
	$(contract) -m 'not full'

.PHONY: contract-beside
contract-beside: ## Of these, what may run beside campaigns
	$(bounded) -n 2 --dist loadfile -m 'not full' $(beside)

# With the odd values that take long, because rules are evaluated by the API server's own CEL.
.PHONY: contract-versions
contract-versions: ## The same with the API servers of the oldest and the newest Kubernetes; VERSIONS=1.32
	for version in $(VERSIONS); do \
		ENCBENCH_KUBERNETES=$$version $(bounded) -n 2 --dist loadfile tests/contract/api || exit; \
	done

.PHONY: demo-versions
demo-versions: ## The demo on the oldest and the newest Kubernetes, each from nothing to its report
	for version in $(VERSIONS); do \
		ENCBENCH_KUBERNETES=$$version $(MAKE) --no-print-directory demo || exit; \
	done
	$(MAKE) --no-print-directory down

.PHONY: test-full
test-full: parts check check-parts ## The same with every engine under every mode; takes more than an hour
	$(python) -m pytest -q tests/calibration tests/unit -m full
	$(MAKE) --no-print-directory fuzz
	$(contract)
	$(MAKE) --no-print-directory contract-versions
	ENCBENCH_CLUSTER_POLICIES=1 $(cluster) $(on_one) tests/teardown
	ENCBENCH_CLUSTER_POLICIES=1 $(cluster) tests/e2e_nodes tests/e2e tests/teardown
	$(MAKE) --no-print-directory chaos down

.PHONY: e2e
e2e: ## The product as a user drives it, on a real cluster, faults and two more nodes included
	$(cluster) $(short) -m 'not full'

.PHONY: e2e-nodes
e2e-nodes: ## Placement, drain and the loss of a node, on a cluster of three
	$(cluster) tests/e2e_nodes tests/teardown -m 'not full'

.PHONY: chaos
chaos: ## Break a cluster of our own at random moments for MINUTES=30; prints the seed; ARGS=--help
	$(python) -m tests.chaos --minutes $(MINUTES) $(ARGS)

.PHONY: fuzz
fuzz: ## Fuzz every parser for FUZZ_SECONDS=600 each; prints the seed
	ENCBENCH_FUZZ_SEED=$${ENCBENCH_FUZZ_SEED:-$$(date +%s)} ENCBENCH_FUZZ_SECONDS=$(FUZZ_SECONDS) \
		$(python) -m pytest -q -n auto --maxprocesses 2 tests/fuzz -m full

.PHONY: format
format: ## Format the code and mend what the linter can
	$(venv)/bin/ruff check --fix --quiet . || true
	$(venv)/bin/ruff format --quiet .

.PHONY: format-java
format-java: ## Format the Java parts
	mvn -B -q -f images/tpcc spotless:apply
	mvn -B -q -f tests/contract/conformance/java spotless:apply

.PHONY: crds
crds: ## Generate crds/, docs/lifecycle.md, docs/reference/ and the chart's README
	$(python) -m encbench.api.crd
	$(python) -m encbench.api.lifecycle_page
	$(python) -m encbench.api.reference
	$(python) -m encbench.report.reference
	$(python) -m tests.chart_readme

.PHONY: lock
lock: ## Pin the requirements again
	operator/lock.sh

.PHONY: release
release: ## Write chart, images for amd64 and arm64, plugin, SBOMs into build/release; VERSION=1.2.0
	@$(python) -m tests.release $(VERSION) $(RELEASE_ARGS)

.PHONY: sbom
sbom: ## Write what is in each image into build/sbom, as CycloneDX
	$(python) -m tests.support.sbom build/sbom

.PHONY: cluster
cluster: ## Bring a Kubernetes up on this machine; NODES=1, 2 or 3
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

.PHONY: calibration
calibration: ## Simulated campaigns: coverage of the intervals, wrong verdicts; prints the figures
	$(bounded) tests/calibration -m 'not full'

.PHONY: compare
compare: ## Compare what two revisions produce; BEFORE=HEAD AFTER= (the working tree)
	$(python) -m tests.revisions $(BEFORE) $(AFTER)

.PHONY: bench-aa
bench-aa: ## Real A/A campaigns, their verdicts and noise floors; ARGS=--help
	$(python) -m tests.bench.aa $(ARGS)

.PHONY: bench-ledger
bench-ledger: ## Time and memory that many finished trials cost a new operator; TRIALS=10000
	$(python) -m tests.bench.ledger_scale --trials $(or $(TRIALS),10000)

.PHONY: bench-report
bench-report: ## Time and memory that the report of a large campaign takes; TRIALS=10000 ROUNDS=0
	$(python) -m tests.bench.report_scale --trials $(or $(TRIALS),10000) --rounds $(or $(ROUNDS),0)

.PHONY: bench-scale
bench-scale: ## Trials a second of one operator, on KWOK, beside the ceiling without it; ARGS=--help
	$(python) -m tests.bench.scale $(ARGS)

.PHONY: bench-observer
bench-observer: ## What collection costs: switched on and off under load; MINUTES=10 DATABASE_CPU=1
	$(python) -m tests.bench.observer

.PHONY: bench-dead-time
bench-dead-time: ## Measure the time between measured windows on warm testbeds
	$(python) -m tests.bench.dead_time

.PHONY: bench-precision
bench-precision: ## Half-widths of interleaved and of sequential blocks at equal time; ARGS=--help
	$(python) -m tests.bench.precision $(ARGS)

.PHONY: bench-solo
bench-solo: ## Whether interleaved blocks say the same as sequential ones; ARGS=--help
	$(python) -m tests.bench.solo $(ARGS)

.PHONY: bench-tpcc
bench-tpcc: ## Measure what the TPC-C client costs, on PostgreSQL on loopback
	$(python) -m tests.bench.tpcc

.PHONY: bench-tpcc-beside
bench-tpcc-beside: ## The TPC-C client beside your own BenchmarkSQL 6; BENCHMARKSQL=/path/to/it LAUNCHES=6 ROUNDS=20
	$(python) -m tests.bench.tpcc_beside

.PHONY: bench-proxy
bench-proxy: ## Measure what the confidential proxy costs, beside a raw relay; REPEATS=5
	$(python) -m tests.bench.proxy

.PHONY: bench-proxy-rate
bench-proxy-rate: ## The proxy beside a raw relay at an equal rate: CPU a query; PROGRAMS=a=PATH,b=PATH
	$(python) -m tests.bench.proxy_rate

.PHONY: bench-encjdbc
bench-encjdbc: ## Measure what the encrypting driver costs its client, beside ShardingSphere; LAUNCHES=15
	$(python) -m tests.bench.encjdbc

.PHONY: bench-enclave
bench-enclave: ## Measure encrypted columns in PostgreSQL, beside plain ones and pgcrypto; LAUNCHES=45
	$(python) -m tests.bench.enclave
