#!/usr/bin/env bash
# Compares the gateway's responses with docs/openapi.yaml on a new stack: Tests/contract/run.sh. Arguments go to check_openapi.py.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"
use_test_stack contract
python_for Tests/contract
# Limits are on, for their headers, but too high to be reached.
RIAL_LIMIT_CHALLENGES_PER_MINUTE=1000 RIAL_LIMIT_REGISTRATIONS_PER_MINUTE=1000 RIAL_LIMIT_CAPTURES_PER_HOUR=10000 \
    RIAL_LIMIT_CAPTURES_BURST=10000 RIAL_LIMIT_CAPTURES_UNVERIFIED_BURST=10000 RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR=10000 \
    RIAL_LIMIT_VIDEOS_PER_HOUR=10000 RIAL_LIMIT_VIDEOS_BURST=10000 RIAL_LIMIT_VERIFICATIONS_PER_HOUR=100000 scripts/stack.sh up contract
set -a
# shellcheck disable=SC1091
source .local/contract/stack.env
set +a
# A second gateway with low limits and public URLs of the store.
RIAL_LIMIT_CHALLENGES_PER_MINUTE=2 RIAL_LIMIT_REGISTRATIONS_PER_MINUTE=2 RIAL_LIMIT_CAPTURES_PER_HOUR=2 RIAL_LIMIT_CAPTURES_BURST=2 \
    RIAL_LIMIT_VIDEOS_PER_HOUR=2 RIAL_LIMIT_VIDEOS_BURST=2 RIAL_LIMIT_VERIFICATIONS_PER_HOUR=2 RIAL_S3_PUBLIC_ENDPOINT="$RIAL_S3_ENDPOINT" scripts/stack.sh start gateway 2
RIAL_CONTRACT_LIMITS="http://127.0.0.1:$(cat .local/contract/run/gateway.2.http)"
export RIAL_CONTRACT_LIMITS RIAL_CONTRACT_FAULTS=1 PYTHONDONTWRITEBYTECODE=1
say "holding the gateway to docs/openapi.yaml"
"$PYTHON" Tests/contract/check_openapi.py "$@"
