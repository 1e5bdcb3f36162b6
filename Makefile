# Everything a person does with the checkout. `make help` lists it.

.DEFAULT_GOAL := help
.PHONY: help run test test-drivers metamorphic soak fuzz deny bench sanitize lint library console dist tools

CARGO_TARGET_DIR ?= $(CURDIR)/target
export CARGO_TARGET_DIR

FIRN_DATA_DIR ?= ./firn-data
export FIRN_DATA_DIR

FIRN_ROUNDS ?= 1000

# FEATURES=bundled compiles libduckdb from source instead of fetching the prebuilt one (CONTRIBUTING.md).
FEATURES ?=
export FEATURES
CARGO_FEATURES := $(if $(FEATURES),--features firn/$(FEATURES))

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: library console ## build the server and start it with the demo database, data in ./firn-data
	cargo build --release --locked --workspace --bin firn $(CARGO_FEATURES)
	"$(CARGO_TARGET_DIR)/release/firn" serve --demo

test: library console ## lint, unit tests, and every suite against the real server
	scripts/test.sh

test-drivers: library ## run all suites of drivers and tools of others against the server, dbt's and SQLAlchemy's own among them
	cargo build --release --locked --workspace --bin firn $(CARGO_FEATURES)
	scripts/driver_tests.sh all

metamorphic: library ## run every query of tests/sql in variants that mean the same, and compare the binder's types with the server's
	cargo build --release --locked --workspace --all-targets $(CARGO_FEATURES)
	cargo test --release --locked --workspace --no-fail-fast $(CARGO_FEATURES) --test metamorphic --test agreement -- --ignored --nocapture

soak: library ## kill the server at random points, FIRN_ROUNDS times (1000); FIRN_SEED repeats a run
	cargo build --release --locked --workspace --all-targets $(CARGO_FEATURES)
	FIRN_ROUNDS=$(FIRN_ROUNDS) cargo test --release --locked --workspace $(CARGO_FEATURES) --test crashes -- --nocapture

fuzz: library ## mutated inputs for the parser, binder, analyst, tokens and endpoints, for FIRN_SECONDS (600)
	scripts/fuzz.sh

deny: tools ## check the licenses, versions, sources and advisories of the dependencies with cargo-deny
	scripts/deny.sh

bench: library ## measure the server against its peers and print the ratios
	scripts/bench.sh

sanitize: library ## run unit tests and suites with AddressSanitizer (an hour or more)
	scripts/sanitize.sh

lint: library ## check the formatting and the lints
	scripts/lint.sh

library: tools
	@scripts/fetch_libduckdb.sh

console: ## build the console into web/dist, which the binary brings along
	@scripts/build_console.sh

dist: library console ## make the packages in dist/: tar.gz, wheel, .deb, Dockerfile, checksums
	@scripts/dist.sh

tools:
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust 1.90 or later, with rustup or your package manager"; exit 1; }
