#!/usr/bin/env bash
# Measures a release build on a stack of its own: the steady rate, the most the pipeline takes, CPU and memory of each service.
# BENCH_SECONDS is the length of each run (default 30).
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"
export RIAL_BUILD=release
# A load is what the limits are there to refuse.
export RIAL_LIMIT_CHALLENGES_PER_MINUTE=0 RIAL_LIMIT_REGISTRATIONS_PER_MINUTE=0 RIAL_LIMIT_CAPTURES_PER_HOUR=0 RIAL_LIMIT_CAPTURES_BURST=0
export RIAL_MAX_UPLOADS_PER_DEVICE=0 RIAL_MAX_UPLOADS_PER_ADDRESS=0 RIAL_MAX_MEDIA_PER_ADDRESS=0
unset STACK
seconds=${BENCH_SECONDS:-30}
trap 'scripts/stack.sh clean bench >/dev/null 2>&1 || true' EXIT
trap 'exit 130' INT TERM

say "building (release)"
swift build -c release || fail "the build failed" "its errors are above"
say "the parts alone"
.build/release/ComponentBench
scripts/stack.sh clean bench
scripts/stack.sh up bench
set -a
# shellcheck disable=SC1091
source .local/bench/stack.env
set +a

ticks=$(getconf CLK_TCK)
# cpu_and_memory: NAME CPU-SECONDS RESIDENT-MB PEAK-MB, a line for each process of the stack and its children.
cpu_and_memory() {
    local file pid
    for file in .local/bench/run/*.pid; do
        pid=$(cut -d ' ' -f 1 "$file")
        printf '%s %s %s\n' "$(basename "$file" .pid)" \
            "$(cat "/proc/$pid/stat" /proc/[0-9]*/stat 2>/dev/null | sed 's/.*) //' |
                awk -v parent="$pid" -v ticks="$ticks" 'NR == 1 || $2 == parent { used += $12 + $13 } END { printf "%.2f", used / ticks }')" \
            "$(awk '/^VmRSS/ { now = $2 } /^VmHWM/ { peak = $2 } END { printf "%.0f %.0f", now / 1024, peak / 1024 }' "/proc/$pid/status")"
    done
}
# Ticks of all processors so far: those that the host gave to other machines, and all.
stolen_and_all() { awk '/^cpu / { for (i = 2; i <= 9; i++) all += $i; print $9, all }' /proc/stat; }
run() { # run TITLE COMMAND ARGUMENTS…
    say "$1"
    shift
    local before result ticks_before
    before=$(cpu_and_memory)
    ticks_before=$(stolen_and_all)
    result=$(.build/release/rial "$@") || say "the run was not clean"
    printf '%s\n' "$result"
    # Under a virtual machine's host that is busy, the slowest answers are the host's.
    awk '{ printf "taken by the host: %.1f %% of the processors\n", ($3 - $1) * 100 / ($4 - $2) }' \
        <<<"$ticks_before $(stolen_and_all)"
    printf '%-24s %10s %8s %8s\n' part "CPU s" "MB" "peak MB"
    join <(sort <<<"$before") <(cpu_and_memory | sort) |
        awk '{ used = $5 - $2; total += used; printf "%-24s %10.2f %8s %8s\n", $1, used, $6, $7 } END { printf "%-24s %10.2f\n", "together", total }'
}
run "2 captures a second, 12 megapixels, $seconds s" load --rate 2 --seconds "$seconds" --size full
run "50 verification pages a second, $seconds s" load-pages --rate 50 --seconds "$seconds"
# Last: what it leaves to be done would disturb the others.
run "as many as it takes, 4 uploads at a time, $seconds s" load --flood 4 --seconds "$seconds" --drain $((seconds < 450 ? seconds * 8 : 3600)) --size full
