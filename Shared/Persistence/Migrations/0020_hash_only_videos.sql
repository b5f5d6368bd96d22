-- Why: in privacy mode a device sends a video's hash, too (SPEC §10.11).

ALTER TABLE captures DROP CONSTRAINT captures_hash_only;
-- There is no depth map, and no detection report; a hash that no assertion vouches for is not taken.
ALTER TABLE captures ADD CONSTRAINT captures_hash_only CHECK (status = 'withdrawn' OR capture_mode = 'full'
    OR depth_sha256 IS NULL AND assertion_sha256 IS NOT NULL AND detection IS NULL);
