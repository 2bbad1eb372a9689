.DEFAULT_GOAL := help
.PHONY: help start release sandbox test test-long test-nodes torture check generate dev migration format bench replay browser-test lint-spec lint-pages api-diff conformance sdks signatures

# Runs a command and says how long it took, whatever came of it.
timed = began=$$(date +%s); $(1); status=$$?; took=$$(($$(date +%s) - began)); \
  echo "Took $$((took / 60)) min $$((took % 60)) s."; exit $$status

# The newest Node with long-term support: that of the image and of the benchmark.
LONG_TERM_NODE = 24

# Runs a command on a version of Node, which npm downloads once.
on_node = npx --yes --package=node@$(1) -- $(2)

# Written at the end of each, so that what was interrupted is done again.
INSTALLED = node_modules/.package-lock.json
BUILT = dist/server/main.js

SOURCES := $(shell find contract server generated -name '*.ts' -o -name '*.tsx' -o -path '*/members/*.css' -o -path '*/pages/embed/*' 2>/dev/null)

help: ## Print what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

start: supported $(BUILT) ## Install and build what is missing, then run the service
	@echo 'Starting the service'
	@exec node --enable-source-maps $(BUILT)

sandbox: supported $(BUILT) ## Run the service as a sandbox for tests of clients: a seeded world, a clock that can be set, every outcome on demand
	@exec env SANDBOX=true node --enable-source-maps $(BUILT)

test: $(INSTALLED) ## Run the tests of every change against a real PostgreSQL (embedded, or DATABASE_URL when set; with POOLER=1 through PgBouncer, with CITUS=1 on a cluster): ONLY="replay flows updateFolder"
ifeq ($(CITUS)$(DATABASE_URL),1)
	@echo 'Skipped: no cluster is given. Set DATABASE_URL to the coordinator of one, which knows the other nodes.'
else
	@$(call timed,node tests/only.mjs $(ONLY))
endif

test-nodes: $(INSTALLED) ## Run the tests on each Node that is maintained, which npm downloads: ONLY=chat NODES="22 26"
	@for node in $(or $(NODES),22 $(LONG_TERM_NODE) 26); do \
	  echo "Node $$node"; $(call on_node,$$node,node tests/only.mjs $(ONLY)) || exit 1; \
	done

test-long: $(INSTALLED) ## Run whole what `make test` runs a part of or leaves out: all operations, many more made-up cases, browsers, crashes; takes an hour and more: ONLY=hostile
	@$(call timed,LONG_TESTS=1 npm --silent test -- $(or $(ONLY),$(shell grep -l '/runs.ts' tests/*.ts tests/*/*.ts) tests/browser tests/process tests/bench.test tests/client-package tests/db/embedded tests/db/session-settings tests/flows/poisoned-queues tests/flows/command-pipeline))

torture: $(INSTALLED) ## Break processes, networks and databases and hold what came of it against what is promised; half an hour and more: SEED=1 MINUTES=10 ONLY="F9 histories"
	@$(call timed,npx --no-install tsx tests/torture/main.ts)

check: $(INSTALLED) tests/redos/node_modules ## Check types, lint, formatting, regular expressions and generated files; needs no database
	@npm --silent run typecheck
	@npm --silent run lint
	@npx --no-install tsx tests/redos/main.ts
	@npm --silent test -- --selectProjects contract

generate: $(INSTALLED) ## Write openapi.yaml, generated/ and the catalogue table from contract/
	@npm --silent run generate

release: $(BUILT) ## Write packages, archives, a bill of materials and checksums of this commit to release/; the same commit gives the same bytes
	@npx --no-install tsx server/release.ts

dev: $(INSTALLED) ## Run the service from its sources and restart it when they change
	@npx --no-install tsx watch server/main.ts

migration: $(INSTALLED) ## Make the migration that brings the database to server/db/schema.ts: name=...
	@npx --no-install drizzle-kit generate --name $(name)

