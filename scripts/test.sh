#!/usr/bin/env bash
# All tests: unit, against real parts, and the whole stack.
source "$(dirname "$0")/common.sh"
source "$ROOT/scripts/wheels.sh"
cd "$ROOT"
export STACK=test
trap 'scripts/stack.sh down >/dev/null 2>&1 || true' EXIT
say "building"
swift build --build-tests
scripts/stack.sh down
rm -rf .local/test
scripts/stack.sh infra
set -a
source .local/test/test.env
RIAL_TEST_BROKER_PROGRAM="$BROKER_BIN"
set +a
say "running the tests"
swift test --skip-build "$@"
if command -v docker-compose >/dev/null && [ -e Tests/deploy/check_compose.py ]; then
    say "checking docker-compose.yml"
    python3 Tests/deploy/check_compose.py
fi
