#!/usr/bin/env bash
# Pastes the commands of README.md and docs into new shells, over a stack of its own: Tests/readme/run.sh.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"
export STACK=readme
NAMES=$(compgen -e RIAL_ || true)
for name in $NAMES; do [ "$name" = RIAL_BUILD ] || unset "$name"; done
finish() {
    local status=$?
    # After a failure the logs stay to be read.
    if [ $status = 0 ]; then scripts/stack.sh clean readme; else scripts/stack.sh down readme; fi >/dev/null 2>&1 || true
}
trap finish EXIT
trap 'exit 130' INT TERM

scripts/stack.sh clean readme
scripts/stack.sh up readme
say "pasting the commands of README.md and docs"
python3 Tests/readme/paste.py readme
