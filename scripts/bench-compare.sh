#!/usr/bin/env bash
# Measures another commit and this checkout in turn (A B B A …) on this machine and prints the ratios: bench-compare.sh REF [RUNS]
# RUNS of each (default 4), BENCH_SECONDS each (30), BENCH_RATE captures a second (2). The other commit is built in its own checkout in
# .local/compare, whose build is kept for the next run.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=scripts/bench/settings.sh
source "$ROOT/scripts/bench/settings.sh"
cd "$ROOT"
[ -n "${1:-}" ] || fail "which commit?" "for example: scripts/bench-compare.sh origin/main, or make bench-compare REF=v1.0"
[[ "${2:-4}" =~ ^[1-9][0-9]?$ ]] || fail "'$2' is not a number of runs" "use 1 to 99"
commit=$(git rev-parse --verify -q "$1^{commit}") || fail "there is no commit '$1'"
other="$ROOT/.local/compare/checkout"
finish() {
    scripts/stack.sh clean bench >/dev/null 2>&1 || true
    "$other/scripts/stack.sh" clean bench >/dev/null 2>&1 || true
}
trap finish EXIT
trap 'exit 130' INT TERM

if [ ! -d "$other/.git" ]; then
    rm -rf "$other"
    git clone -q --shared --no-checkout "$ROOT" "$other"
    mkdir -p "$other/.local"
    # Both use the same broker and object store.
    ln -s "$TOOLS" "$other/.local/tools"
fi
git -C "$other" checkout -q --detach "$commit"
say "building $(git log -1 --format='%h %s' "$commit") ($RIAL_BUILD)"
swift build --package-path "$other" -c "$RIAL_BUILD" || fail "the other commit does not build" "its errors are above"
say "building this checkout ($RIAL_BUILD)"
swift build -c "$RIAL_BUILD" || fail "the build failed" "its errors are above"
python3 scripts/bench/compare.py "$other" "${2:-4}"
