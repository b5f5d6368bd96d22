# shellcheck shell=bash
# PostgreSQL: the stack's own cluster, never the system's; sourced by stack.sh.

# The server refuses to run as root; in that case it runs as the user postgres of Debian's package.
AS_POSTGRES=()
if [ "$(id -u)" = 0 ]; then AS_POSTGRES=(setpriv --reuid postgres --regid postgres --clear-groups --); fi

# Prints the cluster's folder. If that user cannot reach the checkout (in /root or a home), the folder is under /var/tmp.
postgres_dir() {
    local marker="$HOME_DIR/postgres.dir" dir="$HOME_DIR/postgres"
    if [ -e "$marker" ] && [ -d "$(cat "$marker")" ]; then
        cat "$marker"
        return
    fi
    mkdir -p "$dir"
    if [ "$(id -u)" = 0 ]; then
        chown postgres: "$dir"
        if ! "${AS_POSTGRES[@]}" test -w "$dir"; then
            rmdir "$dir"
            dir=$(mktemp -d "/var/tmp/rial-$STACK-XXXXXX")
            chown postgres: "$dir"
        fi
    fi
    printf '%s\n' "$dir" | tee "$marker"
}

create_cluster() { # create_cluster DIR
    local password="$1/password" log="$LOGS/postgres.log"
    rm -rf "$1/data.new"
    (umask 077 && secret postgres-owner >"$password")
    if [ "$(id -u)" = 0 ]; then chown postgres: "$password"; fi
    "${AS_POSTGRES[@]}" env -C "$1" "$PG_BIN/initdb" -D "$1/data.new" -U rial_owner --pwfile "$password" -A scram-sha-256 \
        -E UTF8 --locale C.UTF-8 --no-instructions >>"$log" 2>&1 || {
        show_log postgres
        fail "the database cluster could not be made" "see $log"
    }
    rm -f "$password"
    # Only a complete cluster gets the final name.
    mv "$1/data.new" "$1/data"
}

start_postgres() {
    [ -n "$PG_BIN" ] || fail "PostgreSQL's programs are missing" "run: scripts/setup.sh"
    local dir deadline=$((SECONDS + 60))
    local -a options=()
    dir=$(postgres_dir)
    # What ends with its tests has to survive a kill of the server, but not of the machine.
    if [ "${RIAL_STACK_FSYNC:-on}" = off ]; then options=(-c fsync=off -c full_page_writes=off); fi
    [ -e "$dir/data/PG_VERSION" ] || create_cluster "$dir"
    # Only TCP: a socket's path has at most 107 bytes, too few for some checkouts.
    until launch postgres "${AS_POSTGRES[@]}" env -C "$dir" "$PG_BIN/postgres" -D "$dir/data" -c listen_addresses=127.0.0.1 \
        -p "$PORT_POSTGRES" -c unix_socket_directories= -c max_connections=300 "${options[@]}" && postgres_answers; do
        # After SIGKILL the old server's children take a moment to exit, and the new server does not start before that.
        if [ $SECONDS -ge $deadline ]; then
            show_log postgres
            fail "PostgreSQL is not ready after 60 s" "its log is $LOGS/postgres.log"
        fi
        sleep 0.2
    done
}

# postgres_answers: waits until the server responds; false if it exits or does not respond in time.
postgres_answers() {
    local deadline=$((SECONDS + 55))
    until "$PG_BIN/pg_isready" -q -h 127.0.0.1 -p "$PORT_POSTGRES"; do
        is_running postgres && [ $SECONDS -lt $deadline ] || return 1
        sleep 0.1
    done
    is_running postgres
}

owner_url() { printf 'postgresql://rial_owner:%s@127.0.0.1:%s/rial' "$(secret postgres-owner)" "$PORT_POSTGRES"; }

# sql DATABASE: runs standard input as the owner. Password and statement are not on the command line, which other users can read.
sql() {
    PGPASSWORD=$(secret postgres-owner) "$PG_BIN/psql" -X -q -tA -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$PORT_POSTGRES" -U rial_owner -d "$1"
}

# Creates the database and a login role for each service; migrations grant their rights.
create_database() {
    local service role
    if [ -z "$(sql postgres <<<"SELECT 1 FROM pg_database WHERE datname = 'rial'")" ]; then sql postgres <<<'CREATE DATABASE rial'; fi
    for service in "${SERVICES[@]}"; do
        role=$(role_of "$service")
        sql postgres <<SQL
DO \$\$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$role') THEN CREATE ROLE $role; END IF;
END \$\$;
ALTER ROLE $role LOGIN PASSWORD '$(secret "role-$service")';
SQL
    done
}
