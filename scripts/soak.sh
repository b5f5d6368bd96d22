#!/usr/bin/env bash
# Sends captures at a steady rate to its own stack, while one part after the other is killed, stopped, frozen, disconnected or made
# read-only. At the end every accepted capture must be complete, exactly once, with its original unchanged in the store; every statement must
# be in the public log, once, and a monitor must find the log sound. In the last third nothing is ended but what the services stand on:
# their memory, open files and connections must not grow. Once, the log's writer is kept from writing: an operator's alert must see it.
#   SOAK_MINUTES  duration (10)        SOAK_SEED  decides the sequence of faults (default random; it is printed)
#   SOAK_RATE     captures per second (2 with RIAL_BUILD=release, else 0.5)
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"
unset STACK
export RIAL_LIMIT_CHALLENGES_PER_MINUTE=0 RIAL_LIMIT_REGISTRATIONS_PER_MINUTE=0 RIAL_LIMIT_CAPTURES_PER_HOUR=0
export RIAL_MAX_UPLOADS_PER_DEVICE=0 RIAL_MAX_UPLOADS_PER_ADDRESS=0
# Captures whose records the broker lost must be announced again within the soak.
export RIAL_ANNOUNCE_AGAIN_SECONDS=10
minutes=${SOAK_MINUTES:-10}
seed=${SOAK_SEED:-$((RANDOM * 32768 + RANDOM))}
rate=${SOAK_RATE:-$(if [ "${RIAL_BUILD:-debug}" = release ]; then echo 2; else echo 0.5; fi)}
[[ "$minutes" =~ ^[0-9]{1,4}$ && "$minutes" -gt 0 ]] || fail "SOAK_MINUTES is '$minutes'" "give whole minutes, at least 1"
[[ "$seed" =~ ^[0-9]{1,10}$ ]] || fail "SOAK_SEED is '$seed'" "give a whole number"
home=.local/soak
rial=".build/${RIAL_BUILD:-debug}/rial"

control() { STACK=soak scripts/stack.sh "$@"; }
sql() { PGOPTIONS='-c lock_timeout=30s' psql "$(value RIAL_DATABASE_URL)" -X -qtA -v ON_ERROR_STOP=1 -c "$1"; }
value() { sed -n "s/^$1=//p" "$home/stack.env"; }
# On a busy machine a start may exceed the timeout of `stack.sh start`; only the end result counts.
start() { control start "$1" || say "$1 is not ready yet"; }
role_of() { printf 'rial_%s' "${1//-/_}"; }

# processes NAME: the ids of its process and that process's children.
processes() {
    local pid children
    pid=$(cut -d ' ' -f 1 "$home/run/$1.pid")
    echo "$pid"
    children=$(pgrep -P "$pid" || true)
    printf '%s\n' "$children"
}
signal_all() { # signal_all SIGNAL NAME
    local pid
    for pid in $(processes "$2"); do kill "-$1" "$pid" 2>/dev/null || true; done
}
# Twice, since a process may fork while it is being frozen.
freeze() { signal_all STOP "$1"; signal_all STOP "$1"; }
thaw() { signal_all CONT "$1"; }

finish() {
    local status=$? name
    for name in postgres broker s3 "${SERVICES[@]}" witness-1 witness-2; do if [ -e "$home/run/$name.pid" ]; then thaw "$name"; fi; done
    for name in ${sender:-} ${sampler:-} ${holder:-}; do kill "$name" 2>/dev/null || true; done
    # After a failure the logs are kept.
    if [ $status = 0 ]; then scripts/stack.sh clean soak; else scripts/stack.sh down soak; fi >/dev/null 2>&1 || true
}
trap finish EXIT
trap 'exit 130' INT TERM

# random N: 0 to N - 1 in `drawn`, the same sequence for the same seed, on every machine.
state=$seed
random() {
    state=$(((state * 1103515245 + 12345) & 0x7fffffff))
    drawn=$(((state >> 8) % $1))
}
pick() { # pick WORD…: one of them in `picked`
    random $#
    shift "$drawn"
    picked=$1
}

