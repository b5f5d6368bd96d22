# shellcheck shell=bash
# Around the public log: its first shard, the witnesses and the monitor, which are others' elsewhere; sourced by stack.sh.

LOG_PARTS=(witness-1 witness-2 monitor)
LOG_POLICY="$HOME_DIR/log-policy"
LOG_PREFIX_FILE="$HOME_DIR/log-prefix"

is_log_part() {
    local part
    for part in "${LOG_PARTS[@]}"; do [ "$part" != "$1" ] || return 0; done
    return 1
}

# log_rial COMMAND…: runs rial as the owner of the log's database.
log_rial() {
    (
        unset RIAL_DATABASE_URL_FILE
        RIAL_DATABASE_URL=$(owner_url)
        RIAL_PUBLIC_URL=$PUBLIC_URL
        export RIAL_DATABASE_URL RIAL_PUBLIC_URL
        exec "$BIN/rial" "$@"
    )
}

# Opens the first shard with a key of the stack's own, and writes the policy: the stack's logs, and a quorum of both witnesses.
open_log() {
    local number port key witnesses=()
    [ -s "$KEYS/log.pem" ] || log_rial log key --shard first --new "$KEYS/log.pem" >/dev/null
    log_rial log open --first --private-key "$KEYS/log.pem"
    for number in 1 2; do
        port="PORT_WITNESS_$number"
        key=$(log_rial witness key --name "witness-$number.local" --out "$KEYS/witness-$number")
        witnesses+=(--witness "$key http://127.0.0.1:${!port}/")
    done
    log_rial log policy "${witnesses[@]}" | write_file "$LOG_POLICY"
    # The last log is the open one.
    awk '/^log / { prefix = $3 } END { print prefix }' "$LOG_POLICY" | write_file "$LOG_PREFIX_FILE"
}

start_log_part() { # start_log_part PART
    local port="PORT_WITNESS_${1#witness-}"
    if is_running "$1"; then return; fi
    case $1 in
    monitor)
        local prefix policy=${RIAL_LOG_POLICY:-$LOG_POLICY}
        prefix=$(cat "$LOG_PREFIX_FILE")
        # Its text, as services take it.
        if [[ $policy == *$'\n'* ]]; then
            write_file "$HOME_DIR/monitor-policy" <<<"$policy"
            policy="$HOME_DIR/monitor-policy"
        fi
        # A state for each shard.
        launch monitor "$BIN/rial" log monitor "$prefix" --policy "$policy" --state "$HOME_DIR/monitor/$(basename "$prefix")"
        ;;
    *)
        launch "$1" "$BIN/rial" witness run --name "$1.local" --key "$KEYS/$1" --logs "$LOG_POLICY" --store "$HOME_DIR/$1" \
            --listen "127.0.0.1:${!port}"
        wait_until "$1" 90 "$1" bash -c "exec 3<>/dev/tcp/127.0.0.1/${!port}"
        ;;
    esac
}
