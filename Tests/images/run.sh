#!/usr/bin/env bash
# Builds all images and runs them as docker-compose.yml does, without a container engine: Tests/images/run.sh [OPTION…]; options go to unittest.
# Needs root, for namespaces and mounts. Logs of containers are kept in .local/images/run/logs.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
cd "$ROOT"
unset_settings
[ "$(id -u)" = 0 ] || fail "this is not root" "run: sudo env PATH=\"\$PATH\" make test-images"
command -v swift >/dev/null || fail "Swift is not in root's PATH" "run: sudo env PATH=\"\$PATH\" make test-images"
missing=()
for program in buildah debootstrap ip nsenter setpriv unshare curl ffmpeg; do
    command -v "$program" >/dev/null || missing+=("$program")
done
/usr/bin/python3 -c 'import seccomp, yaml' 2>/dev/null || missing+=(python3-seccomp python3-yaml)
if [ ${#missing[@]} -gt 0 ]; then
    say "installing what builds and runs images"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        buildah curl debootstrap ffmpeg iproute2 python3-seccomp python3-yaml util-linux >/dev/null
fi
folder="$ROOT/.local/images"
mkdir -p "$folder"
started=$SECONDS
prepared=$(Tests/images/images.sh "$folder")
eval "$prepared"
say "building the images"
export BUILDAH_ISOLATION=chroot
{
    # What runs them reads buildah's storage.
    export RIAL_IMAGE_ENGINE=buildah
    deploy/build-images.sh evidence-assembler-softhsm -- "${BUILD_OPTIONS[@]}" && deploy/build-images.sh -- "${BUILD_OPTIONS[@]}"
} >"$folder/build.log" 2>&1 ||
    { tail -n 40 "$folder/build.log" >&2 && fail "the images could not be built" "the reason is above, and in $folder/build.log"; }
tail -n 7 "$folder/build.log"
say "built in $((SECONDS - started)) s"
# Records a video, as a phone does, outside of the containers.
swift build --product rial
rm -rf "$folder/run"
mkdir -p "$folder/run"
RIAL_CLI="$(swift build --show-bin-path)/rial"
RIAL_VERSION=$(sed -nE 's/.*version = "([0-9.]+)".*/\1/p' Shared/CaptureProtocol/Product.swift)
export RIAL_CLI RIAL_VERSION RIAL_TEST_FOLDER="$folder/run" C2PA_LIBRARY_HASH PYTHONDONTWRITEBYTECODE=1
say "running them as docker-compose.yml says"
cd Tests/images
/usr/bin/python3 test_images.py "$@"
