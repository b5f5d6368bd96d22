#!/usr/bin/env bash
# The local stack: PostgreSQL, broker, object store and the services, each known by its pid.
#   stack.sh up|down|status|clean [STACK]     the whole stack; clean also deletes its data
#   stack.sh infra [STACK]                    only PostgreSQL, broker and object store; settings for tests in test.env
#   stack.sh start|stop|kill|restart PART [N] one part: postgres, broker, s3, witness-1, witness-2, monitor, or the Nth instance of a service
#                                             (kill is SIGKILL)
#   stack.sh scale SERVICE N                  N instances of a service
#   stack.sh variables SERVICE                the names of the service's settings
# RIAL_TEST_DATABASE_PORT_GATEWAY, …_UPLOAD_SYNC and so on replace that service's port of PostgreSQL, for a test's proxy.
# STACK names the stack (default dev). Data, keys, logs and ports are in .local/STACK; RIAL_BUILD says which build runs (debug).
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() { sed -n '2,10s/^# //p' "${BASH_SOURCE[0]}"; }

COMMAND=${1:-}
case $COMMAND in
up | down | status | clean | infra) STACK=${2:-${STACK:-dev}} ;;
start | stop | kill | restart | scale | variables)
    STACK=${STACK:-dev}
    [ $# -ge 2 ] || { usage >&2; fail "$COMMAND needs the name of a part"; }
    ;;
*) usage >&2; fail "unknown command '$COMMAND'" ;;
esac
[[ "$STACK" =~ ^[a-z0-9][a-z0-9-]{0,23}$ && ! "$STACK" =~ ^(tools|fuzz|bench-results|compare)$ ]] ||
    fail "'$STACK' cannot name a stack" "use 1 to 24 of a-z, 0-9 and -; not tools, fuzz, bench-results or compare"
[[ "${3:-1}" =~ ^[0-9]{1,2}$ ]] || fail "'$3' is not a number of instances" "use 0 to 99"

HOME_DIR="$ROOT/.local/$STACK"
KEYS="$HOME_DIR/keys"
LOGS="$HOME_DIR/logs"
RUN="$HOME_DIR/run"
PORTS="$HOME_DIR/ports"
BIN="$ROOT/.build/${RIAL_BUILD:-debug}"
DEVELOPMENT_ROOT="$KEYS/app-attest"

# shellcheck source=scripts/stack/processes.sh
source "$ROOT/scripts/stack/processes.sh"
# shellcheck source=scripts/stack/postgres.sh
source "$ROOT/scripts/stack/postgres.sh"
# shellcheck source=scripts/stack/infra.sh
source "$ROOT/scripts/stack/infra.sh"
# shellcheck source=scripts/stack/services.sh
source "$ROOT/scripts/stack/services.sh"
# shellcheck source=scripts/stack/log.sh
source "$ROOT/scripts/stack/log.sh"

PORT_NAMES=(POSTGRES BROKER S3 S3_GRPC S3_MASTER S3_MASTER_GRPC S3_VOLUME S3_VOLUME_GRPC S3_FILER S3_FILER_GRPC HTTP
    ADMIN_GATEWAY ADMIN_ATTESTATION_VERIFIER ADMIN_DEPTH_ANALYZER ADMIN_UPLOAD_SYNC ADMIN_EVIDENCE_ASSEMBLER ADMIN_TRANSPARENCY_LOG
    WITNESS_1 WITNESS_2)

choose_ports() { # choose_ports NAME…: PORT_NAME=number lines; no port that any stack of this checkout has taken
    local -a taken
    mapfile -t taken < <(compgen -G "$ROOT/.local/*/ports"; compgen -G "$ROOT/.local/*/run/*.admin"; compgen -G "$ROOT/.local/*/run/*.http")
    python3 "$ROOT/scripts/stack/ports.py" "$@" --taken "${taken[@]}"
}
free_port() { choose_ports ANY | cut -d = -f 2; }

# secret NAME: 32 random bytes in hex, created on first use.
secret() {
    local new="$KEYS/$1.$BASHPID"
    if [ ! -s "$KEYS/$1" ]; then
        (umask 077 && head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >"$new")
        mv "$new" "$KEYS/$1"
    fi
    cat "$KEYS/$1"
}

