# `make help` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
SOURCES := Package.swift Services Shared Clients Tests $(wildcard Benchmarks Fuzz)
CONFIGURATION := $(if $(filter release,$(RIAL_BUILD)),-c release)
.PHONY: help setup build demo up down status clean-stack test test-faults test-images test-alarms soak bench bench-compare fuzz format lint

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing
	@scripts/setup.sh

build: setup ## build everything; RIAL_BUILD=release for speed
	swift build $(CONFIGURATION)

demo: up ## build, start the stack, send captures through and show their evidence
	@scripts/demo.sh

up: build ## start the stack; STACK=name for another beside it, any RIAL_… variable is passed on
	@scripts/stack.sh up

down: ## end the stack, keep its data
	@scripts/stack.sh down

status: ## what of the stack is running
	@scripts/stack.sh status || true

clean-stack: ## end the stack and delete its data
	@scripts/stack.sh clean

test: ## run all tests
	@scripts/setup.sh --tests
	@scripts/test.sh

test-faults: ## kill, restart and starve every part, at length; RIAL_TEST_SEED repeats its chances
	@scripts/setup.sh --tests
	@RIAL_TEST_FAULTS=full scripts/test.sh --filter 'SystemTests|VideoDecodingTests|SimulatedCameraTests'

test-images: ## build every image, and run them as docker-compose.yml does; root, and half an hour
	@scripts/setup.sh --tests
	@Tests/images/run.sh

test-alarms: build ## fire every alarm by a real fault on a new stack, with Prometheus; a quarter of an hour
	@scripts/setup.sh --tests
	@Tests/alarms/run.sh

soak: setup ## SOAK_MINUTES (10) of captures while one part after the other is killed, stopped, cut, made read-only; SOAK_SEED repeats one
	@scripts/soak.sh

bench: setup ## measure a release build against its targets; BENCH_SECONDS a run (30), BENCH_ROWS captures in the database (0), BENCH_WHAT photos, videos, log
	@scripts/bench.sh

bench-compare: setup ## measure commit REF and this one in turn, RUNS of each (4)
	@scripts/bench-compare.sh "$(REF)" $(RUNS)

fuzz: setup ## fuzz every parser, FUZZ_SECONDS each (600)
	@scripts/fuzz.sh

format: ## format the sources
	swift format -i -r -p $(SOURCES)

lint: ## check the format, and the scripts where shellcheck is installed
	swift format lint -r -p --strict $(SOURCES)
	@if command -v shellcheck >/dev/null; then shellcheck -x scripts/*.sh scripts/*/*.sh deploy/*.sh Tests/*/*.sh .ci/run; fi
