#!/usr/bin/env bash
# Runs all tests: of modules, against real dependencies, of the whole stack, of the site in a browser, of the commands in the documents, and
# of docker-compose.yml. Arguments are passed to `swift test`. Without arguments, groups of tests run in parallel, each on its own stacks,
# since they spend much of their time waiting. At the end it prints the twenty slowest tests and the duration of each phase and group. Logs
# are in .local/test/logs.
# With RIAL_TEST_AGAIN=1 the tests that failed beside the others run once more by themselves, and only those that fail again fail the run;
# what passed then is named at the end. So is what was skipped; in CI that fails the run, unless it needs the long form or data that are not
# there.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"
# Ignores the caller's STACK, since the test stack's data is deleted. Tests that start whole stacks set their own names.
unset STACK
# Several stacks run at once: their idle brokers must leave the processors to the tests. Each fetch asks the broker for every partition.
export RIAL_KAFKA_FETCH_WAIT_MS=100 RIAL_KAFKA_PARTITIONS=3
# Their databases end with them.
export RIAL_STACK_FSYNC=off
started=$SECONDS
failed=()
# What failed beside the others and passed by itself.
unsteady=()
# Running groups: "PID NAME" each.
running=()
# Durations of phases and groups: "SECONDS NAME" each.
took=()
logs=.local/test/logs
finish() {
    local status=$? group
    if [ $status = 130 ]; then
        say "ended from outside after $((SECONDS - started)) s"
        durations
        # Those that have ended were perhaps not waited for yet.
        for group in "${running[@]}"; do
            case $(cat "$logs/${group#* }.status" 2>/dev/null) in
            "")
                echo "running: ${group#* }"
                # What it did last.
                tail -n 3 "$logs/${group#* }.log" | cut -c 1-300
                ;;
            0) ;;
            *) failed+=("${group#* }") ;;
            esac
        done
        for group in "${failed[@]}" "${unsteady[@]}"; do
            echo "failed: $group"
            problems "$logs/$group.log" || true
        done
    fi
    for group in "${running[@]}"; do kill -TERM -- "-${group%% *}" 2>/dev/null || true; done
    for group in "${running[@]}"; do wait "${group%% *}" 2>/dev/null || true; done
    # Keep the logs after a failure.
    if [ $status = 0 ]; then scripts/stack.sh clean test; else scripts/stack.sh down test; fi >/dev/null 2>&1 || true
}
trap finish EXIT
trap 'exit 130' INT TERM

durations() { printf '%s\n' "${took[@]}" | awk '{ printf "%8d s ", $1; sub(/^[^ ]* /, ""); print }'; }

phase() { # phase NAME COMMAND…
    local name=$1 from=$SECONDS status=0
    shift
    say "$name"
    "$@" || status=$?
    took+=("$((SECONDS - from)) $name")
    return $status
}

group() { # group NAME COMMAND…: in the background
    local name=$1
    shift
    set -m
    rm -f "$logs/$name.status"
    (
        from=$SECONDS status=0
        "$@" || status=$?
        echo $((SECONDS - from)) >"$logs/$name.seconds"
        echo $status >"$logs/$name.status"
        exit $status
    ) >"$logs/$name.log" 2>&1 &
    running+=("$! $name")
    set +m
}

