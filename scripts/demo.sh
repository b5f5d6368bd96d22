#!/usr/bin/env bash
# Sends rendered captures to a running stack and shows their evidence.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
settings="$ROOT/.local/${STACK:-dev}/stack.env"
[ -e "$settings" ] || fail "the stack '${STACK:-dev}' is not up" "run: make up"
set -a
# shellcheck disable=SC1090
source "$settings"
set +a
"$ROOT/.build/${RIAL_BUILD:-debug}/rial" demo "$@" ||
    fail "the demo did not end as it should" "logs are in .local/${STACK:-dev}/logs; the stack is still up (make down ends it)"
say "the stack is up at $RIAL_PUBLIC_URL; make down ends it"
