#!/usr/bin/env bash
# Creates the secrets that docker-compose.yml mounts, in deploy/secrets or the given folder, all or none. Existing ones are kept, but
# for the store's identities: they are always what s3-identities.sh prints.
#   deploy/make-secrets.sh [FOLDER]
#   deploy/make-secrets.sh renew NAME [FOLDER]     makes one anew, and what is made from it, and says what must be restarted
# NAME is a file's, as rial_gateway, kafka_password_gateway, s3_secret_access_key_gateway, link_key or admin_token; or signer, for key and
# certificates of Content Credentials.
#
# The folder is closed to other users. The files in it are readable by all, because a container's user does not own them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() { # fail PROBLEM WHAT_TO_DO
    printf 'error: %s\n  %s\n' "$1" "$2" >&2
    exit 1
}
missing=()
for tool in openssl od sed grep tr head mktemp cmp; do command -v "$tool" >/dev/null || missing+=("$tool"); done
[ ${#missing[@]} = 0 ] || fail "missing: ${missing[*]}" "install them, then run this again"
openssl genpkey -algorithm ed25519 >/dev/null 2>&1 || fail "openssl makes no Ed25519 keys: $(openssl version)" "install OpenSSL 1.1.1 or newer"

renewed=''
if [ "${1:-}" = renew ]; then
    renewed=${2:?names the secret}
    shift 2
fi
services=(gateway attestation_verifier depth_analyzer upload_sync evidence_assembler transparency_log)
directory=${1:-$here/secrets}
umask 077
mkdir -p "$directory"
chmod 700 "$directory"
cd "$directory"

# Secrets are made in `.new`. Once all are there, that folder becomes `.made`, whose files are put in their places: an interruption before
# leaves everything as it was, and one after it is made good by the next run.
finish() {
    local file
    for file in .made/*; do if [ -e "$file" ]; then mv -f "$file" "${file##*/}"; fi; done
    rmdir .made
}
if [ -d .made ]; then finish; fi
rm -rf .new
mkdir .new
work=$(mktemp -d)
trap 'rm -rf "$work" .new' EXIT

forgotten=' '
path() { # path NAME: the secret's file, the new one first
    if [ -s ".new/$1" ]; then printf '.new/%s' "$1"; elif [[ $forgotten != *" $1 "* ]]; then printf '%s' "$1"; else printf '.new/%s' "$1"; fi
}
has() { [ -s "$(path "$1")" ]; }
value() { cat "$(path "$1")"; }
put() { # put NAME: makes that secret of standard input, unless there is one
    if has "$1"; then cat >/dev/null; else
        cat >".new/$1"
        chmod 444 ".new/$1"
    fi
}
forget() { # forget NAME…: these are made anew
    local name
    for name in "$@"; do
        rm -f ".new/$name"
        forgotten+="$name "
    done
}
random() { head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }
ssl() { # openssl, quiet unless it fails
    if ! openssl "$@" 2>"$work/errors"; then
        cat "$work/errors" >&2
        return 1
    fi
}
serial() { printf '0x4%s' "$(random 15)"; }
extensions() { printf '%s\n' "$@" >"$work/extensions.cnf"; }

recreate() { # recreate CONTAINER…: how they get the new file; compose does not see that it is new
    local names=("$@")
    printf '  docker compose up --detach --no-deps --force-recreate %s\n' "${names[*]//_/-}"
}
container() { # container SERVICE: jobs have no container that runs
    [ "$1" = admin ] || recreate "$1"
}
require() { # require NAME…: what is to be renewed has to be there
    local name
    for name in "$@"; do has "$name" || fail "there is no $name yet" "run this without renew"; done
}
then_do=''
# plan NAME: forgets what has to be made anew, and keeps what has to be done afterwards.
plan() {
    local service file
    case $1 in
    signer | c2pa_private_key | c2pa_certificates)
        require c2pa_private_key c2pa_certificates c2pa_own_anchors
        # A root of its own for each signer: its key is not kept, so nobody can have it make another one.
        [[ $(openssl x509 -noout -issuer -in c2pa_certificates) == *"rial. issuing"* ]] ||
            fail "the certificate in c2pa_certificates was not made by this script" \
                "put those of your authority there, its root, if it is new, beside the old ones in c2pa_own_anchors"
        # Whatever the time: an expired one is what there is most reason to renew.
        openssl verify -no_check_time -CAfile c2pa_own_anchors -untrusted c2pa_certificates c2pa_certificates >/dev/null 2>&1 ||
            fail "c2pa_own_anchors does not vouch for c2pa_certificates" "add the missing root to it: old copies are checked against it"
        forget c2pa_private_key c2pa_certificates
        then_do=$(echo "The old root stays among the anchors, so that old copies stay ours. The gateway first, since it has to know the new root:" &&
            recreate gateway && recreate evidence-assembler)
        ;;
    rial_* | database_url_*)
        service=${1#rial_} && service=${service#database_url_}
        if [ "$service" = owner ]; then plan postgres_owner_password && return; fi
        [[ " ${services[*]} " == *" $service "* ]] || unknown "$1"
        require "rial_$service" "database_url_$service"
        old=$(value "rial_$service")
        forget "rial_$service"
        random 32 | put "rial_$service"
        change_url "database_url_$service" "$old" "$(value "rial_$service")"
        then_do=$(echo "The database takes the old password until then:" && echo '  docker compose run --rm migrate' && recreate "$service")
        ;;
    postgres_owner_password)
        require "$1" database_url_owner
        old=$(value "$1")
        forget "$1"
        random 32 | put "$1"
        change_url database_url_owner "$old" "$(value "$1")"
        # By the socket in the container, which asks for no password; the new one is in no argument.
        then_do=$(echo "The database takes the old password until then:" && recreate postgres &&
            printf '  %s\n' "printf '%s\\n' '\\set p \`cat /run/secrets/postgres_owner_password\`' \"ALTER ROLE rial_owner PASSWORD :'p';\" |" &&
            printf '  %s\n' '    docker compose exec -T postgres psql --quiet -v ON_ERROR_STOP=1 -U rial_owner -d rial')
        ;;
    kafka_users | kafka_password_*)
        service=${1#kafka_password_}
        if [ "$1" != kafka_users ]; then
            [[ " admin ${services[*]} " == *" $service "* ]] || unknown "$1"
            require "$1"
            forget "$1"
        fi
        forget kafka_users
        then_do=$(echo "The broker first; captures wait meanwhile, and none is lost:" && recreate kafka &&
            if [ "$1" != kafka_users ]; then container "$service"; fi)
        ;;
    kafka_ca | kafka_certificate)
        forget kafka_ca kafka_certificate
        then_do=$(echo "The broker first; captures wait meanwhile, and none is lost:" && recreate kafka && recreate "${services[@]}")
        ;;
    s3_internal_*)
        forget s3_internal_ca s3_internal_certificate s3_internal_key
        then_do=$(recreate s3)
        ;;
    s3_access_key_id* | s3_secret_access_key*)
        service=${1#s3_access_key_id} && service=${service#s3_secret_access_key} && service=${service#_}
        [ -z "$service" ] || [[ " ${services[*]} " == *" $service "* ]] || unknown "$1"
        require "$1"
        forget "s3_access_key_id${service:+_$service}" "s3_secret_access_key${service:+_$service}" s3_identities
        then_do=$(echo "The store first:" && recreate s3 && if [ -n "$service" ]; then recreate "$service"; fi)
        ;;
    s3_identities)
        forget s3_identities
        then_do=$(recreate s3)
        ;;
    link_key)
        forget link_key
        then_do=$(echo "All gateways together; links to media end at once, at most an hour early:" && recreate gateway)
        ;;
    admin_token)
        forget admin_token
        then_do=$(recreate attestation-verifier)
        ;;
    log_private_key | log_public_key)
        fail "the key of a shard of the public log cannot be renewed" "close the shard, and open the next one with a new key: docs/operations.md, Closing it"
        ;;
    *) unknown "$1" ;;
    esac
}
unknown() {
    fail "there is no secret '$1' that can be renewed" \
        "use signer, link_key, admin_token, postgres_owner_password, kafka_users, kafka_certificate, s3_internal_key, or
  rial_, kafka_password_ or s3_secret_access_key_ with one of: ${services[*]}"
}
change_url() { # change_url NAME OLD NEW: the address may be another than the one that is made here
    [[ $(value "$1") == *"$2"* ]] || fail "$1 does not hold the password that is to be renewed" "correct it, then run this again"
    local url
    url=$(value "$1")
    forget "$1"
    printf '%s' "${url/"$2"/"$3"}" | put "$1"
}
[ -z "$renewed" ] || plan "$renewed"
[ -z "$then_do" ] || then_do+=$'\n'

