# `make help` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup build demo up down clean-stack test test-faults bench fuzz format lint

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-12s %s\n", $$1, $$2}'

setup: ## install what is missing
	@scripts/setup.sh

build: setup
	swift build $(if $(filter release,$(RIAL_BUILD)),-c release)

demo: up ## build, start the stack, send captures through and show their evidence
	@scripts/demo.sh

up: build ## start the stack; STACK=name for another beside it
	@scripts/stack.sh up

down: ## end the stack, keep its data
	@scripts/stack.sh down

clean-stack: down ## end the stack and delete its data
	@rm -rf .local/$${STACK:-dev}

test: setup ## run all tests
	@scripts/test.sh

format: ## format the sources
	swift format -i -r -p Package.swift Services Shared Clients Tests

lint: ## check the format
	swift format lint -r -p Package.swift Services Shared Clients Tests
