#!/usr/bin/env bash
# Runs all tests: units, against real dependencies, of the whole stack, of the site in a browser, of the documents' commands and of
# docker-compose.yml.
# Arguments go to `swift test`.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"
# Always uses a stack of its own, since its data is deleted. Tests that start stacks have names of their own.
unset STACK
started=$SECONDS
failed=()
# Groups that run: "PID NAME" each.
running=()
# How long each phase and group took: "SECONDS NAME" each.
took=()
finish() {
    local status=$?
    if [ -n "$outside_pid" ]; then
        kill -TERM -- "-$outside_pid" 2>/dev/null || true
        wait "$outside_pid" || true
    fi
    # After a failure the logs are kept.
    if [ $status = 0 ]; then scripts/stack.sh clean test; else scripts/stack.sh down test; fi >/dev/null 2>&1 || true
}
trap finish EXIT
trap 'exit 130' INT TERM

say "building"
swift build --build-tests || fail "the build failed" "its errors are above"
# Starts without data of an earlier run.
scripts/stack.sh clean test
scripts/stack.sh infra test
logs=.local/test/logs
mkdir -p "$logs"
set -a
# shellcheck disable=SC1091
source .local/test/test.env
# shellcheck disable=SC2034 # for tests that restart a broker of their own
RIAL_TEST_TANSU="$BROKER_BIN"
set +a

say "running the tests"
results=.local/test/logs/swift-test.log
outside=.local/test/logs/outside.log
mkdir -p "$(dirname "$results")"
# Tests that use the services from outside run beside the Swift tests, on stacks of their own, since both mostly wait. The speed of pages is
# measured afterwards.
outside() {
    local module
    local -a modules=()
    for module in Tests/browser/test_*.py; do
        module=$(basename "$module" .py)
        [ "$module" = test_speed ] || modules+=("$module")
    done
    Tests/contract/run.sh || echo Tests/contract >>"$outside.failed"
    Tests/browser/run.sh "${modules[@]}" || echo Tests/browser >>"$outside.failed"
    Tests/readme/run.sh || echo Tests/readme >>"$outside.failed"
}
if [ $# = 0 ]; then
    rm -rf .local/browser-shots
    set -m
    outside >"$outside" 2>&1 &
    outside_pid=$!
    set +m
fi
# One after the other: on a small machine, tests that block threads or wait for deadlines would starve each other.
swift test --skip-build --no-parallel "$@" 2>&1 | tee "$results" || failed+=("swift test")
if [ -n "$outside_pid" ]; then
    say "waiting for Tests/contract, Tests/browser and Tests/readme"
    wait "$outside_pid" || failed+=("the tests from outside")
    outside_pid=
    cat "$outside"
    if [ -e "$outside.failed" ]; then while read -r suite; do failed+=("$suite"); done <"$outside.failed"; fi
    Tests/browser/run.sh test_speed || failed+=("Tests/browser test_speed")
fi

say "checking docker-compose.yml, the documents and the scripts"
phase "checks" python3 -m unittest discover -s Tests/deploy -p '*.py' || failed+=("Tests/deploy")
if command -v shellcheck >/dev/null; then
    shellcheck -x scripts/*.sh deploy/*.sh .ci/run || failed+=("shellcheck")
fi

# The Swift tests come first and print much, so their failures are repeated at the end.
if [[ " ${failed[*]} " = *"swift test"* ]]; then
    say "failures of the Swift tests"
    # Lines about suites only repeat the failures of their tests.
    grep -aE '^(✘|↳|error:) |[Ff]atal error' "$results" | grep -avE '^✘ Suite ' | cut -c 1-600 | tail -n 60 ||
        tail -n 30 "$results"
fi
[ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}" "the reasons are above; logs are in .local/test/logs"
say "all tests passed in $((SECONDS - started)) s"
