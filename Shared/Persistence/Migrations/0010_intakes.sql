-- Why: bytes arrive before the capture that names them. This table names them meanwhile, so that nothing lies in the store that no row
-- leads to, no sweep has to walk the bucket, and nothing is deleted because an answer to COMMIT was lost.

-- Written by gateway before the first byte of an upload. The transaction that records the capture deletes the row; one whose outcome
-- is not known holds its lock. Who gives an upload up marks it first, and only then deletes its objects.
CREATE TABLE intakes (
    -- That of the capture that may come of it; of a capture there is, while its bytes are brought again.
    id uuid PRIMARY KEY,
    device_id uuid NOT NULL REFERENCES devices,
    -- Everything below it belongs to this upload, parts of unfinished multipart uploads included.
    prefix text NOT NULL CHECK (prefix = 'incoming/' || id::text || '/'),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Nothing can be recorded from it any more.
    abandoned_at timestamptz
);
CREATE INDEX intakes_created_at ON intakes (created_at);

GRANT SELECT, INSERT, DELETE, UPDATE (created_at, abandoned_at) ON intakes TO rial_gateway;
GRANT SELECT, DELETE, UPDATE (abandoned_at) ON intakes TO rial_upload_sync;

-- What upload-sync has cleaned up after each capture: objects that no row names, a day after it was complete; and the media of failed
-- captures of unverified devices, which may be sent again.
ALTER TABLE sync_jobs ADD COLUMN derived_swept_at timestamptz, ADD COLUMN media_expired_at timestamptz;
CREATE INDEX sync_jobs_unswept ON sync_jobs (synced_at) WHERE derived_swept_at IS NULL;
-- Rows of objects that are no more, or that are made anew.
GRANT DELETE ON media_objects TO rial_upload_sync;
GRANT SELECT (id, attestation_level) ON devices TO rial_upload_sync;
