# shellcheck shell=bash
# The six services and their settings; sourced by stack.sh.

role_of() { printf 'rial_%s' "${1//-/_}"; }
upper() {
    local name=${1//-/_}
    printf '%s' "${name^^}"
}
admin_port() { # admin_port SERVICE: of its first instance
    local variable
    variable="PORT_ADMIN_$(upper "$1")"
    printf '%s' "${!variable}"
}
instance_name() { if [ "${2:-1}" = 1 ]; then printf '%s' "$1"; else printf '%s.%s' "$1" "$2"; fi; }

require_service() {
    local service
    for service in "${SERVICES[@]}"; do [ "$service" != "$1" ] || return 0; done
    fail "there is no service '$1'" "use one of: ${SERVICES[*]}"
}

# variables_of SERVICE: its required variables from scripts/service-env.list, one name per line.
variables_of() {
    awk -v service="$1" '/^RIAL_/ && ($3 == "plain" || $3 == "secret") {
        count = split($2, names, ",")
        for (i = 1; i <= count; i++) if (names[i] == "*" || names[i] == service) print $1
    }' "$ROOT/scripts/service-env.list"
}

# stack_value VARIABLE SERVICE|operator: the stack's value of a variable.
stack_value() {
    case $1 in
    RIAL_MODE | RIAL_APP_ATTEST_ENVIRONMENT) echo development ;;
    RIAL_APP_IDS) echo ABCDE12345.app.rial.ios ;;
    RIAL_KAFKA_BROKERS) echo "127.0.0.1:$PORT_BROKER" ;;
    # The local broker has no TLS, and no users before it runs.
    RIAL_KAFKA_SECURITY_PROTOCOL) echo PLAINTEXT ;;
    # The local broker's high watermarks are wrong, so `latest` would start at an arbitrary offset.
    RIAL_KAFKA_WAKE_OFFSET) echo earliest ;;
    # As many as an instance has consumers: each more costs the local broker much CPU all the time.
    RIAL_KAFKA_PARTITIONS) echo "${RIAL_KAFKA_PARTITIONS:-2}" ;;
    # The local broker does not respond before this time, and frequent fetches cost it much CPU.
    RIAL_KAFKA_FETCH_WAIT_MS) echo "${RIAL_KAFKA_FETCH_WAIT_MS:-12}" ;;
    # With the local broker a group stays half formed for minutes when two members leave and come back.
    RIAL_KAFKA_LEAVE_GROUP) echo 0 ;;
    # A restarted service gets its former partitions back only after this timeout.
    RIAL_KAFKA_SESSION_TIMEOUT_MS) echo 2000 ;;
    RIAL_S3_ENDPOINT) echo "http://127.0.0.1:$PORT_S3" ;;
    RIAL_S3_REGION) echo us-east-1 ;;
    RIAL_S3_BUCKET) echo rial ;;
    RIAL_S3_ACCESS_KEY_ID) s3_secret s3_access_key_id "$2" ;;
    RIAL_S3_SECRET_ACCESS_KEY) s3_secret s3_secret_access_key "$2" ;;
    RIAL_PUBLIC_URL) echo "$PUBLIC_URL" ;;
    RIAL_LINK_KEY) secret link-key ;;
    RIAL_ADMIN_TOKEN) secret admin-token ;;
    RIAL_C2PA_CERTIFICATES) echo "$KEYS/c2pa/certificates.pem" ;;
    RIAL_C2PA_PRIVATE_KEY) [ -n "${RIAL_C2PA_PKCS11_MODULE:-}" ] || echo "$KEYS/c2pa/private-key.pem" ;;
    RIAL_C2PA_OWN_ANCHORS) echo "$KEYS/c2pa/root.pem" ;;
    RIAL_LOG_POLICY) echo "$LOG_POLICY" ;;
    RIAL_LOG_PRIVATE_KEY) [ -n "${RIAL_LOG_PKCS11_MODULE:-}" ] || echo "$KEYS/log.pem" ;;
    RIAL_HTTP_HOST | RIAL_ADMIN_HOST) echo 127.0.0.1 ;;
    RIAL_HTTP_PORT) echo "$HTTP_PORT" ;;
    RIAL_ADMIN_PORT) admin_port "$2" ;;
    RIAL_DATABASE_URL)
        # A test may use a proxy: RIAL_TEST_DATABASE_PORT_UPLOAD_SYNC=PORT, and so on for each service.
        local proxy
        proxy="RIAL_TEST_DATABASE_PORT_$(upper "$2")"
        printf 'postgresql://%s:%s@127.0.0.1:%s/rial\n' "$(role_of "$2")" "$(secret "role-$2")" "${!proxy:-$PORT_POSTGRES}"
        ;;
    *) fail "the stack has no value for $1" "add it to stack_value in scripts/stack/services.sh" ;;
    esac
}

