#!/usr/bin/env bash
# Pins third-party images by digest, in the file `.env` that docker compose reads: deploy/pin-images.sh pulls each and writes its digest;
# deploy/pin-images.sh --check only checks that each is pinned. Run that in production before `docker compose up`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
settings=${RIAL_ENV_FILE:-.env}
declare -A images=()
# The defaults in docker-compose.yml.
while IFS=: read -r variable image; do images[$variable]=$image; done < <(
    grep -oE '\$\{RIAL_IMAGE_[A-Z0-9]+:-[^}]+\}' docker-compose.yml | sed -E 's/^\$\{([A-Z0-9_]+):-(.+)\}$/\1:\2/' | sort -u
)
value() { sed -n "s/^$1=//p" "$settings" 2>/dev/null | tail -n 1; }

if [ "${1:-}" = --check ]; then
    status=0
    for variable in "${!images[@]}"; do
        if [[ ! $(value "$variable") =~ ^${images[$variable]//./\\.}@sha256:[0-9a-f]{64}$ ]]; then
            printf 'error: %s in %s is not %s with its digest: run deploy/pin-images.sh\n' "$variable" "$settings" "${images[$variable]}" >&2
            status=1
        fi
    done
    exit $status
fi

for variable in "${!images[@]}"; do
    image=${images[$variable]}
    docker pull --quiet "$image" >/dev/null
    digest=$(docker image inspect --format '{{index .RepoDigests 0}}' "$image")
    digest=${digest##*@}
    [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || { printf 'error: %s came without a digest\n' "$image" >&2 && exit 1; }
    touch "$settings"
    { grep -v "^$variable=" "$settings" || true; } >"$settings.new"
    printf '%s=%s@%s\n' "$variable" "$image" "$digest" >>"$settings.new"
    mv "$settings.new" "$settings"
    printf '%s %s\n' "$image" "$digest"
done
