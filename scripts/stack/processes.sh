# shellcheck shell=bash
# Processes of a stack, each known by its pid file; sourced by stack.sh.

# Clock ticks after boot at which process $1 started; nothing if there is none. The name before it may hold spaces.
start_time() {
    local line
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
    local -a fields
    read -ra fields <<<"${line##*) }"
    [ "${fields[0]}" = Z ] || printf '%s\n' "${fields[19]}"
}

# is_running NAME: its pid file names a process that started when the file says. A pid that another program has taken since is no match.
is_running() {
    local pid start
    { read -r pid start <"$RUN/$1.pid"; } 2>/dev/null || return 1
    [ -n "$start" ] && [ "$(start_time "$pid")" = "$start" ]
}

pid_of() { cut -d ' ' -f 1 "$RUN/$1.pid"; }

forget() { rm -f "$RUN/$1.pid" "$RUN/$1.admin" "$RUN/$1.http"; }

# launch NAME COMMAND…: in the background and a session of its own, holding no file of the caller's, output appended to its log.
launch() {
    local name=$1 log="$LOGS/$1.log"
    shift
    is_running "$name" && return
    if [ -e "$log" ] && [ "$(stat -c %s "$log")" -gt 67108864 ]; then mv -f "$log" "$log.1"; fi
    (
        local fd
        for fd in /proc/self/fd/*; do
            fd=${fd##*/}
            # 255 is the shell's own hold on this script; it closes itself at exec.
            if [ "$fd" -gt 2 ] && [ "$fd" != 255 ]; then eval "exec $fd>&-"; fi
        done
        exec setsid "$@"
    ) >>"$log" 2>&1 </dev/null &
    local pid=$!
    printf '%s %s\n' "$pid" "$(start_time "$pid")" >"$RUN/$name.pid"
    disown "$pid" 2>/dev/null || true
}

send_signal() { # send_signal NAME SIGNAL
    if is_running "$1"; then kill "-$2" "$(pid_of "$1")" 2>/dev/null || true; fi
}

# await_end NAME SECONDS: until it has ended, by SIGKILL once the time is over.
await_end() {
    local deadline=$((SECONDS + $2))
    while is_running "$1"; do
        if [ $SECONDS -ge $deadline ]; then
            say "$1 did not end within $2 s: killed"
            send_signal "$1" KILL
            deadline=$((SECONDS + 10))
        fi
        sleep 0.05
    done
    forget "$1"
}

show_log() { # show_log NAME: its last lines, on standard error
    {
        printf -- '--- %s\n' "$LOGS/$1.log"
        tail -n 15 "$LOGS/$1.log" 2>/dev/null || true
        printf -- '---\n'
    } >&2
}

# wait_until WHAT SECONDS NAME COMMAND…: a condition with a deadline; NAME is the process that must live meanwhile.
wait_until() {
    local what=$1 seconds=$2 name=$3 deadline=$((SECONDS + $2))
    shift 3
    until "$@" >/dev/null 2>&1; do
        if ! is_running "$name"; then
            show_log "$name"
            fail "$what ended while starting" "its log is $LOGS/$name.log"
        fi
        if [ $SECONDS -ge $deadline ]; then
            show_log "$name"
            fail "$what is not ready after $seconds s" "its log is $LOGS/$name.log"
        fi
        sleep 0.1
    done
}