declare -A counts
# fault VERB PART SECONDS: begins a fault, waits, and ends it.
fault() {
    counts["$1 ${2%%.*}"]=$((${counts["$1 ${2%%.*}"]:-0} + 1))
    printf '%5d s  %s %s for %d s\n' $((SECONDS - started)) "$1" "$2" "$3"
    case $1 in
    kill | stop)
        control "$1" "$2"
        sleep "$3"
        start "$2"
        ;;
    freeze)
        freeze "$2"
        sleep "$3"
        thaw "$2"
        ;;
    scale)
        control scale "$2" 2 || say "$2 is not ready yet"
        sleep "$3"
        control scale "$2" 1
        ;;
    cut) # ends its connections to PostgreSQL every half second
        local end=$((SECONDS + $3))
        while [ $SECONDS -lt $end ]; do
            sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '$(role_of "$2")'" >/dev/null
            sleep 0.5
        done
        ;;
    read-only)
        sql "ALTER ROLE $(role_of "$2") SET default_transaction_read_only = on"
        sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '$(role_of "$2")'" >/dev/null
        sleep "$3"
        sql "ALTER ROLE $(role_of "$2") RESET default_transaction_read_only"
        sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '$(role_of "$2")'" >/dev/null
        ;;
    lock) # locks a table; this statement may itself be the victim of a deadlock
        sql "BEGIN; LOCK TABLE $2 IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep($3); COMMIT" >/dev/null || true
        ;;
    esac
}

# metric SERVICE NAME: its value, nothing if the service does not answer.
metric() { curl -s --max-time 2 "http://127.0.0.1:$(cat "$home/run/$1.admin")/metrics" | sed -n "s/^$2 //p"; }

# Keeps the log's writer from adding entries, and waits until what an alert looks at (docs/operations.md) says so, and until it is over.
stand_still() {
    local from=$SECONDS waits=0
    PGAPPNAME=soak-hold sql "BEGIN; LOCK TABLE log_entries IN SHARE MODE; SELECT pg_sleep(180); COMMIT" >/dev/null 2>&1 &
    holder=$!
    until awk -v age="$(metric transparency-log rial_log_pending_oldest_seconds)" 'BEGIN { exit !(age > 60) }'; do
        [ $((SECONDS - from)) -lt 120 ] || fail "the public log stood still for two minutes, and no metric says so" "logs are in $home/logs"
        sleep 1
    done
    waits=$((SECONDS - from))
    sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'soak-hold'" >/dev/null
    wait "$holder" || true
    holder=
    from=$SECONDS
    until awk -v age="$(metric transparency-log rial_log_pending_oldest_seconds)" 'BEGIN { exit !(age != "" && age < 60) }'; do
        [ $((SECONDS - from)) -lt 60 ] || fail "the public log does not continue" "logs are in $home/logs"
        sleep 1
    done
    alert="the alert saw after $waits s that the public log stood still, and after $((SECONDS - from)) s that it went on"
    say "$alert"
}

next_fault() {
    local verb
    if [ -z "$calm" ]; then pick kill kill stop freeze cut read-only lock scale witness infra infra infra; else pick freeze cut read-only lock infra; fi
    verb=$picked
    random 12
    local seconds=$((drawn + 2))
    case $verb in
    infra)
        pick postgres postgres broker s3
        local part=$picked
        # The store is never killed: its durability over a crash is not tested here.
        if [ "$part" = s3 ]; then pick stop freeze; else pick kill stop freeze; fi
        fault "$picked" "$part" "$seconds"
        ;;
    witness)
        pick kill stop freeze
        verb=$picked
        pick witness-1 witness-2
        fault "$verb" "$picked" "$seconds"
        ;;
    lock)
        pick captures challenges evidence_parts media_objects sync_jobs gateway_outbox evidence_assembler_outbox \
            statements log_pending log_entries log_shards
        fault lock "$picked" "$seconds"
        ;;
    *)
        pick "${SERVICES[@]}"
        fault "$verb" "$picked" "$seconds"
        ;;
    esac
}

