#!/usr/bin/env bash
# Creates the secrets that docker-compose.yml mounts, in deploy/secrets or the given folder. Existing ones are kept: to change one,
# delete its file and the files made from it, then run this again.
#
# The folder is closed to other users. The files in it are readable by all, because a container's user does not own them.
set -euo pipefail
command -v openssl >/dev/null || { printf 'error: openssl is missing: install it, then run this again\n' >&2 && exit 1; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
directory=${1:-$here/secrets}
umask 077
mkdir -p "$directory"
chmod 700 "$directory"
cd "$directory"

put() { # put NAME: writes standard input to that secret, unless it exists
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
for service in gateway attestation_verifier depth_analyzer upload_sync evidence_assembler transparency_log; do
    random 32 | put "rial_$service"
    printf 'postgresql://rial_%s:%s@postgres:5432/rial' "$service" "$(cat "rial_$service")" | put "database_url_$service"
done
# The operator's identity, then one per service.
for identity in '' _gateway _attestation_verifier _depth_analyzer _upload_sync _evidence_assembler _transparency_log; do
    random 10 | put "s3_access_key_id$identity"
    random 32 | put "s3_secret_access_key$identity"
done
# Identities of versions in which all services shared one: the store would not know the new ones.
grep -qsF "$(cat s3_access_key_id_gateway)" s3_identities && grep -qsF "$(cat s3_access_key_id_transparency_log)" s3_identities || rm -f s3_identities
"$here/s3-identities.sh" . | put s3_identities
random 32 | put link_key
random 32 | put admin_token

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
serial() { printf '0x4%s' "$(random 15)"; }
extensions() { printf '%s\n' "$@" >"$work/extensions.cnf"; }

# The broker's users: the operator's jobs and each service; and the broker itself, whose password is only here.
for user in admin gateway attestation_verifier depth_analyzer upload_sync evidence_assembler transparency_log; do random 32 | put "kafka_password_$user"; done
if [ ! -s kafka_users ]; then
    broker=$(random 32)
    {
        printf 'KafkaServer {\n    org.apache.kafka.common.security.plain.PlainLoginModule required username="broker" password="%s"\n' "$broker"
        printf '    user_broker="%s"\n' "$broker"
        for user in gateway attestation_verifier depth_analyzer upload_sync evidence_assembler transparency_log; do
            printf '    user_%s="%s"\n' "${user//_/-}" "$(cat "kafka_password_$user")"
        done
        printf '    user_rial-admin="%s";\n};\n' "$(cat kafka_password_admin)"
    } | put kafka_users
fi

# certificate NAME HOSTS: a root in NAME.pem, whose key is not kept, and a certificate for the hosts in NAME.cert.pem, with its key in NAME.key.
certificate() {
    local key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
    openssl req -x509 "${key[@]}" -keyout "$work/$1.root.key" -out "$work/$1.pem" -days 3650 -subj "/O=rial./CN=rial. $1 root" \
        -set_serial "$(serial)" -addext 'keyUsage=critical,keyCertSign,cRLSign' 2>/dev/null
    extensions 'basicConstraints=critical,CA:FALSE' 'keyUsage=critical,digitalSignature' 'extendedKeyUsage=serverAuth,clientAuth' \
        "subjectAltName=$2"
    openssl req "${key[@]}" -keyout "$work/$1.key" -subj "/O=rial./CN=rial. $1" 2>/dev/null |
        openssl x509 -req -CA "$work/$1.pem" -CAkey "$work/$1.root.key" -days 3650 -set_serial "$(serial)" \
            -extfile "$work/extensions.cnf" -out "$work/$1.cert.pem" 2>/dev/null
}
if [ ! -s kafka_certificate ] || [ ! -s kafka_ca ]; then
    rm -f kafka_certificate kafka_ca
    certificate kafka DNS:kafka,DNS:localhost
    put kafka_ca <"$work/kafka.pem"
    cat "$work/kafka.key" "$work/kafka.cert.pem" | put kafka_certificate
fi
if [ ! -s s3_internal_ca ] || [ ! -s s3_internal_certificate ] || [ ! -s s3_internal_key ]; then
    rm -f s3_internal_ca s3_internal_certificate s3_internal_key
    certificate s3 DNS:s3
    put s3_internal_ca <"$work/s3.pem"
    put s3_internal_certificate <"$work/s3.cert.pem"
    put s3_internal_key <"$work/s3.key"
fi

# The public log's key, for one shard. It must be in no backup of the database: a copy of both is a second log.
if [ ! -s log_private_key ]; then openssl genpkey -algorithm ed25519 2>/dev/null | put log_private_key; fi
openssl pkey -in log_private_key -pubout | put log_public_key

# A private authority and a signer for Content Credentials, valid for a year. For production put the files of your own authority here
# before the first start, or keep the key in a PKCS#11 token.
if [ -s c2pa_private_key ] && [ -s c2pa_trust_anchors ]; then
    # Files of versions without a separate file for our own anchors. Other anchors listed with them are not ours.
    if [ ! -s c2pa_own_anchors ] && [ "$(grep -c 'BEGIN CERTIFICATE' c2pa_trust_anchors)" != 1 ]; then
        printf 'error: %s\n  %s\n' "c2pa_trust_anchors holds several certificates, and c2pa_own_anchors is missing" \
            "write the roots of your own signing certificates, and no others, to $PWD/c2pa_own_anchors" >&2
        exit 1
    fi
    put c2pa_own_anchors <c2pa_trust_anchors
fi
if [ ! -s c2pa_private_key ]; then
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
    put c2pa_own_anchors <"$work/root.pem"
    cat "$work/signer.pem" "$work/issuing.pem" | put c2pa_certificates
    put c2pa_private_key <"$work/signer.key"
fi
