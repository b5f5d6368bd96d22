#!/bin/bash
# What the official image's entry point does of what compose asks of it: a new database in an empty volume, then the server.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    # shellcheck disable=SC2086 # several options
    initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" ${POSTGRES_INITDB_ARGS:-}
    printf "listen_addresses = '*'\n" >>"$PGDATA/postgresql.conf"
    printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
    printf 'CREATE DATABASE %s;\n' "$POSTGRES_DB" | postgres --single -D "$PGDATA" postgres >/dev/null
fi
exec "$@"
