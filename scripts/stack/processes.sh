# shellcheck shell=bash
# Processes of a stack, each with a pid file; sourced by stack.sh.

# Prints when process $1 started, in clock ticks after boot; nothing if there is none. The name in /proc/PID/stat may contain spaces.
start_time() {
    local line
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
    local -a fields
    read -ra fields <<<"${line##*) }"
    [ "${fields[0]}" = Z ] || printf '%s\n' "${fields[19]}"
}

# is_running NAME: whether the process in its pid file is running; by pid and start time, since another process may have the pid now.
is_running() {
    local pid start
    { read -r pid start <"$RUN/$1.pid"; } 2>/dev/null || return 1
    [ -n "$start" ] && [ "$(start_time "$pid")" = "$start" ]
}

pid_of() { cut -d ' ' -f 1 "$RUN/$1.pid"; }

forget() { rm -f "$RUN/$1.pid" "$RUN/$1.admin" "$RUN/$1.http"; }

# launch NAME COMMAND…: runs it in the background in its own session, without the caller's open files, with its output in its log.
launch() {
    local name=$1 log="$LOGS/$1.log"
    shift
    is_running "$name" && return
    if [ -e "$log" ] && [ "$(stat -c %s "$log")" -gt 67108864 ]; then mv -f "$log" "$log.1"; fi
    (
        local fd
        for fd in /proc/self/fd/*; do
            fd=${fd##*/}
            # 255 is the shell's descriptor of this script, closed on exec.
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

# await_end NAME SECONDS: waits until it has exited; sends SIGKILL after the timeout.
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

# wait_until WHAT SECONDS NAME COMMAND…: waits until the command succeeds; fails after the timeout, or if process NAME ends.
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
