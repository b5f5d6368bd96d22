#!/usr/bin/env bash
# Builds the images, with Docker where it runs, else with buildah, and prints their sizes:
#   deploy/build-images.sh [TARGET…] [-- OPTION…]      all targets, or these; options go to the engine's build
# evidence-assembler-softhsm, an example, is built if it is named.
# RIAL_IMAGE_ENGINE, docker or buildah, takes that one alone. RIAL_VERSION is the tag; RIAL_IMAGE_SWIFT and RIAL_IMAGE_RUNTIME are the images
# of others. Without root's rights in a container of its own, buildah may need BUILDAH_ISOLATION=chroot.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
fail() { printf 'error: %s\n  %s\n' "$1" "$2" >&2 && exit 1; }

all=(gateway attestation-verifier depth-analyzer upload-sync evidence-assembler transparency-log rial)
targets=() options=()
while [ $# -gt 0 ]; do
    if [ "$1" = -- ]; then
        shift
        options=("$@")
        break
    fi
    [[ " ${all[*]} evidence-assembler-softhsm " == *" $1 "* ]] || fail "there is no target '$1'" "use some of: ${all[*]}"
    targets+=("$1")
    shift
done
[ ${#targets[@]} -gt 0 ] || targets=("${all[@]}")

engine=${RIAL_IMAGE_ENGINE:-}
if [ "$engine" != buildah ] && docker info >/dev/null 2>&1; then
    build=(docker build)
    size() { docker image inspect --format '{{.Size}}' "$1"; }
elif [ "$engine" != docker ] && command -v buildah >/dev/null; then
    # Layers are kept, as Docker does: the targets share the stage that compiles.
    build=(buildah build --layers)
    size() { buildah images --format '{{.Size}}' "$1"; }
else
    fail "${engine:-docker or buildah} does not run here" "install it, for example: apt-get install buildah"
fi

version=${RIAL_VERSION:-$(sed -nE 's/.*version = "([0-9.]+)".*/\1/p' Shared/CaptureProtocol/Product.swift)}
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
# A tree with changes is not that commit.
if [ "$revision" != unknown ] && [ -n "$(git status --porcelain --untracked-files=no)" ]; then revision+=-changed; fi
arguments=(--build-arg "VERSION=$version" --build-arg "REVISION=$revision")
if [ -n "${RIAL_IMAGE_SWIFT:-}" ]; then arguments+=(--build-arg "SWIFT_IMAGE=$RIAL_IMAGE_SWIFT"); fi
if [ -n "${RIAL_IMAGE_RUNTIME:-}" ]; then arguments+=(--build-arg "RUNTIME_IMAGE=$RIAL_IMAGE_RUNTIME"); fi

for target in "${targets[@]}"; do
    "${build[@]}" "${options[@]}" "${arguments[@]}" --target "$target" --tag "rial/$target:$version" --file deploy/Dockerfile .
done
for target in "${targets[@]}"; do printf '%-24s %s\n' "rial/$target:$version" "$(size "rial/$target:$version")"; done
