-- Why: the capture itself, the truth that Kafka only transports.

-- Inserted by gateway; evidence, confidence_level, status, failure and the times after upload are evidence-assembler's.
CREATE TABLE captures (
    id uuid PRIMARY KEY,
    short_id text NOT NULL UNIQUE CHECK (short_id ~ '^[0-9A-Za-z]{8}$'),
    device_id uuid NOT NULL REFERENCES devices,
    type text NOT NULL CHECK (type IN ('photo', 'video')),
    capture_mode text NOT NULL CHECK (capture_mode IN ('full', 'hash_only')),
    status text NOT NULL DEFAULT 'processing' CHECK (status IN ('processing', 'complete', 'failed')),
    failure text,
    confidence_level text CHECK (confidence_level IN ('high', 'medium', 'low', 'suspicious')),
    media_sha256 bytea NOT NULL CHECK (octet_length(media_sha256) = 32),
    depth_sha256 bytea CHECK (octet_length(depth_sha256) = 32),
    assertion_sha256 bytea CHECK (octet_length(assertion_sha256) = 32),
    captured_at timestamptz NOT NULL,
    uploaded_at timestamptz NOT NULL,
    completed_at timestamptz,
    -- The payload of capture-received: announcing again needs nothing else.
    announcement jsonb NOT NULL,
    -- What the device reported of its own detection; kept, shown as reported.
    detection jsonb,
    -- For the owning device alone.
    location jsonb,
    evidence jsonb,
    CHECK ((status = 'complete') = (evidence IS NOT NULL)),
    CHECK ((status = 'complete') = (confidence_level IS NOT NULL)),
    -- A retry after a lost answer makes no second capture.
    CONSTRAINT captures_same_upload UNIQUE NULLS NOT DISTINCT (device_id, media_sha256, depth_sha256, assertion_sha256)
);
CREATE INDEX captures_media_sha256 ON captures (media_sha256);
CREATE INDEX captures_unfinished ON captures (uploaded_at) WHERE status = 'processing';

-- Written by attestation-verifier.
CREATE TABLE attestation_appraisals (
    capture_id uuid PRIMARY KEY,
    result jsonb NOT NULL,
    appraised_at timestamptz NOT NULL DEFAULT now()
);

-- Written by depth-analyzer.
CREATE TABLE depth_analyses (
    capture_id uuid PRIMARY KEY,
    result jsonb NOT NULL,
    analyzed_at timestamptz NOT NULL DEFAULT now()
);

-- Written by upload-sync: its copy of a capture's media, and when to announce the capture again.
CREATE TABLE sync_jobs (
    capture_id uuid PRIMARY KEY,
    result jsonb,
    synced_at timestamptz,
    intake_deleted_at timestamptz,
    announcements integer NOT NULL DEFAULT 0,
    announce_next_at timestamptz
);
CREATE INDEX sync_jobs_intake ON sync_jobs (synced_at) WHERE intake_deleted_at IS NULL;

-- Names to object keys. upload-sync and evidence-assembler each write rows of their own objects.
CREATE TABLE media_objects (
    capture_id uuid NOT NULL,
    name text NOT NULL CHECK (name IN (
        'original.jpg', 'depth.gz', 'metadata.json', 'public.jpg', 'thumbnail.jpg', 'depth-preview.png', 'c2pa.jpg',
        'manifest.c2pa', 'og.jpg')),
    object_key text NOT NULL,
    sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
    size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
    content_type text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (capture_id, name)
);
CREATE INDEX media_objects_sha256 ON media_objects (sha256);

-- Written by evidence-assembler: what each service answered for a capture. A `done` is never replaced.
CREATE TABLE evidence_parts (
    capture_id uuid NOT NULL,
    part text NOT NULL CHECK (part IN ('attestation', 'depth', 'media')),
    outcome text NOT NULL CHECK (outcome IN ('done', 'error')),
    reason text,
    result jsonb,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (capture_id, part),
    CHECK ((outcome = 'done') = (result IS NOT NULL)),
    CHECK ((outcome = 'error') = (reason IS NOT NULL))
);

-- Written by gateway: token buckets shared by all of its instances.
CREATE TABLE rate_limits (
    bucket text PRIMARY KEY,
    tokens double precision NOT NULL,
    updated_at timestamptz NOT NULL
);

-- Written by gateway: what was asked about files; no content, no name, a truncated address.
CREATE TABLE verification_logs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    asked_at timestamptz NOT NULL DEFAULT now(),
    method text NOT NULL CHECK (method IN ('file', 'hash')),
    file_sha256 bytea CHECK (octet_length(file_sha256) = 32),
    client_network text,
    status text NOT NULL,
    capture_id uuid
);
CREATE INDEX verification_logs_asked_at ON verification_logs (asked_at);

GRANT SELECT, INSERT ON captures TO rial_gateway;
GRANT SELECT ON evidence_parts, media_objects TO rial_gateway;
GRANT SELECT, INSERT, UPDATE, DELETE ON rate_limits TO rial_gateway;
GRANT SELECT, INSERT, DELETE ON verification_logs TO rial_gateway;
GRANT SELECT, INSERT ON attestation_appraisals TO rial_attestation_verifier;
GRANT SELECT, INSERT ON depth_analyses TO rial_depth_analyzer;
GRANT SELECT, INSERT, UPDATE ON sync_jobs TO rial_upload_sync;
GRANT SELECT ON captures TO rial_upload_sync;
GRANT SELECT, INSERT ON media_objects TO rial_upload_sync, rial_evidence_assembler;
GRANT SELECT ON captures TO rial_evidence_assembler;
GRANT UPDATE (evidence, confidence_level, status, failure, completed_at) ON captures TO rial_evidence_assembler;
GRANT SELECT, INSERT, UPDATE ON evidence_parts TO rial_evidence_assembler;