random 32 | put postgres_owner_password
printf 'postgresql://rial_owner:%s@postgres:5432/rial' "$(value postgres_owner_password)" | put database_url_owner
for service in "${services[@]}"; do
    random 32 | put "rial_$service"
    printf 'postgresql://rial_%s:%s@postgres:5432/rial' "$service" "$(value "rial_$service")" | put "database_url_$service"
done

# The operator's identity, then one per service.
keys=()
for identity in '' "${services[@]/#/_}"; do
    random 10 | put "s3_access_key_id$identity"
    random 32 | put "s3_secret_access_key$identity"
    keys+=("s3_access_key_id$identity" "s3_secret_access_key$identity")
done
holds() { # holds FILE NAME…: whether it has the values of all these; files of earlier versions lack some
    local file=$1 name
    shift
    for name in "$@"; do grep -qF "$(value "$name")" "$(path "$file")" || return 1; done
}
mkdir "$work/keys"
for name in "${keys[@]}"; do value "$name" >"$work/keys/$name"; done
"$here/s3-identities.sh" "$work/keys" >"$work/identities"
# Those of earlier versions lack a service, or a right.
if has s3_identities && ! cmp -s "$work/identities" "$(path s3_identities)"; then
    forget s3_identities
    then_do+=$(recreate s3)$'\n'
