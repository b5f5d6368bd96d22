#!/usr/bin/env bash
# Fires every alarm of deploy/prometheus/rules.yml by a real fault on a new stack, with Prometheus, and waits until it is over:
# Tests/alarms/run.sh [OPTION…]; options go to unittest. It takes a quarter of an hour and is not part of `make test`.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"
use_test_stack alarms
# Captures are announced again soon, and nothing is limited.
export RIAL_ANNOUNCE_AGAIN_SECONDS=5 RIAL_LIMIT_CAPTURES_PER_HOUR=0
scripts/stack.sh up alarms
set -a
# shellcheck disable=SC1091
source .local/alarms/stack.env
set +a
export PYTHONDONTWRITEBYTECODE=1 RIAL_TEST_STACK="$ROOT/.local/alarms" RIAL_TEST_PROGRAMS="$ROOT/.build/${RIAL_BUILD:-debug}"
say "firing alarms"
# Services come last, since the local broker may need minutes after their tests to form its groups.
PYTHONPATH=Tests/alarms python3 -m unittest -v "$@" test_rules test_captures test_storage test_signing test_log test_services
