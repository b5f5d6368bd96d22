#!/usr/bin/env bash
# The local stack: PostgreSQL, broker, object store and the services, each ended by its own pid.
#   stack.sh up|down|status|infra        the whole stack, or only what the services stand on
#   stack.sh start|stop|kill NAME [N]    one of them: postgres, broker, s3, or a service (its Nth instance)
# STACK names the stack (default dev); data, keys and logs are in .local/NAME.
source "$(dirname "$0")/common.sh"
source "$ROOT/scripts/wheels.sh"

STACK=${STACK:-dev}
[[ "$STACK" =~ ^[a-z0-9-]{1,24}$ ]] || fail "STACK must be 1 to 24 of a-z, 0-9 and -, not “$STACK”"
HOME_DIR="$ROOT/.local/$STACK"
KEYS="$HOME_DIR/keys"
LOGS="$HOME_DIR/logs"
RUN="$HOME_DIR/run"
PORTS="$HOME_DIR/ports"
BIN="$ROOT/.build/${RIAL_BUILD:-debug}"
PG_BIN=$(dirname "$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -1)" 2>/dev/null || true)
mkdir -p "$KEYS" "$LOGS" "$RUN"
chmod 755 "$HOME_DIR"
chmod 700 "$KEYS"

# --- ports and secrets, made once for the life of the stack -------------------------------------------------------------

