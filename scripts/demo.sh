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
# A video of the room, recorded, signed and sent as a phone does.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export RIAL_DEVICE_STATE="$folder/device.json"
say "recording 6 s of a room, signed after 5 s and at its end …"
"$ROOT/.build/${RIAL_BUILD:-debug}/rial" video record --scene room --seconds 6 --size 320x240 --out "$folder/video"
"$ROOT/.build/${RIAL_BUILD:-debug}/rial" video send "$folder/video" --watch | tee "$folder/report"
grep -q '^confidence *HIGH$' "$folder/report" || fail "the video should be HIGH" "logs are in .local/${STACK:-dev}/logs"
say "the stack is up at $RIAL_PUBLIC_URL; make down ends it"
