-- Why: pages show a picture that suits the screen, not the original's twelve megapixels.
ALTER TABLE media_objects DROP CONSTRAINT media_objects_name_check;
ALTER TABLE media_objects ADD CONSTRAINT media_objects_name_check CHECK (name IN (
    'original.jpg', 'depth.gz', 'metadata.json', 'public.jpg', 'photo-828.jpg', 'photo-1656.jpg', 'thumbnail.jpg',
    'depth-preview.png', 'c2pa.jpg', 'manifest.c2pa', 'og.jpg'));
