#!/usr/bin/env bash
# Makes the secrets that docker-compose.yml mounts, in deploy/secrets or the folder given. What is there already stays:
# to change one, delete its file and the files made from it, then run this again.
#
# The folder is closed to others; the files in it are readable, because a container's user is not the one who made them.
set -euo pipefail
directory=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/secrets}
umask 077
mkdir -p "$directory"
chmod 700 "$directory"
cd "$directory"

put() { # put NAME: standard input becomes that secret, unless it is there
    if [ -s "$1" ]; then cat >/dev/null; else
        cat >"$1.new"
        chmod 444 "$1.new"
        mv "$1.new" "$1"
        printf 'made %s\n' "$directory/$1"
    fi
}
random() { head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }

random 32 | put postgres_owner_password
printf 'postgresql://rial_owner:%s@postgres:5432/rial' "$(cat postgres_owner_password)" | put database_url_owner
for service in gateway attestation_verifier depth_analyzer upload_sync evidence_assembler; do
    random 32 | put "rial_$service"
    printf 'postgresql://rial_%s:%s@postgres:5432/rial' "$service" "$(cat "rial_$service")" | put "database_url_$service"
done
random 10 | put s3_access_key_id
random 32 | put s3_secret_access_key
printf '{"identities": [{"name": "rial", "credentials": [{"accessKey": "%s", "secretKey": "%s"}], "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}\n' \
    "$(cat s3_access_key_id)" "$(cat s3_secret_access_key)" | put s3_identities
random 32 | put link_key
