-- Why: in privacy mode a device sends a hash, measurements and as much of the metadata as its person shares (SPEC §9). The time may be
-- shared by the day or not at all, and what is not shared is in no public answer.

ALTER TABLE captures ALTER COLUMN captured_at DROP NOT NULL;
-- How exactly captured_at is known: with `day` it is the first moment of the day in UTC.
ALTER TABLE captures ADD COLUMN captured_precision text NOT NULL DEFAULT 'exact' CHECK (captured_precision IN ('exact', 'day', 'none'));
-- What the device shares of a hash-only capture.
ALTER TABLE captures ADD COLUMN metadata_flags jsonb;

-- A capture that is withdrawn has nothing left that these are about.
ALTER TABLE captures ADD CONSTRAINT captures_captured_at_shared CHECK (status = 'withdrawn' OR
    (captured_precision = 'none') = (captured_at IS NULL)
    AND (captured_precision <> 'day' OR captured_at = date_trunc('day', captured_at, 'UTC'))
    AND (capture_mode = 'hash_only' OR captured_precision = 'exact'));
ALTER TABLE captures ADD CONSTRAINT captures_metadata_flags_shared CHECK (status = 'withdrawn' OR
    CASE capture_mode
        WHEN 'hash_only' THEN coalesce(metadata_flags ->> 'timestamp' = captured_precision
            AND metadata_flags ->> 'location' IN ('none', 'coarse', 'precise') AND metadata_flags ->> 'device' IN ('none', 'model', 'full')
            AND (metadata_flags ->> 'location' <> 'none' OR location IS NULL), false)
        ELSE metadata_flags IS NULL END);
-- There is no depth map, and no detection report; a hash that no assertion vouches for is not taken.
ALTER TABLE captures ADD CONSTRAINT captures_hash_only CHECK (status = 'withdrawn' OR capture_mode = 'full'
    OR type = 'photo' AND depth_sha256 IS NULL AND assertion_sha256 IS NOT NULL AND detection IS NULL);

GRANT INSERT (captured_precision, metadata_flags) ON captures TO rial_gateway;