await_groups() {
    local group name
    for group in "${running[@]}"; do
        name=${group#* }
        if wait "${group%% *}"; then say "$name: passed"; else
            say "$name: FAILED"
            failed+=("$name")
        fi
        took+=("$(cat "$logs/$name.seconds") $name, beside the others")
    done
    running=()
}

rest="modules, faults and device library"
system="the whole system"
outside="contract, browser and documents"
# What is set for each group, also when what failed of it runs once more. One consumer of each topic costs the idle broker less; the stacks
# of the faults have two, as services have by default. What looks from outside depends neither on that nor on how soon a record arrives.
declare -A settings=([$rest]="" [$system]="RIAL_CONSUMERS=1" [$outside]="RIAL_CONSUMERS=1 RIAL_KAFKA_FETCH_WAIT_MS=200")
with_settings() { # with_settings GROUP COMMAND…
    local -a own
    read -ra own <<<"${settings[$1]}"
    if [ ${#own[@]} -gt 0 ]; then local -x "${own[@]}"; fi
    "${@:2}"
}

# Not in parallel: tests that block threads or wait for deadlines would starve each other. Returns 75 if a test did not end.
swift_tests() { # swift_tests GROUP OPTION…
    local events=$logs/$1.events tests status=0
    rm -f "$events"
    .build/debug/rialPackageTests.xctest --testing-library swift-testing --no-parallel --event-stream-version 0 \
        --event-stream-output-path "$events" "${@:2}" &
    tests=$!
    # No test takes half as long without a word on half as fast a machine.
    python3 scripts/await_tests.py "$tests" "$events" 600 || status=75
    if [ $status = 75 ]; then wait "$tests" || true; else wait "$tests" || status=$?; fi
    return $status
}
# The suites of the whole system share a stack, which costs much even while it is idle. All else in Swift needs none, or has its own.
system_suites='^SystemTests\.SystemTests'
# The groups that have an event stream.
swift_groups=()
swift_group() { # swift_group NAME OPTION…
    group "$1" with_settings "$1" swift_tests "$@"
    swift_groups+=("$1")
}
# test_speed, which measures page load times, runs afterwards, when nothing else runs.
browser_tests() {
    local module
    local -a modules=()
    for module in Tests/browser/test_*.py; do
        module=$(basename "$module" .py)
        [ "$module" = test_speed ] || modules+=("$module")
    done
    Tests/browser/run.sh "${modules[@]}"
}
outside_parts=(Tests/contract/run.sh browser_tests Tests/readme/run.sh)
# Tests the services through their public interfaces.
outside_tests() {
    local part status=0
    : >"$logs/outside.passed"
    for part in "${outside_parts[@]}"; do
        if "$part" 2>&1 | tee "$logs/$(basename "${part%/run.sh}").part"; then echo "$part" >>"$logs/outside.passed"; else status=1; fi
    done
    return $status
}

checks="docker-compose.yml, documents and scripts"
check_files() {
    local status=0
    python3 -m unittest discover -s Tests/deploy -p '*.py' || status=1
    make --silent lint || status=1
    return $status
}

# The failed tests of a group once more, with its settings and nothing beside them. Fails if they fail again, or cannot be named.
again() { # again GROUP
    local names part filter status kind=swift
    local -a filters=()
    status=$(cat "$logs/$1.status" 2>/dev/null)
    # What a test that did not end has kept from running is to run as well.
    if [ "$status" = 75 ]; then kind=stalled; fi
    # Whatever ended otherwise than by failed tests, as a crash does, is no chance.
    [ "$status" = 1 ] || [ $kind = stalled ] || return 1
    if [ "$1" = "$outside" ]; then
        for part in "${outside_parts[@]}"; do
            if grep -qxF "$part" "$logs/outside.passed"; then continue; fi
            if [ "$part" = browser_tests ]; then
                names=$(python3 scripts/failed_tests.py python "$logs/browser_tests.part") || return 1
                mapfile -t filters <<<"$names"
                Tests/browser/run.sh "${filters[@]}" || return 1
            else
                "$part" || return 1
            fi
        done
        return 0
    fi
    names=$(python3 scripts/failed_tests.py $kind "$logs/$1.events") || return 1
    while read -r filter; do filters+=(--filter "$filter"); done <<<"$names"
    RIAL_TEST_STACK=again swift_tests again "${filters[@]}" && python3 scripts/failed_tests.py ran "$logs/again.events" <<<"$names"
}

# Prints the tests that were skipped, and why. Fails if one was that a complete machine would not skip.
skipped() {
    local name
    local -a streams=()
    for name in "${swift_groups[@]}"; do streams+=("$logs/$name.events"); done
    python3 scripts/skipped_tests.py "${streams[@]}"
}

# Prints the failures in a group's log, without the lines of suites, which only repeat the failures of their tests.
problems() { grep -aE '^(✘|↳|error:|FAIL:|ERROR:) |[Ff]atal error|AssertionError' "$1" | grep -avE '^✘ Suite ' | cut -c 1-600 | tail -n 60; }

slowest() {
    say "the slowest twenty tests"
    # Swift prints: ✔ Test "name" passed after 1.234 seconds. Python prints: took 1.234 s: module.Class.test
    cat "$logs"/*.log 2>/dev/null | sed -nE \
        -e 's/^(✔|✘) Test ("?.*) (with [0-9]+ test cases? )?(passed|failed) after ([0-9.]+) seconds.*/\5 \2/p' \
        -e 's/^took ([0-9.]+) s: (.*)/\1 \2/p' | grep -v ' run with ' | sort -rn | awk 'NR <= 20 { printf "%8.1f s ", $1; sub(/^[^ ]* /, ""); print }' || true
}

# Where nobody debugs, debugging information is not needed, and no test is one of XCTest. Elsewhere another option would build everything
# again.
options=()
if [ -n "${CI:-}" ]; then options+=(-debug-info-format none --disable-xctest -Xswiftc -use-ld=lld); fi
phase "building" swift build --build-tests "${options[@]}" || fail "the build failed" "its errors are above"
# Start from an empty stack: the remains of an earlier run must not affect this one.
scripts/stack.sh clean test
scripts/stack.sh infra test
mkdir -p "$logs"
set -a
# shellcheck disable=SC1091
source .local/test/test.env
# shellcheck disable=SC2034 # for tests that restart a broker of their own
RIAL_TEST_TANSU="$BROKER_BIN"
set +a

if [ $# -gt 0 ]; then
    say "running the tests"
    swift test --skip-build --disable-xctest --no-parallel "$@" 2>&1 | tee "$logs/swift.log" || failed+=("swift test")
    phase "$checks" check_files || failed+=("$checks")
else
    rm -rf .local/browser-shots
    say "running the tests, in groups beside each other"
    swift_group "$system" --filter "$system_suites"
    swift_group "$rest" --skip "$system_suites"
    group "$outside" with_settings "$outside" outside_tests
    await_groups
    if [ -n "${RIAL_TEST_AGAIN:-}" ]; then
        still=()
        for name in "${failed[@]}"; do
            if phase "what failed, by itself: $name" with_settings "$name" again "$name"; then unsteady+=("$name"); else still+=("$name"); fi
        done
        failed=("${still[@]}")
    fi
    # Both wait much, and leave a processor to the browser.
    group "$checks" check_files
    phase "how soon pages are there" Tests/browser/run.sh test_speed || failed+=("Tests/browser test_speed")
    await_groups
fi

slowest
say "where the time went"
durations
if [ ${#swift_groups[@]} -gt 0 ]; then
    say "what was skipped"
    # Elsewhere something may be missing.
    skipped || [ -z "${CI:-}" ] || failed+=("tests were skipped")
fi
for name in "${failed[@]}"; do
    if [ -e "$logs/$name.log" ]; then
        say "what failed: $name"
        problems "$logs/$name.log" || tail -n 30 "$logs/$name.log"
    fi
done
for name in "${unsteady[@]}"; do
    say "failed together with the others, passed alone: $name"
    problems "$logs/$name.log" || tail -n 30 "$logs/$name.log"
done
[ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}" "the reasons are above; logs are in $logs"
say "all tests passed in $((SECONDS - started)) s"
