#!/usr/bin/env bash
# Builds each Fuzz/NAMEFuzz.swift with libFuzzer and runs it FUZZ_SECONDS (default 600). `scripts/fuzz.sh NAME…` runs only those.
# The corpus is kept in .local/fuzz/corpus; inputs that crash or hang are in .local/fuzz/findings.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"
package="$ROOT/.local/fuzz/package"
seconds=${FUZZ_SECONDS:-600}
[[ "$seconds" =~ ^[0-9]+$ ]] || fail "FUZZ_SECONDS is '$seconds'" "give whole seconds"

targets=()
for file in Fuzz/*Fuzz.swift; do
    [ -e "$file" ] || fail "there are no fuzz targets in Fuzz"
    name=$(basename "$file" .swift)
    if [ $# = 0 ]; then targets+=("$name"); fi
    for wanted in "$@"; do if [ "$wanted" = "$name" ] || [ "${wanted}Fuzz" = "$name" ]; then targets+=("$name"); fi; done
done
[ ${#targets[@]} -gt 0 ] || fail "no target is called $*" "there are: $(basename -a -s .swift Fuzz/*Fuzz.swift | tr '\n' ' ')"

# A package like the project's, but with an executable for each target instead of programs and tests, since libFuzzer has its own main.
# Each executable depends on the modules that it imports.
mkdir -p "$package" .local/fuzz/findings
ln -sfn "$ROOT/Shared" "$package/Shared"
ln -sfn "$ROOT/Clients" "$package/Clients"
mkdir -p "$package/Fuzz"
{
    cat Package.swift
    echo 'package.products = []'
    # shellcheck disable=SC2016 # the manifest's own $0
    echo 'package.targets.removeAll { $0.type == .executable || ($0.path ?? "").hasPrefix("Tests/") }'
    for name in "${targets[@]}"; do
        mkdir -p "$package/Fuzz/$name"
        ln -sfn "$ROOT/Fuzz/$name.swift" "$package/Fuzz/$name/$name.swift"
        dependencies=$(sed -n 's/^\(@testable \)\{0,1\}import \([A-Za-z0-9]*\)$/\2/p' "Fuzz/$name.swift" | while read -r module; do
            if [ -d "Shared/$module" ] || [ -d "Clients/$module" ]; then printf '"%s", ' "$module"; fi
        done)
        printf 'package.targets.append(.executableTarget(name: "%s", dependencies: [%s], path: "Fuzz/%s", %s))\n' "$name" "$dependencies" "$name" \
            'swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]'
    done
} >"$package/Package.swift.new"
if ! cmp -s "$package/Package.swift.new" "$package/Package.swift"; then mv "$package/Package.swift.new" "$package/Package.swift"; fi
rm -f "$package/Package.swift.new"

failed=()
for name in "${targets[@]}"; do
    say "building $name"
    # The modules must be instrumented too. Traps and preconditions stay enabled.
    swift build --package-path "$package" -c release --sanitize fuzzer -Xswiftc -enable-testing --product "$name" ||
        fail "$name could not be built" "its errors are above"
done
for name in "${targets[@]}"; do
    say "running $name for $seconds s"
    corpus=".local/fuzz/corpus/$name"
    mkdir -p "$corpus"
    seeds=()
    if [ -d "Fuzz/Seeds/$name" ]; then seeds=("Fuzz/Seeds/$name"); fi
    "$package/.build/release/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$ROOT/.local/fuzz/findings/$name-" "$corpus" "${seeds[@]}" >".local/fuzz/$name.log" 2>&1 || failed+=("$name")
    grep -E 'number_of_executed_units|new_units_added|SUMMARY|Fatal error' ".local/fuzz/$name.log" || tail -5 ".local/fuzz/$name.log"
done
[ ${#failed[@]} = 0 ] || fail "findings in: ${failed[*]}" "inputs are in .local/fuzz/findings, reports in .local/fuzz/NAME.log; each becomes a test"
say "no findings"
