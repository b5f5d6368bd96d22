-- Why: videos (SPEC §10) have objects of their own, and uploads that may be resumed become captures of either kind.

ALTER TABLE media_objects DROP CONSTRAINT media_objects_name_check;
ALTER TABLE media_objects ADD CONSTRAINT media_objects_name_check CHECK (name IN (
    'original.jpg', 'original.mp4', 'hash-chain.json', 'depth.gz', 'metadata.json', 'public.jpg', 'public.mp4', 'playback.mp4',
    'poster.jpg', 'depth-frames.jpg', 'photo-828.jpg', 'photo-1656.jpg', 'thumbnail.jpg', 'depth-preview.png', 'c2pa.jpg', 'c2pa.mp4',
    'manifest.c2pa', 'og.jpg'));
DROP INDEX media_objects_unmeasured;
CREATE INDEX media_objects_unmeasured ON media_objects (capture_id, name) WHERE width IS NULL AND name IN (
    'public.jpg', 'photo-828.jpg', 'photo-1656.jpg', 'thumbnail.jpg', 'depth-preview.png', 'c2pa.jpg', 'poster.jpg', 'depth-frames.jpg');
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
        WHEN 'hash-chain.json' THEN 'application/json' WHEN 'depth-preview.png' THEN 'image/png'
        WHEN 'manifest.c2pa' THEN 'application/c2pa' WHEN 'original.mp4' THEN 'video/mp4' WHEN 'public.mp4' THEN 'video/mp4'
        WHEN 'playback.mp4' THEN 'video/mp4' WHEN 'c2pa.mp4' THEN 'video/mp4' ELSE 'image/jpeg' END) THEN
        PERFORM rial_refuse('give ' || NEW.name || ' another type');
    END IF;
    IF NOT starts_with(NEW.object_key, 'captures/' || NEW.capture_id || '/') THEN
        PERFORM rial_refuse('name an object of elsewhere');
    END IF;
    RETURN NEW;
END
$$;

-- What the body of an upload is.
ALTER TABLE uploads ADD COLUMN type text NOT NULL DEFAULT 'photo' CHECK (type IN ('photo', 'video'));
GRANT INSERT (type) ON uploads TO rial_gateway;
