#!/usr/bin/env bash
# Prints the object store's identities (SeaweedFS, -s3.config): one per service with the rights that it needs, and the operator's, which
# creates the bucket. Their keys are in the files s3_access_key_id[_SERVICE] and s3_secret_access_key[_SERVICE] in FOLDER.
#   s3-identities.sh FOLDER [BUCKET]
#
# The policies are in the store's language, which is that of AWS: for another store create a user for each service and one for the operator with these policies. A store that
# reports missing objects as AccessDenied to users without s3:ListBucket, as AWS does, has to grant it to each of them as well.
set -euo pipefail
folder=${1:?the folder of the keys}
bucket=${2:-rial}

key() { cat "$folder/$1"; }
credentials() { printf '"credentials": [{"accessKey": "%s", "secretKey": "%s"}]' "$(key "s3_access_key_id$1")" "$(key "s3_secret_access_key$1")"; }

statements=
allow() { # allow ACTIONS OBJECTS…: both without the store's prefixes; an empty object is the bucket itself
    local action object actions='' resources=''
    for action in $1; do actions+="${actions:+, }\"s3:$action\""; done
    shift
    for object in "$@"; do resources+="${resources:+, }\"arn:aws:s3:::$bucket${object:+/$object}\""; done
    statements+="${statements:+, }{\"Effect\": \"Allow\", \"Action\": [$actions], \"Resource\": [$resources]}"
}

identities='' policies=''
service() { # service NAME: with the rights allowed since the last service, and its probe's object
    local name=$1 text
    allow 'GetObject PutObject' "probes/${name//_/-}"
    text="{\"Version\": \"2012-10-17\", \"Statement\": [$statements]}"
    identities+=", {\"name\": \"$name\", $(credentials "_$name"), \"policyNames\": [\"$name\"]}"
    policies+="${policies:+, }{\"name\": \"$name\", \"content\": \"${text//\"/\\\"}\"}"
    statements=
}

# The gateway writes uploads to their final keys and deletes rejected ones; it can read only published objects, what has come so far of
# uploads that may be resumed, and what is published of the log. Else incoming/ holds uploads of earlier versions.
allow 'PutObject DeleteObject AbortMultipartUpload' 'captures/*/original.jpg' 'captures/*/original.mp4' 'captures/*/depth.gz' \
    'captures/*/hash-chain.json' 'captures/*/metadata.json'
allow 'GetObject' 'captures/*/public-*' 'captures/*/photo-*' 'captures/*/thumbnail-*' 'captures/*/depth-preview-*' 'captures/*/c2pa-*' \
    'captures/*/manifest-*' 'captures/*/og-*' 'captures/*/poster-*' 'captures/*/playback-*' 'captures/*/depth-frames-*'
# The public log's files, which it serves.
allow 'GetObject' 'log/*/checkpoint' 'log/*/tile/*'
allow 'GetObject PutObject DeleteObject' 'incoming/*/body/*'
service gateway

allow 'GetObject' 'incoming/*' 'captures/*/original.jpg' 'captures/*/original.mp4' 'captures/*/depth.gz' 'captures/*/hash-chain.json'
service attestation_verifier

# The only service that decodes pixels.
allow 'GetObject' 'incoming/*' 'captures/*/original.jpg' 'captures/*/original.mp4' 'captures/*/depth.gz'
allow 'PutObject' 'captures/*/depth-preview-*' 'captures/*/photo-*' 'captures/*/thumbnail-*' 'captures/*/poster-*' \
    'captures/*/playback-*' 'captures/*/depth-frames-*'
service depth_analyzer

# The only service that maintains stored media. Besides the gateway, the only one that deletes.
allow 'GetObject DeleteObject AbortMultipartUpload' 'incoming/*' 'captures/*'
allow 'PutObject' 'captures/*/original.jpg' 'captures/*/original.mp4' 'captures/*/depth.gz' 'captures/*/hash-chain.json' \
    'captures/*/metadata.json'
allow 'ListBucket ListBucketMultipartUploads' ''
service upload_sync

# Reads signed copies, pictures and manifests to compute missing sizes, or the digests by which copies are recognised.
allow 'GetObject' 'captures/*/original.jpg' 'captures/*/original.mp4' 'captures/*/hash-chain.json' 'captures/*/public-*' \
    'captures/*/photo-*' 'captures/*/thumbnail-*' 'captures/*/depth-preview-*' 'captures/*/poster-*' 'captures/*/depth-frames-*' \
    'captures/*/c2pa-*' 'captures/*/manifest-*'
allow 'PutObject AbortMultipartUpload' 'captures/*/public-*' 'captures/*/c2pa-*' 'captures/*/manifest-*' 'captures/*/og-*'
service evidence_assembler

# Reaches the public log and nothing else; it deletes old heads and partial tiles. The newest head is the first that is listed.
allow 'GetObject PutObject DeleteObject' 'log/*'
allow 'ListBucket' ''
service transparency_log

printf '{"identities": [{"name": "operator", %s, "actions": ["Admin", "Read", "Write", "List", "Tagging"]}%s],\n "policies": [%s]}\n' \
    "$(credentials '')" "$identities" "$policies"
