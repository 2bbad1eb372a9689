.DEFAULT_GOAL := help
.PHONY: help start test check generate dev migration format bench browser-test lint-spec

SOURCES := $(shell find contract server generated -name '*.ts' 2>/dev/null)

help: ## Print what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

start: dist ## Install and build what is missing, then run the service
	@npm --silent start

test: node_modules ## Run every test against a real PostgreSQL (embedded, or DATABASE_URL when set)
	@npm --silent test

check: node_modules ## Check types, lint, formatting and generated files; needs no database
	@npm --silent run typecheck
	@npm --silent run lint
	@npm --silent test -- --selectProjects contract

generate: node_modules ## Write openapi.yaml, generated/ and the catalogue table from contract/
	@npm --silent run generate

dev: node_modules ## Run the service from its sources and restart it when they change
	@npx --no-install tsx watch server/main.ts

migration: node_modules ## Make the migration that brings the database to server/db/schema.ts: name=...
	@npx --no-install drizzle-kit generate --name $(name)

format: node_modules ## Format the sources and mend what lint can mend
	@npm --silent run format

bench: dist ## Measure the service against a floor and other frameworks; takes up to ten minutes
	@npx --no-install tsx tests/bench/main.ts

browser-test: node_modules ## Use the pages in a real browser (CHROMIUM names one in an unusual place)
	@npm --silent test -- tests/browser --selectProjects service

lint-spec: ## Lint openapi.yaml with Redocly and Spectral at their strictest useful settings
	@npm ci --silent --prefix tests/lint
	@npm --silent --prefix tests/lint run lint

node_modules: package.json package-lock.json
	@npm ci
	@touch node_modules

dist: node_modules $(SOURCES) tsconfig.json tsconfig.build.json
	@npm --silent run build
	@touch dist