fi
put s3_identities <"$work/identities"
random 32 | put link_key
random 32 | put admin_token

# The broker's users: the operator's jobs and each service; and the broker itself, whose password is only here.
for user in admin "${services[@]}"; do random 32 | put "kafka_password_$user"; done
if has kafka_users && ! holds kafka_users kafka_password_admin "${services[@]/#/kafka_password_}"; then
    forget kafka_users
    then_do+=$(recreate kafka)$'\n'
fi
if ! has kafka_users; then
    broker=$(random 32)
    {
        printf 'KafkaServer {\n    org.apache.kafka.common.security.plain.PlainLoginModule required username="broker" password="%s"\n' "$broker"
        printf '    user_broker="%s"\n' "$broker"
        for user in "${services[@]}"; do printf '    user_%s="%s"\n' "${user//_/-}" "$(value "kafka_password_$user")"; done
        printf '    user_rial-admin="%s";\n};\n' "$(value kafka_password_admin)"
    } | put kafka_users
fi

# certificate NAME HOSTS: a root in NAME.pem, whose key is not kept, and a certificate for the hosts in NAME.cert.pem, with its key in NAME.key.
certificate() {
    local key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
    ssl req -x509 "${key[@]}" -keyout "$work/$1.root.key" -out "$work/$1.pem" -days 3650 -subj "/O=rial./CN=rial. $1 root" \
        -set_serial "$(serial)" -addext 'keyUsage=critical,keyCertSign,cRLSign'
    extensions 'basicConstraints=critical,CA:FALSE' 'keyUsage=critical,digitalSignature' 'extendedKeyUsage=serverAuth,clientAuth' \
        "subjectAltName=$2"
    ssl req "${key[@]}" -keyout "$work/$1.key" -subj "/O=rial./CN=rial. $1" -out "$work/request.pem"
    ssl x509 -req -in "$work/request.pem" -CA "$work/$1.pem" -CAkey "$work/$1.root.key" -days 3650 -set_serial "$(serial)" \
        -extfile "$work/extensions.cnf" -out "$work/$1.cert.pem"
}
if ! has kafka_certificate || ! has kafka_ca; then
    forget kafka_certificate kafka_ca
    certificate kafka DNS:kafka,DNS:localhost
    put kafka_ca <"$work/kafka.pem"
    cat "$work/kafka.key" "$work/kafka.cert.pem" | put kafka_certificate