# Creates folders, ports and secrets, once per stack; under a lock that all stacks share.
prepare() {
    mkdir -p "$KEYS" "$LOGS" "$RUN"
    chmod 755 "$HOME_DIR"
    chmod 700 "$KEYS"
    exec {PREPARE_LOCK}>"$ROOT/.local/.ports.lock"
    flock "$PREPARE_LOCK"
    if [ ! -s "$PORTS" ]; then
        choose_ports "${PORT_NAMES[@]}" >"$PORTS.tmp"
        mv "$PORTS.tmp" "$PORTS"
    fi
    local name
    # A stack of an earlier version has no ports for what is new since.
    for name in "${PORT_NAMES[@]}"; do grep -q "^PORT_$name=" "$PORTS" || choose_ports "$name" >>"$PORTS"; done
    for name in postgres-owner link-key admin-token "${SERVICES[@]/#/role-}"; do secret "$name" >/dev/null; done
    for name in operator "${SERVICES[@]}"; do
        s3_secret s3_access_key_id "$name" >/dev/null
        s3_secret s3_secret_access_key "$name" >/dev/null
    done
    exec {PREPARE_LOCK}>&-
    # shellcheck disable=SC1090
    source "$PORTS"
    # shellcheck disable=SC2031 # what a service is given on top stays in its own subshell
    HTTP_PORT=${RIAL_HTTP_PORT:-$PORT_HTTP}
    # shellcheck disable=SC2031 # likewise
    PUBLIC_URL=${RIAL_PUBLIC_URL:-http://127.0.0.1:$HTTP_PORT}
}

# Allows only one up or down of a stack at a time.
lock_stack() {
    exec {STACK_LOCK}>"$HOME_DIR/lock"
    flock -w 300 "$STACK_LOCK" || fail "another command holds the stack '$STACK'" "wait for it, or end it"
}

write_file() { # write_file PATH…: standard input, readable by its owner only
    (umask 077 && cat >"$1.tmp")
    mv "$1.tmp" "$1"
}

infra() {
    say "starting PostgreSQL, broker and object store ($STACK)"
    # All three at the same time.
    local pid failed=0
    local -a starting=()
    for part in start_postgres start_broker start_s3; do
        "$part" &
        starting+=($!)
    done
    for pid in "${starting[@]}"; do wait "$pid" || failed=1; done
    [ $failed = 0 ] || fail "the stack '$STACK' could not start" "the reason is above; scripts/stack.sh down $STACK ends the rest"
    create_database
    write_file "$HOME_DIR/test.env" <<ENV
RIAL_TEST_DATABASE_URL=$(owner_url)
RIAL_TEST_KAFKA_BROKERS=127.0.0.1:$PORT_BROKER
RIAL_TEST_S3_ENDPOINT=http://127.0.0.1:$PORT_S3
RIAL_TEST_S3_ACCESS_KEY_ID=$(s3_secret s3_access_key_id operator)
RIAL_TEST_S3_SECRET_ACCESS_KEY=$(s3_secret s3_secret_access_key operator)
ENV
}

write_environment() {
    local service variable
    {
        echo "STACK=$STACK"
        echo "RIAL_DATABASE_URL=$(owner_url)"
        echo "RIAL_DEVELOPMENT_ROOT_DIR=$DEVELOPMENT_ROOT"
        printf 'RIAL_LOG_POLICY=%q\nRIAL_LOG_PREFIX=%q\n' "$LOG_POLICY" "$(cat "$LOG_PREFIX_FILE")"
        for service in "${SERVICES[@]}"; do echo "RIAL_ADMIN_$(upper "$service")=http://127.0.0.1:$(admin_port "$service")"; done
        # The services' values, including those that the caller has set.
        for variable in RIAL_PUBLIC_URL RIAL_KAFKA_BROKERS RIAL_S3_ENDPOINT RIAL_S3_REGION RIAL_S3_BUCKET RIAL_S3_ACCESS_KEY_ID \
            RIAL_S3_SECRET_ACCESS_KEY RIAL_C2PA_OWN_ANCHORS RIAL_ADMIN_TOKEN; do
            printf '%s=%q\n' "$variable" "${!variable:-$(stack_value "$variable" operator)}"
        done
    } | write_file "$HOME_DIR/stack.env"
    if [ "$STACK" = dev ]; then write_file "$ROOT/.local/stack.env" <"$HOME_DIR/stack.env"; fi
}

up() {
    [ -x "$BIN/rial" ] || fail "the project is not built" "run: make build"
    infra
    say "preparing database, topics and bucket"
    admin migrate
    admin topics
    admin bucket
    admin development-root --out "$DEVELOPMENT_ROOT"
    admin signing-identity --out "$KEYS/c2pa"
    open_log
    extra_roots
    write_environment
    say "starting the services"
    local service
    start_log_part witness-1
    start_log_part witness-2
    for service in "${SERVICES[@]}"; do launch_service "$service"; done
    await_services "${SERVICES[@]}"
    start_log_part monitor
    say "up: $PUBLIC_URL (settings in .local/$STACK/stack.env, logs in .local/$STACK/logs)"
}

names() { # names: every part with a pid file
    local file
    for file in "$RUN"/*.pid; do
        if [ -e "$file" ]; then basename "$file" .pid; fi
    done
}

is_infra() { case $1 in postgres | broker | s3) ;; *) return 1 ;; esac }
end_signal() { if [ "$1" = postgres ]; then echo INT; else echo TERM; fi; } # PostgreSQL's TERM waits for clients, INT does not

down() {
    local name
    # First all services, then their dependencies.
    for name in $(names); do if ! is_infra "$name"; then send_signal "$name" TERM; fi; done
    for name in $(names); do if ! is_infra "$name"; then await_end "$name" 30; fi; done
    for name in $(names); do send_signal "$name" "$(end_signal "$name")"; done
    for name in $(names); do await_end "$name" 40; done
}

clean() {
    # Its data is deleted anyway, and a graceful stop would take the object store 15 s.
    send_signal s3 KILL
    down
    local dir=
    if [ -e "$HOME_DIR/postgres.dir" ]; then dir=$(cat "$HOME_DIR/postgres.dir"); fi
    case $dir in /var/tmp/rial-"$STACK"-??????) rm -rf "$dir" ;; esac
    rm -rf "$HOME_DIR"
    if [ "$STACK" = dev ]; then rm -f "$ROOT/.local/stack.env"; fi
}

status() {
    local name state all=0
    for name in $(names); do
        if ! is_running "$name"; then
            state=ended
        elif is_infra "$name" || is_log_part "$name" || is_ready "$name"; then
            state=running
        else
            state="running, not ready"
        fi
        [ "$state" = running ] || all=3
        if [ -e "$RUN/$name.admin" ]; then state+=" (admin port $(cat "$RUN/$name.admin"))"; fi
        printf '%-24s %s\n' "$name" "$state"
    done
    [ -n "$(names)" ] || { echo "the stack '$STACK' is down"; all=3; }
    return $all
}

start_part() { # start_part PART [N]
    if is_infra "$1"; then "start_$1"; elif is_log_part "$1"; then start_log_part "$1"; else
        launch_service "$1" "${2:-1}"
        await_services "$(instance_name "$1" "${2:-1}")"
    fi
}

# keep_ports PART N: the next start of this instance takes its present ports again, since balancers know them.
keep_ports() {
    local name
    name=$(instance_name "$1" "$2")
    if [ -e "$RUN/$name.admin" ]; then KEPT_ADMIN=$(cat "$RUN/$name.admin"); fi
    if [ -e "$RUN/$name.http" ]; then KEPT_HTTP=$(cat "$RUN/$name.http"); fi
}

end_part() { # end_part PART N SIGNAL
    local name=$1
    is_infra "$1" || is_log_part "$1" || {
        require_service "$1"
        name=$(instance_name "$1" "$2")
    }
    send_signal "$name" "$3"
    await_end "$name" 40
}

scale() { # scale SERVICE N
    local service=$1 number name
    require_service "$service"
    for ((number = 1; number <= $2; number++)); do launch_service "$service" "$number"; done
    for ((number = 1; number <= $2; number++)); do await_services "$(instance_name "$service" "$number")"; done
    for name in $(names); do
        case $name in
        "$service") if [ "$2" = 0 ]; then end_part "$service" 1 TERM; fi ;;
        "$service".*) if [ "${name##*.}" -gt "$2" ]; then end_part "$service" "${name##*.}" TERM; fi ;;
        esac
    done
}

if [ "$COMMAND" = variables ]; then
    require_service "$2"
    variables_of "$2"
    exit
fi
case $COMMAND in down | status | clean) [ -d "$RUN" ] || { echo "the stack '$STACK' is down"; exit; } ;; esac
prepare
case $COMMAND in
up | infra | down | clean | scale) lock_stack ;;
esac
case $COMMAND in
up) up ;;
infra) infra ;;
down) down ;;
clean) clean ;;
status) status ;;
start) start_part "$2" "${3:-1}" ;;
stop) end_part "$2" "${3:-1}" "$(end_signal "$2")" ;;
kill) end_part "$2" "${3:-1}" KILL ;;
restart)
    keep_ports "$2" "${3:-1}"
    end_part "$2" "${3:-1}" "$(end_signal "$2")"
    start_part "$2" "${3:-1}"
    ;;
scale)
    [ $# -ge 3 ] || fail "scale needs a number" "for example: scripts/stack.sh scale depth-analyzer 2"
    scale "$2" "$3"
    ;;
esac
