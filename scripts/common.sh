# shellcheck shell=bash
# Shared by the project's scripts; sourced, not run.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TOOLS="$ROOT/.local/tools"
# shellcheck disable=SC2034 # read by the scripts that source this
SERVICES=(attestation-verifier depth-analyzer upload-sync evidence-assembler transparency-log gateway)
# shellcheck source=scripts/wheels.sh
source "$ROOT/scripts/wheels.sh"

say() { printf '\033[1m== %s\033[0m\n' "$*"; }
fail() { # fail PROBLEM [WHAT TO DO]
    printf 'error: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf '  %s\n' "$2" >&2
    exit 1
}

# Debian's librdkafka may be too old for the local broker; then the one that setup.sh installed in TOOLS comes first.
if [ -e "$TOOLS/lib/librdkafka.so.1" ]; then
    export LD_LIBRARY_PATH="$TOOLS/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi

# PostgreSQL's own programs: Debian's psql is a wrapper in Perl that takes five times as long, and tests ask it often.
PG_BIN=$({ compgen -G '/usr/lib/postgresql/*/bin/postgres' || command -v postgres || true; } | sort -V | tail -1)
PG_BIN=${PG_BIN%/*}
PATH="${PG_BIN:+$PG_BIN:}$PATH"

# Makes a Python environment with exactly the pinned packages of a folder of tests; sets PYTHON.
python_for() { # python_for FOLDER [PIP OPTIONS…]
    local folder=$1 environment pinned
    shift
    environment="$TOOLS/venv-$(basename "$folder")"
    pinned=$(sha256sum "$folder/requirements.txt")
    # shellcheck disable=SC2034 # read by the scripts that source this
    PYTHON="$environment/bin/python"
    if [ "$(cat "$environment/.complete" 2>/dev/null)" = "$pinned" ]; then return; fi
    say "installing what $folder needs"
    rm -rf "$environment"
    python3 -m venv "$environment" || fail "python3 cannot make a virtual environment" "install python3-venv"
    "$environment/bin/pip" install -q --disable-pip-version-check --require-hashes --only-binary :all: "$@" -r "$folder/requirements.txt" ||
        fail "the packages could not be installed" "the reason is above; if it is the network, run this again"
    printf '%s\n' "$pinned" >"$environment/.complete"
}

# Removes the caller's settings except the build and the ones of Kafka that scripts/test.sh sets: the others are not for a test's stack.
unset_settings() {
    local name
    for name in $(compgen -e RIAL_ || true); do
        case $name in RIAL_BUILD | RIAL_CONSUMERS | RIAL_KAFKA_FETCH_WAIT_MS | RIAL_KAFKA_PARTITIONS) ;; *) unset "$name" ;; esac
    done
}
# Prepares a new stack for a test, never the caller's: parts of it are stopped, and its data is deleted. Sets STACK, and removes the
# caller's settings. At the end the stack is deleted; after a failure it is only stopped, and its logs are kept.
use_test_stack() { # use_test_stack NAME
    export STACK=$1
    unset_settings
    trap end_test_stack EXIT
    trap 'exit 130' INT TERM
    scripts/stack.sh clean "$STACK"
}
end_test_stack() {
    local status=$?
    if [ $status = 0 ]; then scripts/stack.sh clean "$STACK"; else scripts/stack.sh down "$STACK"; fi >/dev/null 2>&1 || true
}
