#!/usr/bin/env bash
# Prepares the images that those of the project are built on and run beside, and prints what deploy/build-images.sh and compose need then, as
# lines of a shell: Tests/images/images.sh FOLDER; FOLDER holds what is downloaded.
#
# Where no registry can be reached, the images of Debian and Swift are made here: of Debian's packages, and of this machine's Swift, which is
# mounted while images are built, as are local copies of Swift packages. PostgreSQL, broker and object store are always those that the other
# tests run, in images that have the users, folders and programs of the real ones.
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"
folder=$1
release=bookworm
mkdir -p "$folder"
exec 3>&1 1>&2

has_image() { buildah inspect --type image "$1" >/dev/null 2>&1; }
working() { # working FROM: a new container to change, which `commit` makes an image of
    buildah from --pull-never "$1"
}
run() { # run CONTAINER COMMAND…: without a namespace of its own, for which this machine may give no rights
    buildah run --isolation chroot "$1" -- "${@:2}"
}

commit() { # commit CONTAINER IMAGE
    buildah commit -q --rm "$1" "$2" >/dev/null
    made=
}
# The container that is being changed.
made=
trap 'if [ -n "$made" ]; then buildah rm "$made" >/dev/null 2>&1 || true; fi' EXIT

# Asked once: where there is no registry it is not waited for again.
official=$folder/official
if [ ! -e "$official" ]; then
    if { timeout 300 buildah pull -q docker.io/library/debian:$release-slim && timeout 900 buildah pull -q docker.io/library/swift:6.3-$release; } \
        >"$folder/pull.log" 2>&1; then
        echo yes >"$official"
    else
        echo no >"$official"
    fi
fi
runtime=docker.io/library/debian:$release-slim swift=docker.io/library/swift:6.3-$release
options=()
if [ "$(cat "$official")" = no ]; then
    runtime=localhost/rial-test/debian:$release
    swift=localhost/rial-test/swift:6.3-$release
    toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
    options+=(-v "$toolchain:$toolchain:ro")
    while read -r local; do
        if [ -d "$local" ]; then options+=(-v "${local%/}:${local%/}:ro"); fi
    done < <(git config --get-regexp '^url\./.*\.insteadof$' | sed -E 's/^url\.(.*)\.insteadof .*/\1/' | sort -u)
fi