fi
if ! has s3_internal_ca || ! has s3_internal_certificate || ! has s3_internal_key; then
    forget s3_internal_ca s3_internal_certificate s3_internal_key
    certificate s3 DNS:s3
    put s3_internal_ca <"$work/s3.pem"
    put s3_internal_certificate <"$work/s3.cert.pem"
    put s3_internal_key <"$work/s3.key"
fi

# The public log's key, for one shard. It must be in no backup of the database: a copy of both is a second log.
if ! has log_private_key; then ssl genpkey -algorithm ed25519 | put log_private_key; fi
ssl pkey -in "$(path log_private_key)" -pubout | put log_public_key

# A private authority and a signer for Content Credentials, valid for a year. For production put the files of your own authority here
# before the first start, or keep the key in a PKCS#11 token.
if has c2pa_private_key && has c2pa_trust_anchors; then
    # Files of versions without a separate file for our own anchors. Other anchors listed with them are not ours.
    if ! has c2pa_own_anchors && [ "$(grep -c 'BEGIN CERTIFICATE' c2pa_trust_anchors)" != 1 ]; then
        fail "c2pa_trust_anchors holds several certificates, and c2pa_own_anchors is missing" \
            "write the roots of your own signing certificates, and no others, to $PWD/c2pa_own_anchors"
    fi
    put c2pa_own_anchors <c2pa_trust_anchors
fi
if ! has c2pa_private_key; then
    for name in root issuing signer; do ssl genpkey -algorithm ed25519 -out "$work/$name.key"; done
    ssl req -new -x509 -key "$work/root.key" -days 3650 -subj "/O=rial./CN=rial. root" -set_serial "$(serial)" \
        -addext 'keyUsage=critical,keyCertSign,cRLSign' -out "$work/root.pem"
    extensions 'basicConstraints=critical,CA:TRUE,pathlen:0' 'keyUsage=critical,keyCertSign,cRLSign' 'subjectKeyIdentifier=hash' \
        'authorityKeyIdentifier=keyid'
    ssl req -new -key "$work/issuing.key" -subj "/O=rial./CN=rial. issuing" -out "$work/request.pem"
    ssl x509 -req -in "$work/request.pem" -CA "$work/root.pem" -CAkey "$work/root.key" -days 1825 -set_serial "$(serial)" \
        -extfile "$work/extensions.cnf" -out "$work/issuing.pem"
    extensions 'basicConstraints=critical,CA:FALSE' 'keyUsage=critical,digitalSignature,nonRepudiation' \
        'extendedKeyUsage=1.3.6.1.4.1.62558.2.1,emailProtection' 'subjectKeyIdentifier=hash' 'authorityKeyIdentifier=keyid'
    ssl req -new -key "$work/signer.key" -subj "/O=rial./CN=rial. signer" -out "$work/request.pem"
    ssl x509 -req -in "$work/request.pem" -CA "$work/issuing.pem" -CAkey "$work/issuing.key" -days 365 -set_serial "$(serial)" \
        -extfile "$work/extensions.cnf" -out "$work/signer.pem"
    # Certificates without a key here are those of a token: its key stays where it is, and this one is not used.
    if has c2pa_certificates && ! has c2pa_own_anchors; then
        fail "c2pa_own_anchors is missing" "write the root that vouches for c2pa_certificates to $PWD/c2pa_own_anchors"
    fi
    if ! has c2pa_certificates; then
        cat "$work/signer.pem" "$work/issuing.pem" | put c2pa_certificates
        if has c2pa_own_anchors; then
            value c2pa_own_anchors >"$work/anchors"
            forget c2pa_own_anchors
        fi
        cat "$work/root.pem" >>"$work/anchors"
        put c2pa_own_anchors <"$work/anchors"
    fi
    put c2pa_private_key <"$work/signer.key"
fi

made=()
for file in .new/*; do if [ -e "$file" ]; then made+=("${file##*/}"); fi; done
mv .new .made
finish
for name in "${made[@]}"; do printf 'made %s\n' "$PWD/$name"; done
if [ -n "$renewed$then_do" ]; then printf 'What has to be done now:\n%s\n' "${then_do%$'\n'}"; fi
