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

# A private authority and a signer for Content Credentials, good for a year. For production put the files of your own authority here
# before the first start, or let a PKCS#11 token hold the key.
if [ ! -s c2pa_private_key ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    serial() { printf '0x4%s' "$(random 15)"; }
    extensions() { printf '%s\n' "$@" >"$work/extensions.cnf"; }
    for name in root issuing signer; do openssl genpkey -algorithm ed25519 -out "$work/$name.key" 2>/dev/null; done
    openssl req -new -x509 -key "$work/root.key" -days 3650 -subj "/O=rial./CN=rial. root" -set_serial "$(serial)" \
        -addext 'keyUsage=critical,keyCertSign,cRLSign' -out "$work/root.pem"
    extensions 'basicConstraints=critical,CA:TRUE,pathlen:0' 'keyUsage=critical,keyCertSign,cRLSign' 'subjectKeyIdentifier=hash' \
        'authorityKeyIdentifier=keyid'
    openssl req -new -key "$work/issuing.key" -subj "/O=rial./CN=rial. issuing" |
        openssl x509 -req -CA "$work/root.pem" -CAkey "$work/root.key" -days 1825 -set_serial "$(serial)" \
            -extfile "$work/extensions.cnf" -out "$work/issuing.pem" 2>/dev/null
    extensions 'basicConstraints=critical,CA:FALSE' 'keyUsage=critical,digitalSignature,nonRepudiation' \
        'extendedKeyUsage=1.3.6.1.4.1.62558.2.1,emailProtection' 'subjectKeyIdentifier=hash' 'authorityKeyIdentifier=keyid'
    openssl req -new -key "$work/signer.key" -subj "/O=rial./CN=rial. signer" |
        openssl x509 -req -CA "$work/issuing.pem" -CAkey "$work/issuing.key" -days 365 -set_serial "$(serial)" \
            -extfile "$work/extensions.cnf" -out "$work/signer.pem" 2>/dev/null
    put c2pa_trust_anchors <"$work/root.pem"
    cat "$work/signer.pem" "$work/issuing.pem" | put c2pa_certificates
    put c2pa_private_key <"$work/signer.key"
fi