if ! has_image "$runtime"; then
    say "making $release of Debian's packages"
    rm -rf "$folder/debian"
    debootstrap --variant=minbase --include=ca-certificates "$release" "$folder/debian" http://deb.debian.org/debian >"$folder/debootstrap.log"
    # As Debian's slim images are.
    printf 'path-exclude /usr/share/%s\n' 'doc/*' 'info/*' 'locale/*' 'man/*' 'lintian/*' >"$folder/debian/etc/dpkg/dpkg.cfg.d/docker"
    printf 'path-include /usr/share/doc/*/copyright\n' >>"$folder/debian/etc/dpkg/dpkg.cfg.d/docker"
    {
        echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/archives/partial/*.deb /var/cache/apt/*.bin || true"; };'
        echo 'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";'
    } >"$folder/debian/etc/apt/apt.conf.d/docker-clean"
    find "$folder/debian/usr/share/doc" ! -type d ! -name copyright -delete
    rm -rf "$folder"/debian/usr/share/{info,locale,man,lintian}/* "$folder"/debian/var/{cache/apt/archives/*.deb,lib/apt/lists/*,log/*.log}
    rm -f "$folder/debian/etc/apt/sources.list"
    for suites in "debian $release $release-updates" "debian-security $release-security"; do
        printf 'Types: deb\nURIs: http://deb.debian.org/%s\nSuites: %s\nComponents: main\n' "${suites%% *}" "${suites#* }"
        printf 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n'
    done >"$folder/debian/etc/apt/sources.list.d/debian.sources"
    made=$(buildah from scratch)
    buildah add -q "$made" "$folder/debian" / >/dev/null
    buildah config --cmd bash --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$made"
    commit "$made" "$runtime"
    rm -rf "$folder/debian"
fi

if ! has_image "$swift"; then
    say "making an image of $(swift --version 2>/dev/null | head -1)"
    made=$(working "$runtime")
    # What the toolchain needs, as in the official image.
    run "$made" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends binutils git libc6-dev libcurl4-openssl-dev \
        libedit2 libgcc-12-dev libncurses-dev libpython3-dev libsqlite3-0 libstdc++-12-dev libxml2-dev libz3-dev pkg-config python3 tzdata \
        zlib1g-dev && rm -rf /var/lib/apt/lists/*' >"$folder/swift.log" 2>&1
    # Where this machine's authorities and addresses of repositories differ from everybody's, so do the image's.
    buildah copy -q "$made" /etc/ssl/certs/ca-certificates.crt /usr/local/share/machine.crt >/dev/null
    rm -f "$folder/gitconfig"
    { git config --get-regexp '^url\..*\.insteadof$' || true; } | while read -r key value; do git config --file "$folder/gitconfig" --add "$key" "$value"; done
    if [ -e "$folder/gitconfig" ]; then buildah copy -q "$made" "$folder/gitconfig" /etc/gitconfig >/dev/null; fi
    buildah config --cmd bash --env "PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        --env PIP_CERT=/usr/local/share/machine.crt --env GIT_SSL_CAINFO=/usr/local/share/machine.crt "$made"
    commit "$made" "$swift"
fi

# The dependencies, with the users and folders of the images that compose names.
postgres=localhost/rial-test/postgres:$release
if ! has_image "$postgres"; then
    say "making an image of PostgreSQL"
    made=$(working "$runtime")
    run "$made" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql && rm -rf /var/lib/apt/lists/* \
        && install -d -o postgres -g postgres -m 700 /var/lib/postgresql/data && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/' \
        >"$folder/postgres.log" 2>&1
    buildah copy -q --chmod 755 "$made" "$ROOT/Tests/images/postgres-entrypoint.sh" /usr/local/bin/entrypoint >/dev/null
    buildah config --env PGDATA=/var/lib/postgresql/data --entrypoint '["/usr/local/bin/entrypoint"]' --cmd postgres "$made"
    commit "$made" "$postgres"
fi
s3=localhost/rial-test/seaweedfs:$S3_WHEEL
if ! has_image "$s3"; then
    say "making an image of the object store"
    made=$(working "$runtime")
    run "$made" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends wget && rm -rf /var/lib/apt/lists/* \
        && install -d -o 1000 -g 1000 /data' >"$folder/s3.log" 2>&1
    buildah copy -q --chmod 755 "$made" "$S3_BIN" /usr/bin/weed >/dev/null
    buildah config --env GODEBUG=fips140=on --cmd '' --entrypoint '["/usr/bin/weed", "-logtostderr=true"]' "$made"
    commit "$made" "$s3"
fi
broker=localhost/rial-test/broker:$BROKER_WHEEL
if ! has_image "$broker"; then
    say "making an image of the broker"
    made=$(working "$runtime")
    run "$made" useradd --create-home appuser
    run "$made" install -d -o appuser -g appuser /var/lib/kafka/data
    buildah copy -q --chmod 755 "$made" "$BROKER_BIN" /usr/bin/tansu >/dev/null
    # Without TLS, logins and access lists, which this broker does not have.
    buildah config --cmd '' --entrypoint '["/usr/bin/tansu", "broker", "--listener-url", "tcp://0.0.0.0:9092", "--advertised-listener-url", "tcp://kafka:9092", "--storage-engine", "memory://tansu/"]' "$made"
    commit "$made" "$broker"
fi

# Docker's default seccomp profile, from its sources.
profile=$folder/docker/usr/share/gocode/src/github.com/docker/docker/profiles/seccomp/default.json
if [ ! -e "$profile" ]; then
    (cd "$folder" && apt-get download -qq golang-github-docker-docker-dev && dpkg-deb -x golang-github-docker-docker-dev_*.deb docker)
fi

printf 'export RIAL_IMAGE_%s=%q\n' RUNTIME "$runtime" SWIFT "$swift" POSTGRES "$postgres" S3 "$s3" KAFKA "$broker" >&3
printf 'export RIAL_TEST_SECCOMP=%q\nBUILD_OPTIONS=(--pull-never' "$profile" >&3
if [ ${#options[@]} -gt 0 ]; then printf ' %q' "${options[@]}" >&3; fi
printf ')\n' >&3
