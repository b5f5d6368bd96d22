-- Why: a photo is put once, where it stays (SPEC §5), and decoded once, by depth-analyzer. What is named of a capture is named when it is
-- complete, by one service; pages learn the sizes of pictures from here instead of from the store.

-- Uploads stream to captures/{id}/. Those of before lie under incoming/{id}/.
ALTER TABLE intakes DROP CONSTRAINT intakes_check;
ALTER TABLE intakes ADD CONSTRAINT intakes_prefix_check
    CHECK (prefix IN ('captures/' || id::text || '/', 'incoming/' || id::text || '/'));
-- The capture whose bytes this upload brings once more. upload-sync puts them where they are missing, and forgets the upload.
ALTER TABLE intakes ADD COLUMN brings uuid;
CREATE INDEX intakes_brings ON intakes (brings) WHERE brings IS NOT NULL;
CREATE INDEX intakes_abandoned_at ON intakes (abandoned_at) WHERE abandoned_at IS NOT NULL;
GRANT UPDATE (brings) ON intakes TO rial_gateway;

-- Upright, in pixels; null for what is no picture, and until evidence-assembler has measured pictures of before.
ALTER TABLE media_objects
    ADD COLUMN width integer CHECK (width BETWEEN 1 AND 65535),
    ADD COLUMN height integer CHECK (height BETWEEN 1 AND 65535),
    ADD CONSTRAINT media_objects_size_check CHECK ((width IS NULL) = (height IS NULL));
CREATE INDEX media_objects_unmeasured ON media_objects (capture_id, name) WHERE width IS NULL AND name IN (
    'public.jpg', 'photo-828.jpg', 'photo-1656.jpg', 'thumbnail.jpg', 'depth-preview.png', 'c2pa.jpg');

-- All names are evidence-assembler's, in the transaction that completes the capture.
DELETE FROM media_objects USING captures WHERE captures.id = media_objects.capture_id AND captures.status <> 'complete';
REVOKE INSERT, DELETE ON media_objects FROM rial_upload_sync;
GRANT UPDATE (width, height) ON media_objects TO rial_evidence_assembler;
CREATE OR REPLACE FUNCTION rial_guard_media_objects() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_complete boolean;
BEGIN
    IF TG_OP = 'DELETE' THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %I.captures WHERE id = $1 AND status = ''complete'')', TG_TABLE_SCHEMA)
            INTO is_complete USING OLD.capture_id;
        IF is_complete THEN PERFORM rial_refuse('forget the media of a complete capture'); END IF;
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.width IS NOT NULL THEN PERFORM rial_refuse('measure ' || NEW.name || ' again'); END IF;
    IF NEW.content_type <> (CASE NEW.name
        WHEN 'depth.gz' THEN 'application/octet-stream' WHEN 'metadata.json' THEN 'application/json'
        WHEN 'depth-preview.png' THEN 'image/png' WHEN 'manifest.c2pa' THEN 'application/c2pa' ELSE 'image/jpeg' END) THEN
        PERFORM rial_refuse('give ' || NEW.name || ' another type');
    END IF;
    IF NOT starts_with(NEW.object_key, 'captures/' || NEW.capture_id || '/') THEN
        PERFORM rial_refuse('name an object of elsewhere');
    END IF;
    RETURN NEW;
END
$$;

-- Until the capture is complete its pictures may be made anew, where they were damaged, or where another version made them.
CREATE FUNCTION rial_guard_depth_findings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_complete boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.captures WHERE id = $1 AND status = ''complete'')', TG_TABLE_SCHEMA)
        INTO is_complete USING OLD.capture_id;
    IF is_complete OR NEW.result IS NULL THEN PERFORM rial_refuse('replace findings'); END IF;
    RETURN NEW;
END
$$;
DROP TRIGGER depth_analyses_guard ON depth_analyses;
CREATE TRIGGER depth_analyses_guard BEFORE UPDATE ON depth_analyses
    FOR EACH ROW WHEN (rial_is_service() AND OLD.result IS NOT NULL) EXECUTE FUNCTION rial_guard_depth_findings();
CREATE OR REPLACE FUNCTION rial_guard_evidence_parts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_complete boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.captures WHERE id = $1 AND status = ''complete'')', TG_TABLE_SCHEMA)
        INTO is_complete USING OLD.capture_id;
    IF is_complete OR OLD.part = 'attestation' OR NEW.outcome <> 'done' THEN PERFORM rial_refuse('replace findings'); END IF;
    RETURN NEW;
END
$$;

-- When the media of a capture were last read again from end to end.
ALTER TABLE sync_jobs ADD COLUMN scrubbed_at timestamptz;
CREATE INDEX sync_jobs_scrub ON sync_jobs (coalesce(scrubbed_at, synced_at)) WHERE synced_at IS NOT NULL;
-- There is intake to delete only where it was copied.
ALTER TABLE sync_jobs ALTER COLUMN intake_deleted_at SET DEFAULT now();

-- Written by upload-sync: stored media that are no more what was accepted or made. A row stays, also where it was mended.
CREATE TABLE media_damage (
    capture_id uuid NOT NULL,
    name text NOT NULL,
    object_key text NOT NULL,
    problem text NOT NULL CHECK (problem IN ('missing', 'digest_mismatch')),
    found_at timestamptz NOT NULL DEFAULT now(),
    -- The last time it was looked at and still damaged.
    seen_at timestamptz NOT NULL DEFAULT now(),
    mended_at timestamptz,
    PRIMARY KEY (capture_id, name)
);
CREATE INDEX media_damage_found_at ON media_damage (found_at) WHERE mended_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON media_damage TO rial_upload_sync;
