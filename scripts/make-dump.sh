#!/usr/bin/env bash
# Dumps the data of a stack of this version, which tests of the next version migrate:
#   scripts/make-dump.sh FOLDER
# Run it with the binaries of the old version (RIAL_BUILD says where they are). It starts a stack of its own, sends captures of every kind
# and outcome, one of which is not processed yet, and writes into FOLDER
#   database.sql.gz   pg_dump of the database, the migrations' records included; no roles, no passwords
#   objects.tar.gz    objects of the bucket by key: of one capture all but the share card, of the others manifests and metadata, of the
#                     unprocessed one its upload
#   captures.json     the API's response for each capture, by name
#   device.json       the simulated device that sent most of them, with its keys, to be used after the migration
#   anchors.pem       the root of the authority that signed their Content Credentials
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ $# = 1 ] || fail "one folder must be named" "for example: scripts/make-dump.sh Tests/SystemTests/Resources/dump-0008"
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$ROOT"
unset STACK
stack=dump
home=".local/$stack"
rial=".build/${RIAL_BUILD:-debug}/rial"
export RIAL_LIMIT_CHALLENGES_PER_MINUTE=0 RIAL_LIMIT_REGISTRATIONS_PER_MINUTE=0 RIAL_LIMIT_CAPTURES_PER_HOUR=0
# Nothing may be announced again while the last capture waits for the dump.
export RIAL_ANNOUNCE_AGAIN_SECONDS=600
work=$(mktemp -d)
trap 'scripts/stack.sh clean $stack >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

scripts/stack.sh clean $stack
scripts/stack.sh up $stack
control() { STACK=$stack scripts/stack.sh "$@"; }
sql() { psql "$(value RIAL_DATABASE_URL)" -X -qtA -v ON_ERROR_STOP=1 -c "$1"; }
value() { sed -n "s/^$1=//p" "$home/stack.env"; }
bucket() { # bucket KEY CURL-OPTION…: a signed request for an object
    local key=$1
    shift
    curl -sf --user "$(value RIAL_S3_ACCESS_KEY_ID):$(value RIAL_S3_SECRET_ACCESS_KEY)" --aws-sigv4 aws:amz:us-east-1:s3 "$@" \
        "$(value RIAL_S3_ENDPOINT)/$(value RIAL_S3_BUCKET)/$key"
}
with_settings() { (set -a && source "$home/stack.env" && exec "$@"); }

register() { # register NAME OPTION…
    with_settings "$rial" device register --state "$work/$1.json" "${@:2}" >/dev/null
}
# scene NAME KIND SEED: a small photo, and a depth map with half as many columns and rows, so that the dump is small.
scene() {
    "$rial" scene "$2" --seed "$3" --size 320x240 --out "$work/$1" >/dev/null
    python3 - "$work/$1" <<'PYTHON'
import array, gzip, pathlib, sys
folder = pathlib.Path(sys.argv[1])
depth = array.array("f", gzip.decompress((folder / "depth.f32.gz").read_bytes()))
small = array.array("f", (depth[y * 256 + x] for y in range(0, 192, 2) for x in range(0, 256, 2)))
(folder / "depth.f32.gz").write_bytes(gzip.compress(small.tobytes(), 9, mtime=0))
PYTHON
}
send() { # send NAME DEVICE KIND OPTION…: prints the capture's id
    scene "$1" "$3" "$((++seeds + $(printf '%s' "$1" | cksum | cut -c 1-6)))"
    with_settings "$rial" capture send --state "$work/$2.json" --photo "$work/$1/photo.jpg" --depth "$work/$1/depth.f32.gz" \
        --width 128 --height 96 --location=45.764043,4.835659 --json "${@:4}" | tee "$work/$1.sent" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["capture_id"])'
}
settled() { # settled ID STATUS
    local deadline=$((SECONDS + 60))
    until [ "$(sql "SELECT status FROM captures WHERE id = '$1'")" = "$2" ]; do
        [ $SECONDS -lt $deadline ] || fail "capture $1 is not $2 after 60 s"
        sleep 0.2
    done
}

seeds=0
say "registering devices"
register owner
register p256 --request-key p256
register bare --request-key none
register unverified --unverified
register revoked
say "sending captures"
declare -A ids
ids[room]=$(send room owner room)
ids[screen]=$(send screen owner screen)
ids[photo_only]=$(send photo_only p256 desk --binding photo)
ids[photo_and_depth]=$(send photo_and_depth bare room --binding photo+depth)
ids[no_assertion]=$(send no_assertion owner desk --no-assertion)
ids[unverified]=$(send unverified unverified room)
ids[revoked]=$(send revoked revoked desk)
# The same counter twice: the second is a replay.
cp "$work/p256.json" "$work/replay.json"
ids[first_of_counter]=$(send first_of_counter p256 room)
ids[replay]=$(send replay replay room)
for name in "${!ids[@]}"; do settled "${ids[$name]}" complete; done
with_settings "$rial" device revoke "$(sed -n 's/.*"device_id" : "\(.*\)",*/\1/p' "$work/revoked.json" | head -1)" >/dev/null

say "sending a capture that fails, and one that is not processed"
control stop depth-analyzer
control stop upload-sync
ids[failed]=$(send failed owner room)
for key in $(sql "SELECT jsonb_path_query(announcement -> 'intake', '$.*.key') #>> '{}' FROM captures WHERE id = '${ids[failed]}'"); do
    bucket "$key" -X DELETE
done
control start depth-analyzer
control start upload-sync
settled "${ids[failed]}" failed
for service in attestation-verifier depth-analyzer upload-sync evidence-assembler; do control stop "$service"; done
ids[waiting]=$(send waiting owner room)

say "writing $out"
for name in "${!ids[@]}"; do
    curl -sf "$(value RIAL_PUBLIC_URL)/api/v1/captures/${ids[$name]}" >"$work/$name.answer"
done
control stop gateway
python3 - "$work" >"$out/captures.json" <<'PYTHON'
import json, pathlib, re, sys
answers = {}
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.answer")):
    data = json.loads(path.read_text())["data"]
    # Links expire within an hour and have this stack's address.
    answers[path.stem] = {name: value for name, value in data.items() if not name.endswith("_url")}
print(json.dumps(answers, indent=1, sort_keys=True))
PYTHON
cp "$work/owner.json" "$out/device.json"
cp "$home/keys/c2pa/root.pem" "$out/anchors.pem"
# Some versions of pg_dump write commands that only their own psql understands.
pg_dump "$(value RIAL_DATABASE_URL)" --no-owner | grep -vE '^\\(un)?restrict ' | gzip -9n >"$out/database.sql.gz"
mkdir "$work/objects"
sql "SELECT object_key FROM media_objects WHERE name IN ('manifest.c2pa', 'metadata.json')
        OR (name = 'c2pa.jpg' AND capture_id = '${ids[photo_and_depth]}')
        OR (name <> 'og.jpg' AND capture_id = '${ids[room]}')
     UNION SELECT jsonb_path_query(announcement -> 'intake', '$.*.key') #>> '{}' FROM captures WHERE id = '${ids[waiting]}'" |
    while read -r key; do
        mkdir -p "$work/objects/$(dirname "$key")"
        bucket "$key" -o "$work/objects/$key"
    done
tar -C "$work/objects" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - . | gzip -9n >"$out/objects.tar.gz"
say "wrote $(du -sh "$out" | cut -f 1) in $out"