make_ports() {
    [ -e "$PORTS" ] && return
    python3 - >"$PORTS.tmp" <<'PY'
import socket
names = ["POSTGRES", "BROKER", "S3", "S3_GRPC", "S3_MASTER", "S3_MASTER_GRPC", "S3_VOLUME", "S3_VOLUME_GRPC", "S3_FILER", "S3_FILER_GRPC",
         "HTTP", "ADMIN_GATEWAY", "ADMIN_ATTESTATION_VERIFIER", "ADMIN_DEPTH_ANALYZER", "ADMIN_UPLOAD_SYNC",
         "ADMIN_EVIDENCE_ASSEMBLER"]
held = []
for name in names:
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    held.append(s)
    print(f"PORT_{name}={s.getsockname()[1]}")
PY
    mv "$PORTS.tmp" "$PORTS"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

secret() { # secret NAME: 32 random bytes in hex, kept.
    [ -s "$KEYS/$1" ] || (umask 077 && head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$KEYS/$1")
    cat "$KEYS/$1"
}

role_of() { echo "rial_${1//-/_}"; }
upper() { local name=${1//-/_}; echo "${name^^}"; }

# --- processes ------------------------------------------------------------------------------------------------------------

start_time() { awk '{print $22}' "/proc/$1/stat" 2>/dev/null || true; }

is_running() { # is_running NAME: its pid file names a process that started when the file says.
    local file="$RUN/$1.pid" pid start
    [ -e "$file" ] || return 1
    read -r pid start <"$file"
    [ -n "$start" ] && [ "$(start_time "$pid")" = "$start" ] && ! grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null
}

launch() { # launch NAME COMMAND…: in the background, output appended to its log.
    local name=$1
    shift
    is_running "$name" && return
    setsid "$@" >>"$LOGS/$name.log" 2>&1 </dev/null 8>&- 9>&- &
    local pid=$!
    disown "$pid" 2>/dev/null || true
    echo "$pid $(start_time "$pid")" >"$RUN/$name.pid"
}

signal_and_wait() { # signal_and_wait NAME SIGNAL SECONDS
    is_running "$1" || { rm -f "$RUN/$1.pid"; return 0; }
    local pid _ deadline=$((SECONDS + $3))
    read -r pid _ <"$RUN/$1.pid"
    kill "-$2" "$pid" 2>/dev/null || true
    while is_running "$1"; do
        if [ $SECONDS -ge $deadline ]; then
            kill -KILL "$pid" 2>/dev/null || true
            deadline=$((SECONDS + 10))
        fi
        sleep 0.05
    done
    rm -f "$RUN/$1.pid"
}

wait_until() { # wait_until WHAT SECONDS NAME COMMAND…: a condition with a deadline; NAME is the process that must live.
    local what=$1 deadline=$((SECONDS + $2)) name=$3
    shift 3
    until "$@" >/dev/null 2>&1; do
        if ! is_running "$name"; then
            tail -n 15 "$LOGS/$name.log" >&2
            fail "$what ended while starting" "its log is $LOGS/$name.log"
        fi
        if [ $SECONDS -ge $deadline ]; then
            tail -n 15 "$LOGS/$name.log" >&2
            fail "$what is not ready in time" "its log is $LOGS/$name.log"
        fi
        sleep 0.1
    done
}

# --- PostgreSQL ------------------------------------------------------------------------------------------------------------

# The server refuses to run as root: then it runs as postgres, in a folder that user can reach.
postgres_user() { if [ "$(id -u)" = 0 ]; then setpriv --reuid postgres --regid postgres --clear-groups -- "$@"; else "$@"; fi; }

postgres_dir() {
    local marker="$HOME_DIR/postgres.dir"
    if [ ! -e "$marker" ]; then
        mkdir -p "$HOME_DIR/postgres"
        if [ "$(id -u)" = 0 ]; then chown postgres: "$HOME_DIR/postgres"; fi
        if postgres_user test -w "$HOME_DIR/postgres"; then
            echo "$HOME_DIR/postgres" >"$marker"
        else
            rmdir "$HOME_DIR/postgres"
            local elsewhere
            elsewhere=$(mktemp -d "/var/tmp/rial-$STACK-XXXXXX")
            chown postgres: "$elsewhere"
            echo "$elsewhere" >"$marker"
        fi
    fi
    cat "$marker"
}

start_postgres() {
    local dir
    dir=$(postgres_dir)
    if [ ! -e "$dir/data/PG_VERSION" ]; then
        local password
        password=$(mktemp)
        secret postgres-owner >"$password"
        chmod 644 "$password"
        postgres_user env -C "$dir" "$PG_BIN/initdb" -D "$dir/data" -U rial_owner --pwfile "$password" -A scram-sha-256 -E UTF8 \
            --locale C.UTF-8 --no-instructions >>"$LOGS/postgres.log" 2>&1 || fail "initdb failed" "see $LOGS/postgres.log"
        rm -f "$password"
    fi
    if [ "$(id -u)" = 0 ]; then
        launch postgres setpriv --reuid postgres --regid postgres --clear-groups -- env -C "$dir" "$PG_BIN/postgres" -D "$dir/data" \
            -c listen_addresses=127.0.0.1 -p "$PORT_POSTGRES" -k "$dir" -c max_connections=300
    else
        launch postgres env -C "$dir" "$PG_BIN/postgres" -D "$dir/data" -c listen_addresses=127.0.0.1 -p "$PORT_POSTGRES" -k "$dir" \
            -c max_connections=300
    fi
    wait_until PostgreSQL 60 postgres "$PG_BIN/pg_isready" -q -h 127.0.0.1 -p "$PORT_POSTGRES"
}

owner_url() { echo "postgresql://rial_owner:$(secret postgres-owner)@127.0.0.1:$PORT_POSTGRES/${1:-rial}"; }

sql() { "$PG_BIN/psql" -q -v ON_ERROR_STOP=1 "$(owner_url "$1")" -c "$2"; }

create_database() {
    "$PG_BIN/psql" -tAq "$(owner_url postgres)" -c "SELECT 1 FROM pg_database WHERE datname = 'rial'" | grep -q 1 ||
        sql postgres 'CREATE DATABASE rial'
    local service role
    for service in "${SERVICES[@]}"; do
        role=$(role_of "$service")
        "$PG_BIN/psql" -tAq "$(owner_url postgres)" -c "SELECT 1 FROM pg_roles WHERE rolname = '$role'" | grep -q 1 ||
            sql postgres "CREATE ROLE $role LOGIN PASSWORD '$(secret "role-$service")'"
    done
}

# --- broker and object store -----------------------------------------------------------------------------------------------

start_broker() {
    launch broker "$BROKER_BIN" broker --listener-url "tcp://127.0.0.1:$PORT_BROKER" \
        --advertised-listener-url "tcp://127.0.0.1:$PORT_BROKER" --storage-engine memory://tansu/
    wait_until "the broker" 30 broker bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT_BROKER"
}

start_s3() {
    local identities="$KEYS/identities.json"
    (umask 077 && cat >"$identities" <<JSON
{"identities": [{"name": "rial", "credentials": [{"accessKey": "$(secret s3-access | cut -c1-20)",
 "secretKey": "$(secret s3-secret)"}], "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}
JSON
    )
    mkdir -p "$HOME_DIR/s3"
    launch s3 "$S3_BIN" -logdir="$LOGS" server -dir="$HOME_DIR/s3" -ip=127.0.0.1 -ip.bind=127.0.0.1 \
        -master.port="$PORT_S3_MASTER" -master.port.grpc="$PORT_S3_MASTER_GRPC" -volume.port="$PORT_S3_VOLUME" \
        -volume.port.grpc="$PORT_S3_VOLUME_GRPC" -volume.max=200 -master.volumeSizeLimitMB=256 -filer -filer.port="$PORT_S3_FILER" \
        -filer.port.grpc="$PORT_S3_FILER_GRPC" -s3 -s3.port="$PORT_S3" -s3.port.grpc="$PORT_S3_GRPC" -s3.port.iceberg=0 -s3.config="$identities"
    wait_until "the object store" 90 s3 curl -s -o /dev/null "http://127.0.0.1:$PORT_S3/"
}

# --- services --------------------------------------------------------------------------------------------------------------

# Defaults of the stack; a RIAL_ variable of the caller wins for every service.
service_environment() { # service_environment SERVICE ADMIN_PORT: lines NAME=value
    local service=$1 port=$2
    cat <<ENV
RIAL_MODE=development
RIAL_DATABASE_URL=postgresql://$(role_of "$service"):$(secret "role-$service")@127.0.0.1:$PORT_POSTGRES/rial
RIAL_KAFKA_BROKERS=127.0.0.1:$PORT_BROKER
RIAL_S3_ENDPOINT=http://127.0.0.1:$PORT_S3
RIAL_S3_REGION=us-east-1
RIAL_S3_BUCKET=rial
RIAL_S3_ACCESS_KEY_ID=$(secret s3-access | cut -c1-20)
RIAL_S3_SECRET_ACCESS_KEY=$(secret s3-secret)
RIAL_PUBLIC_URL=$PUBLIC_URL
RIAL_LINK_KEY=$(secret link-key)
RIAL_HTTP_HOST=127.0.0.1
RIAL_HTTP_PORT=$HTTP_PORT
RIAL_APP_IDS=ABCDE12345.app.rial.ios
RIAL_APP_ATTEST_ENVIRONMENT=development
RIAL_APP_ATTEST_EXTRA_ROOTS=$KEYS/extra-roots.pem
RIAL_ADMIN_HOST=127.0.0.1
ENV
    # Addresses of this stack's own parts and the merged roots are not the caller's to replace, everything else is.
    env | grep -E '^RIAL_[A-Z0-9_]+=' | grep -vE '^RIAL_(ADMIN_PORT|ADMIN_HOST|BUILD|APP_ATTEST_EXTRA_ROOTS|DATABASE_URL|TEST_[A-Z0-9_]+)=' || true
    echo "RIAL_ADMIN_PORT=$port"
}

extra_roots() {
    local file="$KEYS/extra-roots.pem"
    cat "$KEYS/app-attest/root.pem" >"$file.tmp"
    if [ -n "${RIAL_APP_ATTEST_EXTRA_ROOTS:-}" ]; then
        case $RIAL_APP_ATTEST_EXTRA_ROOTS in
        *-----BEGIN*) printf '\n%s\n' "$RIAL_APP_ATTEST_EXTRA_ROOTS" >>"$file.tmp" ;;
        *) cat "$RIAL_APP_ATTEST_EXTRA_ROOTS" >>"$file.tmp" ;;
        esac
    fi
    mv "$file.tmp" "$file"
}

instance_name() { if [ "${2:-1}" = 1 ]; then echo "$1"; else echo "$1.$2"; fi; }

launch_service() { # launch_service SERVICE [N]
    local service=$1 number=${2:-1} name port variables
    name=$(instance_name "$service" "$number")
    is_running "$name" && return
    [ -x "$BIN/$service" ] || fail "$service is not built" "run: swift build"
    if [ "$number" = 1 ]; then
        local variable
        variable="PORT_ADMIN_$(upper "$service")"
        port=${!variable}
    else
        port=$(free_port)
    fi
    echo "$port" >"$RUN/$name.admin"
    mapfile -t variables < <(service_environment "$service" "$port")
    if [ "$number" != 1 ] && [ "$service" = gateway ]; then
        local http
        http=$(free_port)
        echo "$http" >"$RUN/$name.http"
        variables+=("RIAL_HTTP_PORT=$http")
    fi
    launch "$name" env "${variables[@]}" "$BIN/$service"
}

await_service() {
    local name
    name=$(instance_name "$1" "${2:-1}")
    wait_until "$1" 60 "$name" curl -sf "http://127.0.0.1:$(cat "$RUN/$name.admin")/readyz"
}

write_environment() {
    local service file="$HOME_DIR/stack.env"
    {
        echo "STACK=$STACK"
        echo "RIAL_PUBLIC_URL=$PUBLIC_URL"
        echo "RIAL_DATABASE_URL=$(owner_url)"
        echo "RIAL_KAFKA_BROKERS=127.0.0.1:$PORT_BROKER"
        echo "RIAL_S3_ENDPOINT=http://127.0.0.1:$PORT_S3"
        echo "RIAL_S3_REGION=us-east-1"
        echo "RIAL_S3_BUCKET=rial"
        echo "RIAL_S3_ACCESS_KEY_ID=$(secret s3-access | cut -c1-20)"
        echo "RIAL_S3_SECRET_ACCESS_KEY=$(secret s3-secret)"
        echo "RIAL_DEVELOPMENT_ROOT_DIR=$KEYS/app-attest"
        for service in "${SERVICES[@]}"; do
            local variable
            variable="PORT_ADMIN_$(upper "$service")"
            echo "RIAL_ADMIN_$(upper "$service")=http://127.0.0.1:${!variable}"
        done
    } >"$file.tmp"
    chmod 600 "$file.tmp"
    mv "$file.tmp" "$file"
    if [ "$STACK" = dev ]; then cp -p "$file" "$ROOT/.local/stack.env"; fi
}

infra() {
    say "starting PostgreSQL, broker and object store ($STACK)"
    start_postgres
    start_broker
    start_s3
    create_database
    {
        echo "RIAL_TEST_DATABASE_URL=$(owner_url)"
        echo "RIAL_TEST_KAFKA_BROKERS=127.0.0.1:$PORT_BROKER"
        echo "RIAL_TEST_S3_ENDPOINT=http://127.0.0.1:$PORT_S3"
        echo "RIAL_TEST_S3_ACCESS_KEY_ID=$(secret s3-access | cut -c1-20)"
        echo "RIAL_TEST_S3_SECRET_ACCESS_KEY=$(secret s3-secret)"
    } >"$HOME_DIR/test.env"
    chmod 600 "$HOME_DIR/test.env"
}

admin() { # admin COMMAND…: rial admin with the owner's rights
    env "RIAL_DATABASE_URL=$(owner_url)" "RIAL_KAFKA_BROKERS=127.0.0.1:$PORT_BROKER" "RIAL_S3_ENDPOINT=http://127.0.0.1:$PORT_S3" \
        RIAL_S3_REGION=us-east-1 RIAL_S3_BUCKET=rial "RIAL_S3_ACCESS_KEY_ID=$(secret s3-access | cut -c1-20)" \
        "RIAL_S3_SECRET_ACCESS_KEY=$(secret s3-secret)" "$BIN/rial" admin "$@"
}

up() {
    [ -x "$BIN/rial" ] || fail "the project is not built" "run: swift build"
    infra
    say "preparing database, topics and bucket"
    admin migrate
    admin topics
    admin bucket
    admin development-root --out "$KEYS/app-attest"
    extra_roots
    say "starting the services"
    local service
    for service in "${SERVICES[@]}"; do launch_service "$service"; done
    for service in "${SERVICES[@]}"; do await_service "$service"; done
    write_environment
    say "up: $PUBLIC_URL (settings in .local/$STACK/stack.env, logs in .local/$STACK/logs)"
}

down() {
    local file name
    # Services first, all at once; then what they stand on.
    for file in "$RUN"/*.pid; do
        name=$(basename "$file" .pid)
        case $name in postgres | broker | s3 | '*') ;; *) if is_running "$name"; then kill -TERM "$(awk '{print $1}' "$file")"; fi ;; esac
    done
    for file in "$RUN"/*.pid; do
        name=$(basename "$file" .pid)
        case $name in postgres | broker | s3 | '*') ;; *) signal_and_wait "$name" TERM 30 ;; esac
    done
    signal_and_wait broker TERM 10
    signal_and_wait s3 TERM 40
    signal_and_wait postgres INT 30
}

start_one() {
    case $1 in
    postgres) start_postgres ;;
    broker) start_broker ;;
    s3) start_s3 ;;
    *)
        launch_service "$1" "${2:-1}"
        await_service "$1" "${2:-1}"
        ;;
    esac
}

status() {
    local file name
    for file in "$RUN"/*.pid; do
        [ -e "$file" ] || continue
        name=$(basename "$file" .pid)
        if is_running "$name"; then echo "$name running"; else echo "$name ended"; fi
    done
}

make_ports
source "$PORTS"
HTTP_PORT=${RIAL_HTTP_PORT:-$PORT_HTTP}
PUBLIC_URL=${RIAL_PUBLIC_URL:-http://127.0.0.1:$HTTP_PORT}

case ${1:-} in
up) up ;;
down) down ;;
infra) infra ;;
status) status ;;
start) start_one "$2" "${3:-1}" ;;
stop) signal_and_wait "$(instance_name "$2" "${3:-1}")" "$([ "$2" = postgres ] && echo INT || echo TERM)" 40 ;;
kill) signal_and_wait "$(instance_name "$2" "${3:-1}")" KILL 10 ;;
*) fail "unknown command “${1:-}”" "use up, down, status, infra, start, stop or kill" ;;
esac
