#!/usr/bin/env bash
# Tests the site in Chromium on its own stack: Tests/browser/run.sh [TEST MODULE…]. Screenshots are saved in .local/browser-shots.
# KEEP=NAME uses the stack of that name and leaves it up, with its records, for the next run.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"
# Ignores the caller's STACK: parts of the test stack are stopped, and its data is deleted.
export STACK=${KEEP:-browser}
unset_settings
CHROMIUM=$(command -v chromium-headless-shell || command -v chromium || command -v chromium-browser) || fail "Chromium is missing" "run: scripts/setup.sh --tests"
command -v chromedriver >/dev/null || fail "chromedriver is missing" "run: scripts/setup.sh --tests"
python_for Tests/browser --no-deps
SHOTS="$ROOT/.local/browser-shots"
finish() {
    local status=$?
    if [ -d "$SHOTS" ]; then say "screenshots are in $SHOTS"; fi
    if [ -n "${KEEP:-}" ]; then return; fi
    # Keep the logs after a failure.
    if [ $status = 0 ]; then scripts/stack.sh clean "$STACK"; else scripts/stack.sh down "$STACK"; fi >/dev/null 2>&1 || true
}
trap finish EXIT
trap 'exit 130' INT TERM

if [ -z "${KEEP:-}" ]; then
    scripts/stack.sh clean "$STACK"
    if [ $# = 0 ]; then rm -rf "$SHOTS"; fi
fi
# Limits high enough not to be reached.
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
# Selenium must neither download a driver nor send statistics. In a subshell, since the clean-up at exit needs the root as its working
# directory.
(
    cd Tests/browser
    SE_OFFLINE=true SE_AVOID_STATS=true PYTHONDONTWRITEBYTECODE=1 RIAL_BROWSER_SHOTS="$SHOTS" \
        "$PYTHON" run.py "${MODULES[@]}"
)
