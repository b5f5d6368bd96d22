-- Why: an upload that breaks off goes on where it was, at any gateway (SPEC §2, "Uploads that resume"). What has come so far is in the object
-- store, in segments; who may add the next one, and where, is decided here. Nothing of it outlives its use: an open upload has 24 hours,
-- an answer seven days.

-- Written by the gateway.
CREATE TABLE uploads (
    id uuid PRIMARY KEY,
    -- Of the address, which nobody can read here: whoever knows it may go on with the upload.
    token_sha256 bytea NOT NULL UNIQUE CHECK (octet_length(token_sha256) = 32),
    device_id uuid NOT NULL REFERENCES devices,
    interop_version integer NOT NULL CHECK (interop_version BETWEEN 3 AND 8),
    content_type text NOT NULL CHECK (octet_length(content_type) BETWEEN 1 AND 1000),
    -- Of the whole body, as the device signed it.
    body_sha256 bytea NOT NULL CHECK (octet_length(body_sha256) = 32),
    length_bytes bigint NOT NULL CHECK (length_bytes > 0),
    -- How much of the body is stored.
    offset_bytes bigint NOT NULL DEFAULT 0 CHECK (offset_bytes BETWEEN 0 AND length_bytes),
    -- Raised by each request: one with an earlier epoch has been overtaken and stores nothing any more. 0 if nothing came with the creation.
    epoch bigint NOT NULL DEFAULT 0 CHECK (epoch >= 0),
    -- The gateway instance with a request that is adding to it.
    runner uuid,
    running_since timestamptz,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'ended')),
    capture_id uuid,
    answer jsonb,
    -- When the last byte was stored.
    received_at timestamptz,
    -- When the segments of a closed upload were deleted from the store.
    emptied_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- When an open upload ends, and when a closed one is forgotten.
    expires_at timestamptz NOT NULL,
    CHECK ((runner IS NULL) = (running_since IS NULL)),
    CHECK ((state = 'done') = (capture_id IS NOT NULL) AND (capture_id IS NULL) = (answer IS NULL)),
    CHECK (state = 'open' OR runner IS NULL),
    CHECK (state <> 'open' OR emptied_at IS NULL),
    CHECK ((offset_bytes = length_bytes) = (received_at IS NOT NULL))
);
CREATE INDEX uploads_device_id_body_sha256 ON uploads (device_id, body_sha256);
CREATE INDEX uploads_open ON uploads (device_id) WHERE state = 'open';
CREATE INDEX uploads_to_expire ON uploads (expires_at) WHERE state = 'open';
CREATE INDEX uploads_to_forget ON uploads (expires_at) WHERE state <> 'open' AND emptied_at IS NOT NULL;
CREATE INDEX uploads_to_empty ON uploads (expires_at) WHERE state <> 'open' AND emptied_at IS NULL;
CREATE INDEX uploads_capture_id ON uploads (capture_id) WHERE capture_id IS NOT NULL;

-- Written by the gateway. Together the body's first offset_bytes, without gaps.
CREATE TABLE upload_segments (
    upload_id uuid NOT NULL REFERENCES uploads ON DELETE CASCADE,
    start_bytes bigint NOT NULL CHECK (start_bytes >= 0),
    size_bytes bigint NOT NULL CHECK (size_bytes > 0),
    object_key text NOT NULL CHECK (starts_with(object_key, 'incoming/' || upload_id || '/')),
    PRIMARY KEY (upload_id, start_bytes)
);

GRANT SELECT, DELETE,
    INSERT (
        id, token_sha256, device_id, interop_version, content_type, body_sha256, length_bytes, epoch, runner, running_since, expires_at
    ),
    UPDATE (
        token_sha256, interop_version, offset_bytes, epoch, runner, running_since, state, capture_id, answer, received_at, emptied_at, expires_at
    ) ON uploads TO rial_gateway;
GRANT SELECT, DELETE, INSERT (upload_id, start_bytes, size_bytes, object_key) ON upload_segments TO rial_gateway;

-- An upload that is closed after its capture was withdrawn keeps nothing of it, see rial_guard_withdrawn. Its answer still goes to who sent it.
CREATE FUNCTION rial_guard_uploads() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF (SELECT status FROM captures WHERE id = NEW.capture_id FOR KEY SHARE) = 'withdrawn' THEN
        NEW.state := 'ended';
        NEW.capture_id := NULL;
        NEW.answer := NULL;
        NEW.body_sha256 := sha256(NEW.token_sha256);
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER uploads_withdrawn BEFORE UPDATE ON uploads
    FOR EACH ROW WHEN (OLD.capture_id IS NULL AND NEW.capture_id IS NOT NULL) EXECUTE FUNCTION rial_guard_uploads();
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION rial_guard_uploads() SET search_path = %I, pg_temp', current_schema());
END
$$;
