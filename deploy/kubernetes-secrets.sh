#!/usr/bin/env bash
# Prints the Secrets that deploy/kubernetes mounts, each with what its pod needs and no more, from a folder of secrets as
# deploy/make-secrets.sh makes them: deploy/kubernetes-secrets.sh FOLDER | kubectl apply -n rial -f -
#
# The addresses in the files `database_url_…` must be those of your PostgreSQL, kafka_ca the authority of your brokers, and the passwords
# those of their users. `kafka_password_keda` is of the user `keda`, by which KEDA looks at the lag; RIAL_KAFKA_SASL_MECHANISM is as in the
# settings (SCRAM-SHA-512).
set -euo pipefail
directory=${1:?the folder of the secrets is missing}
cd "$directory"
fail() { printf 'error: %s\n' "$1" >&2 && exit 1; }

case ${RIAL_KAFKA_SASL_MECHANISM:-SCRAM-SHA-512} in
PLAIN) mechanism=plaintext ;;
SCRAM-SHA-256) mechanism=scram_sha256 ;;
SCRAM-SHA-512) mechanism=scram_sha512 ;;
*) fail "RIAL_KAFKA_SASL_MECHANISM is unknown" ;;
esac

entry() { printf '  %s: %s\n' "$1" "$(base64 -w 0)"; }
# secret NAME KEY=FILE…; a KEY alone is the file of that name.
secret() {
    local name=$1 each file
    shift
    printf -- '---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\n  labels: {app.kubernetes.io/part-of: rial}\ndata:\n' "$name"
    for each in "$@"; do
        file=${each#*=}
        entry "${each%%=*}" <"$file"
    done
}

services=(gateway attestation-verifier depth-analyzer upload-sync evidence-assembler transparency-log)
# All or nothing: what reads this must not get half of it.
needed=(kafka_ca link_key c2pa_own_anchors admin_token c2pa_certificates c2pa_private_key log_private_key log_public_key database_url_owner
    kafka_password_admin kafka_password_keda s3_access_key_id s3_secret_access_key)
for service in "${services[@]//-/_}"; do
    needed+=("database_url_$service" "kafka_password_$service" "s3_access_key_id_$service" "s3_secret_access_key_$service" "rial_$service")
done
for file in "${needed[@]}"; do [ -s "$file" ] || fail "$directory/$file is missing or empty"; done

for service in "${services[@]}"; do
    own=()
    case $service in
    gateway) own=(link_key c2pa_own_anchors) ;;
    attestation-verifier) own=(admin_token) ;;
    evidence-assembler) own=(c2pa_certificates c2pa_private_key) ;;
    transparency-log) own=(log_private_key) ;;
    esac
    under=${service//-/_}
    secret "$service" "database_url=database_url_$under" "kafka_password=kafka_password_$under" kafka_ca \
        "s3_access_key_id=s3_access_key_id_$under" "s3_secret_access_key=s3_secret_access_key_$under" "${own[@]}"
done
roles=("${services[@]/#/rial_}")
secret migrate database_url=database_url_owner log_public_key "${roles[@]//-/_}"
secret topics kafka_password=kafka_password_admin kafka_ca
secret bucket s3_access_key_id s3_secret_access_key
secret keda username=<(printf keda) password=kafka_password_keda ca=kafka_ca tls=<(printf enable) sasl=<(printf %s "$mechanism")
