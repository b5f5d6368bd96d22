#!/usr/bin/env bash
# Type-checks Clients/AppleServices, and with it the Swift in the READMEs of the device library, against the declarations in
# Tests/apple-stubs, apart from the package: as targets of it the stubs would make canImport true in every dependency. Needs the package's modules (make build). What passes is not thereby built with Xcode, nor run.
#   scripts/typecheck-apple.sh [MODULES]               MODULES: .build/debug/Modules
#   scripts/typecheck-apple.sh --self-test [MODULES]   shows that wrong declarations are found
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"

self_test=
if [ "${1:-}" = --self-test ]; then self_test=yes && shift; fi
modules=${1:-.build/debug/Modules}
[ -e "$modules/CaptureKit.swiftmodule" ] || fail "there is no CaptureKit.swiftmodule in $modules" "make build"
# The C libraries that CaptureKit's dependencies import: their module maps are where the package has them.
checkouts=$(realpath "$modules/../../..")/checkouts
LIBRARIES=(-I Shared/CZlib -I "$checkouts/GRDB.swift/Sources/GRDBSQLite")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# In order of their dependencies. Those in SUPPLEMENTS add to modules that exist on Linux: they have another name, and each adapter is as if
# it imported them.
STUBS=(
    Dispatch CoreFoundation Security Foundation LocalAuthentication DeviceCheck CryptoKit Network CoreLocation CoreVideo CoreMedia
    VideoToolbox AVFAudio CoreGraphics CoreImage ImageIO ARKit UIKit
)
SUPPLEMENTS=(Dispatch CoreFoundation Foundation)
LANGUAGE=(-swift-version 6 -parse-as-library -whole-module-optimization -enable-upcoming-feature InternalImportsByDefault)

module_of() { # module_of STUB
    case " ${SUPPLEMENTS[*]} " in *" $1 "*) printf '%sOnApple' "$1" ;; *) printf '%s' "$1" ;; esac
}

compile_stub() { # compile_stub STUB SOURCES COMPILED
    swiftc "${LANGUAGE[@]}" -emit-module -module-name "$(module_of "$1")" -I "$3" -o "$3/$(module_of "$1").swiftmodule" "$2/$1.swift"
}

# Writes each block of Swift in the READMEs to a file: what a reader copies into an app must fit.
extract_readmes() { # extract_readmes FOLDER
    local readme
    for readme in Clients/AppleServices Clients/CaptureKit; do
        awk -v place="$1/README-$(basename "$readme")" \
            '/^```swift$/ { file = place "-" ++blocks ".swift"; next } /^```/ { file = "" } file { print > file }' "$readme/README.md"
    done
}

# As far as the checks of concurrency and initialisation, which -typecheck leaves out.
check_adapters() { # check_adapters COMPILED [READMES]
    local stub
    local -a implied=() adapters=()
    for stub in "${SUPPLEMENTS[@]}"; do implied+=(-Xfrontend -import-module -Xfrontend "$(module_of "$stub")"); done
    mapfile -t adapters < <(find Clients/AppleServices "${2:-$work/readmes}" -name '*.swift' | sort)
    swiftc "${LANGUAGE[@]}" -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility -warnings-as-errors \
        -emit-sil -o /dev/null -module-name AppleServices -I "$1" -I "$modules" "${LIBRARIES[@]}" "${implied[@]}" "${adapters[@]}"
}

# Wants an error that says what is wrong.
expect_refusal() { # expect_refusal WHAT EXPECTED_ERROR COMPILED [READMES]
    if check_adapters "$3" "${4:-}" >"$work/errors" 2>&1; then fail "$1 went unnoticed"; fi
    grep -q "error: $2" "$work/errors" || fail "$1 was refused for another reason" "$(cat "$work/errors")"
    say "refused, as it should be: $1"
    grep -m 1 "error: $2" "$work/errors"
}

# Copies stubs and compiled modules, changes one declaration, and wants an error that says so.
check_is_refused() { # check_is_refused WHAT STUB SED_SCRIPT EXPECTED_ERROR
    local place="$work/$2-changed"
    cp -r Tests/apple-stubs "$place"
    cp "$work"/compiled/* "$place"
    sed -i "$3" "$place/$2.swift"
    ! cmp -s "$place/$2.swift" "Tests/apple-stubs/$2.swift" ||
        fail "the self-test changed nothing in $2.swift" "its declaration has changed"
    compile_stub "$2" "$place" "$place"
    expect_refusal "$1" "$4" "$place"
}

mkdir "$work/compiled" "$work/readmes"
extract_readmes "$work/readmes"
[ "$(find "$work/readmes" -name '*.swift' | wc -l)" = 2 ] || fail "the READMEs do not have 2 Swift blocks" "see extract_readmes"
for stub in "${STUBS[@]}"; do compile_stub "$stub" Tests/apple-stubs "$work/compiled"; done
check_adapters "$work/compiled" || fail "the adapters do not fit the declarations" "the errors are above"
say "Clients/AppleServices is type-checked against the hand-written declarations of ${#STUBS[@]} modules in Tests/apple-stubs"
echo "It was not built with Xcode, and not run."
if [ -n "$self_test" ]; then
    check_is_refused "a stub with a wrong label" DeviceCheck '/attestKey(_ keyId/s/clientDataHash:/hash:/' 'incorrect argument label'
    check_is_refused "a stub without a method" CoreLocation '/func stopUpdatingLocation/d' "value of type 'CLLocationManager' has no member"
    check_is_refused "a stub with another delegate method" Foundation 's/willPerformHTTPRedirection response/willRedirect response/' \
        ".*has different argument labels from those required by protocol 'URLSessionTaskDelegate'"
    cp -r "$work/readmes" "$work/readmes-changed"
    sed -i 's/queue\.add(/queue.append(/' "$work"/readmes-changed/*.swift
    expect_refusal "a README with a method that there is not" "value of type 'CaptureQueue' has no member 'append'" "$work/compiled" \
        "$work/readmes-changed"
fi
