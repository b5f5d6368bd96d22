#!/usr/bin/env bash
# Tries the site in Chromium over a stack of its own: Tests/browser/run.sh [TEST MODULE…]. Screenshots go to .local/browser-shots.
# KEEP=NAME uses the stack of that name and leaves it up, with its records, for the next run.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"
# Always its own stack, whatever the caller's is: parts of it are stopped, and its data is deleted.
export STACK=${KEEP:-browser}
unset_settings
CHROMIUM=$(command -v chromium || command -v chromium-browser) || fail "Chromium is missing" "run: scripts/setup.sh --tests"
command -v chromedriver >/dev/null || fail "chromedriver is missing" "run: scripts/setup.sh --tests"
python_for Tests/browser --no-deps
SHOTS="$ROOT/.local/browser-shots"
finish() {
    local status=$?
    if [ -d "$SHOTS" ]; then say "screenshots are in $SHOTS"; fi
    if [ -n "${KEEP:-}" ]; then return; fi
    # After a failure the logs stay to be read.
    if [ $status = 0 ]; then scripts/stack.sh clean "$STACK"; else scripts/stack.sh down "$STACK"; fi >/dev/null 2>&1 || true
}
trap finish EXIT
trap 'exit 130' INT TERM

if [ -z "${KEEP:-}" ]; then
    scripts/stack.sh clean "$STACK"
    if [ $# = 0 ]; then rm -rf "$SHOTS"; fi
fi
# Limits out of the way.
RIAL_LIMIT_CHALLENGES_PER_MINUTE=1000 RIAL_LIMIT_REGISTRATIONS_PER_MINUTE=1000 RIAL_LIMIT_CAPTURES_PER_HOUR=10000 \
    RIAL_LIMIT_CAPTURES_BURST=10000 RIAL_LIMIT_CAPTURES_UNVERIFIED_BURST=10000 RIAL_LIMIT_CAPTURES_PER_ADDRESS_HOUR=10000 \
    RIAL_LIMIT_VERIFICATIONS_PER_HOUR=100000 scripts/stack.sh up "$STACK"
set -a
# shellcheck disable=SC1090
source ".local/$STACK/stack.env"
set +a
MODULES=("$@")
if [ $# = 0 ]; then
    for file in Tests/browser/test_*.py; do MODULES+=("$(basename "$file" .py)"); done
fi
say "trying the site in $("$CHROMIUM" --version 2>/dev/null | cut -d ' ' -f 1-2)"
# Selenium must neither fetch a driver nor report what it does. In a subshell: what is left to do at the end starts from the root.
(
    cd Tests/browser
    SE_OFFLINE=true SE_AVOID_STATS=true PYTHONDONTWRITEBYTECODE=1 RIAL_BROWSER_SHOTS="$SHOTS" \
        "$PYTHON" run.py "${MODULES[@]}"
)
