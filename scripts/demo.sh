#!/usr/bin/env bash
# Sends captures of our own through a running stack.
source "$(dirname "$0")/common.sh"
set -a
source "$ROOT/.local/${STACK:-dev}/stack.env"
set +a
exec "$ROOT/.build/${RIAL_BUILD:-debug}/rial" demo