# export_settings SERVICE VARIABLE…: exports the stack's values of variables that the caller has not set, directly or as a file.
export_settings() {
    local service=$1 variable value file
    shift
    for variable in "$@"; do
        file="${variable}_FILE"
        if [ -n "${!variable:-}" ] || [ -n "${!file:-}" ]; then continue; fi
        value=$(stack_value "$variable" "$service")
        export "$variable=$value"
    done
}

# Drops the caller's values of variables that only the stack may set: admin ports, database roles, and the merged roots.
forget_callers() {
    unset RIAL_ADMIN_HOST RIAL_ADMIN_PORT RIAL_ADMIN_PORT_FILE RIAL_DATABASE_URL RIAL_DATABASE_URL_FILE RIAL_APP_ATTEST_EXTRA_ROOTS \
        RIAL_APP_ATTEST_EXTRA_ROOTS_FILE
}

# Writes the stack's development root and the caller's extra roots into one file.
extra_roots() {
    local file="$KEYS/extra-roots.pem" given=${RIAL_APP_ATTEST_EXTRA_ROOTS:-${RIAL_APP_ATTEST_EXTRA_ROOTS_FILE:-}}
    cat "$DEVELOPMENT_ROOT/app-attest-root.pem" >"$file.tmp"
    case $given in
    '') ;;
    *-----BEGIN*) printf '\n%s\n' "$given" >>"$file.tmp" ;;
    *)
        [ -r "$given" ] || fail "RIAL_APP_ATTEST_EXTRA_ROOTS names a file that cannot be read: $given"
        { echo && cat "$given"; } >>"$file.tmp"
        ;;
    esac
    mv "$file.tmp" "$file"
}

launch_service() { # launch_service SERVICE [N]
    local service=$1 number=${2:-1} name admin http=$HTTP_PORT
    require_service "$service"
    name=$(instance_name "$service" "$number")
    if is_running "$name"; then return; fi
    [ -x "$BIN/$service" ] || fail "$service is not built" "run: make build"
    admin=$(admin_port "$service")
    if [ "$number" != 1 ]; then
        admin=${KEPT_ADMIN:-$(free_port)}
        if [ "$service" = gateway ]; then http=${KEPT_HTTP:-$(free_port)}; fi
    fi
    printf '%s\n' "$admin" >"$RUN/$name.admin"
    if [ "$service" = gateway ]; then printf '%s\n' "$http" >"$RUN/$name.http"; fi
    (
        forget_callers
        mapfile -t variables < <(variables_of "$service")
        export_settings "$service" "${variables[@]}"
        export RIAL_ADMIN_PORT="$admin"
        if [ "$service" = gateway ]; then export RIAL_HTTP_PORT="$http"; fi
        if [ "$service" = attestation-verifier ] && [ "${RIAL_MODE:-}" = development ]; then
            export RIAL_APP_ATTEST_EXTRA_ROOTS="$KEYS/extra-roots.pem"
        fi
        launch "$name" "$BIN/$service"
    )
}

is_ready() { curl -sf -o /dev/null --max-time 5 "http://127.0.0.1:$(cat "$RUN/$1.admin")/readyz"; }

# await_services NAME…: waits until all are ready; after the timeout it reports those that are not, with their /readyz.
await_services() {
    local deadline=$((SECONDS + 120)) name
    local -a waiting=("$@") still
    while [ ${#waiting[@]} -gt 0 ]; do
        still=()
        for name in "${waiting[@]}"; do
            if ! is_ready "$name"; then still+=("$name"); fi
        done
        waiting=("${still[@]}")
        # If one has exited, that is the reason: do not wait for the others.
        still=()
        for name in "${waiting[@]}"; do if ! is_running "$name"; then still+=("$name"); fi; done
        if [ ${#still[@]} -gt 0 ]; then report_unready "${still[@]}"; fi
        if [ ${#waiting[@]} -gt 0 ] && [ $SECONDS -ge $deadline ]; then report_unready "${waiting[@]}"; fi
        if [ ${#waiting[@]} -gt 0 ]; then sleep 0.1; fi
    done
}

report_unready() {
    local name
    for name in "$@"; do
        if is_running "$name"; then
            printf '%s is not ready: %s\n' "$name" "$(curl -s --max-time 5 "http://127.0.0.1:$(cat "$RUN/$name.admin")/readyz" || true)" >&2
        else
            printf '%s has ended\n' "$name" >&2
        fi
        show_log "$name"
    done
    fail "not ready: $*" "logs are in $LOGS; scripts/stack.sh down $STACK ends the rest"
}

# admin COMMAND…: runs rial admin as the database's owner.
admin() {
    (
        unset RIAL_DATABASE_URL_FILE
        export_settings operator RIAL_KAFKA_BROKERS RIAL_KAFKA_PARTITIONS RIAL_S3_ENDPOINT RIAL_S3_REGION RIAL_S3_BUCKET RIAL_S3_ACCESS_KEY_ID \
            RIAL_S3_SECRET_ACCESS_KEY
        RIAL_DATABASE_URL=$(owner_url)
        export RIAL_DATABASE_URL
        exec "$BIN/rial" admin "$@"
    )
}
