#!/usr/bin/env bash
# Holds the gateway of a stack of its own to docs/openapi.yaml: Tests/contract/run.sh. Arguments go to check_openapi.py.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"
# Always its own stack, whatever the caller's is: parts of it are stopped, and its data is deleted.
export STACK=contract
NAMES=$(compgen -e RIAL_ || true)
for name in $NAMES; do [ "$name" = RIAL_BUILD ] || unset "$name"; done
python_for Tests/contract
finish() {
    local status=$?
    # After a failure the logs stay to be read.
    if [ $status = 0 ]; then scripts/stack.sh clean contract; else scripts/stack.sh down contract; fi >/dev/null 2>&1 || true
}
trap finish EXIT
trap 'exit 130' INT TERM

scripts/stack.sh clean contract
# Limits that are on, for their headers, and out of the way.
RIAL_LIMIT_CHALLENGES_PER_MINUTE=1000 RIAL_LIMIT_REGISTRATIONS_PER_MINUTE=1000 RIAL_LIMIT_CAPTURES_PER_HOUR=10000 \
    RIAL_LIMIT_CAPTURES_BURST=10000 RIAL_LIMIT_CAPTURES_UNVERIFIED_BURST=10000 RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR=10000 \
    RIAL_LIMIT_VERIFICATIONS_PER_HOUR=100000 scripts/stack.sh up contract
set -a
# shellcheck disable=SC1091
source .local/contract/stack.env
set +a
# A second gateway where every limit is near, and whose store is public.
RIAL_LIMIT_CHALLENGES_PER_MINUTE=2 RIAL_LIMIT_REGISTRATIONS_PER_MINUTE=2 RIAL_LIMIT_CAPTURES_PER_HOUR=2 RIAL_LIMIT_CAPTURES_BURST=2 \
    RIAL_LIMIT_VERIFICATIONS_PER_HOUR=2 RIAL_S3_PUBLIC_ENDPOINT="$RIAL_S3_ENDPOINT" scripts/stack.sh start gateway 2
RIAL_CONTRACT_LIMITS="http://127.0.0.1:$(cat .local/contract/run/gateway.2.http)"
export RIAL_CONTRACT_LIMITS RIAL_CONTRACT_FAULTS=1 PYTHONDONTWRITEBYTECODE=1
say "holding the gateway to docs/openapi.yaml"
"$PYTHON" Tests/contract/check_openapi.py "$@"
