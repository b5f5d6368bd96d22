#!/usr/bin/env bash
# Sends rendered captures to a running stack and shows their evidence.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
settings="$ROOT/.local/${STACK:-dev}/stack.env"
[ -e "$settings" ] || fail "the stack '${STACK:-dev}' is not up" "run: make up"
# The stack's own settings must not become those of each service when it starts again.
mapfile -d '' -t environment < <(env -0)
stack() { env -i "${environment[@]}" "$ROOT/scripts/stack.sh" "$@"; }
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
# The public log, as a stranger checks it: every entry and tile, and what its witnesses have cosigned.
say "checking the public log from its public files"
"$ROOT/.build/${RIAL_BUILD:-debug}/rial" log monitor "$RIAL_LOG_PREFIX" --policy "$RIAL_LOG_POLICY" --state "$folder/monitor" --once ||
    fail "something is wrong with the public log" "logs are in .local/${STACK:-dev}/logs"
# What is left to who relies on it: a file, the policy, and no server.
say "fetching the video's evidence bundle"
id=$(sed -n 's/^capture  *\([0-9a-f-]\{36\}\)$/\1/p' "$folder/report" | tail -n 1)
"$ROOT/.build/${RIAL_BUILD:-debug}/rial" bundle get "$id" --media -o "$folder/video.rial"
say "stopping every service, and verifying the bundle"
for service in "${SERVICES[@]}"; do stack stop "$service"; done
status=0
env -i "$ROOT/.build/${RIAL_BUILD:-debug}/rial" verify --bundle "$folder/video.rial" --policy "$RIAL_LOG_POLICY" || status=$?
stack up >/dev/null
[ $status = 0 ] || fail "the bundle does not prove the verdict" "logs are in .local/${STACK:-dev}/logs"
say "the stack is up at $RIAL_PUBLIC_URL; make down ends it"
