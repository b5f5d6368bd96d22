# shellcheck shell=bash
# Broker and object store; sourced by stack.sh.

# s3_secret FILE IDENTITY: the access key id or secret key of a service or the operator; named as in deploy/secrets.
s3_secret() {
    if [ "$2" = operator ]; then secret "$1"; else secret "$1_${2//-/_}"; fi
}

start_broker() {
    [ -x "$BROKER_BIN" ] || fail "the broker is missing" "run: scripts/setup.sh"
    # One worker: threads that wake each other for its many small requests take a sixth more processor time.
    TOKIO_WORKER_THREADS=1 launch broker "$BROKER_BIN" broker --listener-url "tcp://127.0.0.1:$PORT_BROKER" \
        --advertised-listener-url "tcp://127.0.0.1:$PORT_BROKER" --storage-engine memory://tansu/
    wait_until "the broker" 90 broker bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT_BROKER"
}

start_s3() {
    [ -x "$S3_BIN" ] || fail "the object store is missing" "run: scripts/setup.sh"
    local identities="$KEYS/identities.json"
    "$ROOT/deploy/s3-identities.sh" "$KEYS" | write_file "$identities"
    mkdir -p "$HOME_DIR/s3"
    launch s3 "$S3_BIN" -logtostderr server -dir="$HOME_DIR/s3" -ip=127.0.0.1 -ip.bind=127.0.0.1 \
        -master.port="$PORT_S3_MASTER" -master.port.grpc="$PORT_S3_MASTER_GRPC" -master.volumeSizeLimitMB=256 -master.telemetry=false \
        -master.electionTimeout=1s -master.heartbeatInterval=100ms \
        -volume.port="$PORT_S3_VOLUME" -volume.port.grpc="$PORT_S3_VOLUME_GRPC" -volume.max=200 -volume.preStopSeconds=0 \
        -filer -filer.port="$PORT_S3_FILER" -filer.port.grpc="$PORT_S3_FILER_GRPC" -filer.maxMB=1 \
        -s3 -s3.port="$PORT_S3" -s3.port.grpc="$PORT_S3_GRPC" -s3.port.iceberg=0 -s3.port.lance=0 -s3.config="$identities"
    wait_until "the object store" 90 s3 s3_answers
}

# s3_answers: lists buckets with a signed request, since the port opens before all parts of the store are ready.
s3_answers() {
    curl -sf -o /dev/null --max-time 5 -K - <<CURL
url = "http://127.0.0.1:$PORT_S3/"
user = "$(s3_secret s3_access_key_id operator):$(s3_secret s3_secret_access_key operator)"
aws-sigv4 = "aws:amz:us-east-1:s3"
CURL
}