format: $(INSTALLED) ## Format the sources and mend what lint can mend
	@npm --silent run format

bench: $(BUILT) tests/bench/node_modules ## Measure the service against floors and other frameworks, in twenty minutes, or against a revision of itself: AGAINST=HEAD~1 ONLY="getBotLarge startChat"
	@npx --no-install tsc -p tests/bench
	@$(call on_node,$(LONG_TERM_NODE),node_modules/.bin/tsx tests/bench/$(if $(AGAINST),against.ts $(AGAINST),main.ts) $(ONLY))

replay: $(INSTALLED) ## Replay an OpenAPI document against any server, and compare them: ARGS="openapi.yaml --server URL --token TOKEN"
	@npx --no-install tsx tests/kit/replay/main.ts $(ARGS)

browser-test: $(INSTALLED) ## Use the pages in a real browser (CHROMIUM names one in an unusual place)
	@npm --silent test -- tests/browser --selectProjects service

lint-spec: $(INSTALLED) tests/lint/node_modules ## Lint openapi.yaml, its forms and the document of the second service with Redocly and Spectral at their strictest, and score them; takes some minutes
	@npm --silent --prefix tests/lint run lint
	@npx --no-install tsx tests/lint/exceptions.ts
	@npx --no-install tsx tests/lint/score.ts

lint-pages: tests/lint/node_modules ## Lint the scripts and styles of pages for the oldest browsers that README.md names
	@npm --silent --prefix tests/lint run pages

api-diff: $(INSTALLED) tests/lint/node_modules ## Label what changed in openapi.yaml since the last release; fail on what CHANGELOG.md does not announce: ARGS="BEFORE AFTER"
	@npx --no-install tsx tests/kit/api-diff/main.ts --redocly tests/lint/node_modules/.bin/redocly --released contract/released --document openapi.yaml --changelog CHANGELOG.md $(ARGS)

conformance: $(INSTALLED) tests/conformance/.venv ## Try the service with thousands of requests that Schemathesis makes of openapi.yaml; takes an hour: ARGS=...
	@npx --no-install tsx tests/conformance/main.ts $(ARGS)

tests/conformance/.venv: tests/conformance/requirements.txt
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || \
	  { echo 'make conformance needs Python 3.11 or newer as python3' >&2; exit 1; }
	@python3 -m venv $@ && $@/bin/pip install --quiet --disable-pip-version-check --requirement $< || { rm -rf $@; exit 1; }
	@touch $@

sdks: $(INSTALLED) tests/sdks/node_modules ## Generate clients in seven languages, compile them and try them on the service; skips languages that are not installed: ONLY=go
	@npx --no-install tsx tests/sdks/main.ts $(ONLY)

signatures: $(INSTALLED) ## Hold the signatures of webhooks against the official libraries of three languages; skips languages that are not installed
	@npx --no-install tsx tests/signatures/main.ts

# Tools that not everybody needs have an install of their own.
tests/%/node_modules: tests/%/package.json tests/%/package-lock.json
	@echo 'Installing the packages of tests/$*'
	@npm ci --silent --prefix tests/$*
	@touch $@

$(INSTALLED): package.json package-lock.json | supported
	@echo 'Installing packages, PostgreSQL among them: about a minute'
	@node server/setup.mjs install
	@touch $@

$(BUILT): $(INSTALLED) $(SOURCES)
	@echo 'Building the service: some seconds'
	@node server/setup.mjs build
	@touch $@

.PHONY: supported
supported:
	@command -v node > /dev/null && command -v npm > /dev/null || \
	  { echo 'Node 20.15 or newer is needed, with npm, and there is none on the PATH: install it from https://nodejs.org' >&2; exit 1; }
	@case "$$(node --version)" in v[0-9].*|v1[0-9].*) \
	  echo "Node 20.15 or newer is needed, this is $$(node --version): install a newer one from https://nodejs.org" >&2; exit 1;; esac
	@node server/supported.cjs
