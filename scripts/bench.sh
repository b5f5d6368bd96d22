#!/usr/bin/env bash
# Measures a release build on its own stack, in relation to the unavoidable work of a capture (SPEC §13): 2, 4 and 6 captures a second,
# pages, and a flood. Prints the costs for the services, PostgreSQL and the object store, and whether each target is met. BENCH_SECONDS is
# the length of each run (default 30). BENCH_ROWS=1000000 measures again with so many captures in the database. BENCH_WHAT=videos, photos or
# log measures these alone; log, which is not among them otherwise, enters BENCH_LOG_ENTRIES (100000) statements into the public log.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/bench/settings.sh
source "$ROOT/scripts/bench/settings.sh"
cd "$ROOT"
trap 'scripts/stack.sh clean bench >/dev/null 2>&1 || true' EXIT
trap 'exit 130' INT TERM

say "building ($RIAL_BUILD)"
swift build -c "$RIAL_BUILD" || fail "the build failed" "its errors are above"
results="$ROOT/.local/bench-results"
rm -rf "$results"
mkdir -p "$results"
python3 scripts/bench/run.py "$ROOT/.build/$RIAL_BUILD" "$results"
