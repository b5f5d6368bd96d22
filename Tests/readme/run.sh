#!/usr/bin/env bash
# Runs the commands of README.md and docs in new shells, with a new stack: Tests/readme/run.sh.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"
use_test_stack readme
scripts/stack.sh up readme
say "running the commands of README.md and docs"
python3 Tests/readme/paste.py readme
