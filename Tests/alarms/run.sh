#!/usr/bin/env bash
# Fires alarms of deploy/prometheus/rules.yml by real faults on a new stack, with Prometheus, and waits until they are over:
# Tests/alarms/run.sh [OPTION…]; options go to unittest. It takes minutes and is not part of `make test`.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"
use_test_stack alarms
# Captures are announced again soon, and nothing is limited.
RIAL_ANNOUNCE_AGAIN_SECONDS=5 scripts/stack.sh up alarms
set -a
# shellcheck disable=SC1091
source .local/alarms/stack.env
set +a
export PYTHONDONTWRITEBYTECODE=1 RIAL_TEST_STACK="$ROOT/.local/alarms" RIAL_TEST_PROGRAMS="$ROOT/.build/${RIAL_BUILD:-debug}"
say "firing alarms"
PYTHONPATH=Tests/alarms python3 -m unittest -v "$@" test_alarms