say "building"
if [ "${RIAL_BUILD:-debug}" = release ]; then swift build -c release; else swift build; fi || fail "the build failed" "its errors are above"
say "soak: $minutes minutes, seed $seed, $rate captures a second"
scripts/stack.sh clean soak
scripts/stack.sh up soak

seconds=$((minutes * 60))
result="$home/soak.json"
progress="$home/soak.log"
samples="$home/soak-samples.jsonl"
: >"$progress"
# The sender needs the operator's settings, which the services restarted below must not inherit.
# shellcheck disable=SC2016 # the inner shell's own
bash -c 'set -a && source "$0" && exec "$@"' "$home/stack.env" \
    "$rial" soak --seconds "$seconds" --rate "$rate" --devices 4 --drain 900 >"$result" 2>"$progress" &
sender=$!
until grep -q 'sending for' "$progress"; do
    kill -0 "$sender" 2>/dev/null || { cat "$progress" >&2; fail "no device could be registered" "the reason is above"; }
    sleep 0.2
done
python3 scripts/soak/watch.py sample "$home" >"$samples" &
sampler=$!
started=$SECONDS
faults=0 calm='' alert=''
while [ $((SECONDS - started)) -lt $((seconds - 20)) ]; do
    random 8
    sleep $((drawn + 3))
    if [ -z "$alert" ] && [ $((SECONDS - started)) -ge $((seconds / 3)) ]; then stand_still; fi
    if [ -z "$calm" ] && [ $((SECONDS - started)) -ge $((seconds * 2 / 3)) ]; then
        say "from now on no service is ended"
        calm=$(date +%s)
    fi
    next_fault
    faults=$((faults + 1))
done
say "ending all faults"
for part in postgres broker s3 "${SERVICES[@]}" witness-1 witness-2; do
    thaw "$part"
    start "$part"
done
# The sender waits until every capture is complete, or reports what is wrong.
status=0
wait "$sender" || status=$?
sender=

say "faults ($faults, seed $seed)"
for name in "${!counts[@]}"; do printf '%4d  %s\n' "${counts[$name]}" "$name"; done | sort -k 2
say "captures"
cat "$result"
if [ $status != 0 ]; then
    tail -n 40 "$progress" >&2
    fail "not every accepted capture is complete, once, with its original" "logs are in $home/logs; again: SOAK_SEED=$seed make soak"
fi
control status || fail "a part is not ready in the end" "logs are in $home/logs; again: SOAK_SEED=$seed make soak"
left=0
for service in "${SERVICES[@]}"; do
    rows=$(sql "SELECT count(*) FROM ${service//-/_}_outbox WHERE created_at < now() - interval '30 s'")
    left=$((left + rows))
done
[ $left = 0 ] || fail "$left announcements were never published" "logs are in $home/logs; again: SOAK_SEED=$seed make soak"
say "the public log"
deadline=$((SECONDS + 60))
until [ "$(sql "SELECT count(*) FROM statements WHERE leaf_index IS NULL AND coalesce(not_before, now()) <= now()")" = 0 ] &&
    [ "$(sql "SELECT count(*) FROM log_shards WHERE published_size < size")" = 0 ]; do
    [ $SECONDS -lt $deadline ] || fail "not every statement is in the public log" "logs are in $home/logs; again: SOAK_SEED=$seed make soak"
    sleep 1
done
[ "$(sql "SELECT count(commitment) - count(DISTINCT commitment) FROM log_entries")" = 0 ] ||
    fail "a statement is in the public log twice" "logs are in $home/logs; again: SOAK_SEED=$seed make soak"
"$rial" log monitor "$(cat "$home/log-prefix")" --policy "$home/log-policy" --state "$home/soak-monitor" --once ||
    fail "a monitor does not find the log sound" "its reason is above; logs are in $home/logs"
echo "$alert"
say "memory, files and connections"
kill "$sampler"
wait "$sampler" || true
sampler=
python3 scripts/soak/watch.py report "$samples" "${calm:-$(date +%s)}" ||
    fail "a part grows, or the log was not as it must be" "samples are in $samples; again: SOAK_SEED=$seed make soak"
say "every accepted capture is complete, once, with its original as it was sent (seed $seed)"
