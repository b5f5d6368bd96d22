#!/usr/bin/env bash
# All tests: alone, against real parts, the whole stack, the site in a browser, the documents' commands, and docker-compose.yml.
# Arguments go to `swift test`.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"
# Always its own stack, whatever STACK says: its data is deleted. Tests that start whole stacks name theirs.
unset STACK
started=$SECONDS
failed=()
outside_pid=
finish() {
    local status=$?
    if [ -n "$outside_pid" ]; then
        kill -TERM -- "-$outside_pid" 2>/dev/null || true
        wait "$outside_pid" || true
    fi
    # After a failure the logs stay to be read.
    if [ $status = 0 ]; then scripts/stack.sh clean test; else scripts/stack.sh down test; fi >/dev/null 2>&1 || true
}
trap finish EXIT
trap 'exit 130' INT TERM

say "building"
swift build --build-tests || fail "the build failed" "its errors are above"
# From nothing: what an earlier run left behind must neither help nor hurt this one.
scripts/stack.sh clean test
scripts/stack.sh infra test
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
# What uses the services from outside runs beside the Swift tests, each on a stack of its own: much of both is waiting. How soon pages are
# there is measured afterwards.
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
# One after another: tests that hold threads or wait for deadlines must not starve each other on a small machine.
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
python3 -m unittest discover -s Tests/deploy -p '*.py' || failed+=("Tests/deploy")
if command -v shellcheck >/dev/null; then
    shellcheck -x scripts/*.sh deploy/*.sh .ci/run || failed+=("shellcheck")
fi

# The Swift tests come first and print much: what failed among them is said again where it is seen.
if [[ " ${failed[*]} " = *"swift test"* ]]; then
    say "what failed among the Swift tests"
    # Whole suites that failed because of one test say nothing more.
    grep -aE '^(✘|↳|error:) |[Ff]atal error' "$results" | grep -avE '^✘ Suite ' | cut -c 1-600 | tail -n 60 ||
        tail -n 30 "$results"
fi
[ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}" "the reasons are above; logs are in .local/test/logs"
say "all tests passed in $((SECONDS - started)) s"
