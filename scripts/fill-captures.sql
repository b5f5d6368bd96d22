-- Fills a database with captures for measurements and query plans: SET rial.rows = 1000000 first, then run this with psql as the owner.
-- They are copies of the newest complete capture with their own ids, digests, devices, counters and times, in all tables with data about
-- captures, under the schema's constraints; one in a hundred has failed. Their objects are not in the store.

CREATE TEMP TABLE template AS
    SELECT captures.id AS capture_id, captures.device_id FROM captures JOIN content_credentials ON content_credentials.capture_id = captures.id
    WHERE status = 'complete' AND type = 'photo' AND capture_mode = 'full' ORDER BY completed_at DESC LIMIT 1;

-- Twenty captures per device, uploaded between two days and about a year ago.
CREATE TEMP TABLE fresh_devices AS
    SELECT number, gen_random_uuid() AS id FROM generate_series(0, (current_setting('rial.rows')::bigint - 1) / 20) AS number;
CREATE TEMP TABLE fresh AS
    SELECT fill.number, fill.id, fill.id::text AS id_text, fresh_devices.id AS device_id, fresh_devices.id::text AS device_text,
        interval '2 days' + fill.number * (interval '360 days' / current_setting('rial.rows')::bigint) AS age
    FROM (SELECT number, gen_random_uuid() AS id FROM generate_series(0, current_setting('rial.rows')::bigint - 1) AS number) AS fill
    JOIN fresh_devices ON fresh_devices.number = fill.number / 20;
ANALYZE fresh;

-- The expression for a copied row's own value in a column; `old` is the row to copy, `fresh` the new capture.
CREATE FUNCTION pg_temp.fresh_value(name text, type text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE
        WHEN name = 'short_id' THEN $f$substr(translate(encode(sha256(fresh.id_text::bytea), 'base64'), '+/=', ''), 1, 8)$f$
        WHEN name = 'counter' THEN 'fresh.number % 20'
        WHEN name = 'subject' THEN 'substr(sha256(old.subject || fresh.id_text::bytea), 1, 16)'
        WHEN name IN ('commitment', 'salt', 'raw_salt') THEN format('sha256(old.%I || fresh.id_text::bytea)', name)
        -- Entered in a log of their own, which is closed.
        WHEN name = 'origin' THEN $f$'rial.example/log/fill'$f$
        WHEN name = 'leaf_index' THEN 'fresh.number * 8 + old.sequence'
        WHEN name = 'key_id' THEN 'sha256(fresh.device_text::bytea)'
        -- Times of clean-ups that follow a capture.
        WHEN name IN ('intake_deleted_at', 'derived_swept_at') THEN $f$now() - fresh.age + interval '1 day'$f$
        WHEN name = 'scrubbed_at' THEN 'now()'
        WHEN type = 'timestamptz' THEN format('old.%I - fresh.age', name)
        WHEN type = 'uuid' THEN format(
            'CASE old.%1$I WHEN template.capture_id THEN fresh.id WHEN template.device_id THEN fresh.device_id ELSE old.%1$I END', name)
        WHEN type IN ('text', 'jsonb') THEN format(
            'replace(replace(old.%I::text, template.capture_id::text, fresh.id_text), template.device_id::text, fresh.device_text)::%s',
            name, type)
        WHEN type = 'bytea' AND name LIKE '%sha256' THEN format('sha256(old.%I || fresh.id_text::bytea)', name)
        ELSE format('old.%I', name)
    END
$$;

-- Copies the template's rows of a table for each row of `fresh` that matches the condition.
CREATE FUNCTION pg_temp.copy_rows(target regclass, condition text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    columns text;
    expressions text;
BEGIN
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum),
        string_agg(pg_temp.fresh_value(attname, typname), ', ' ORDER BY attnum)
        INTO columns, expressions
        FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
        WHERE attrelid = target AND attnum > 0 AND NOT attisdropped AND attidentity = '';
    EXECUTE format(
        'INSERT INTO %s (%s) SELECT %s FROM template, %s AS old, fresh WHERE %s', target, columns, expressions, target, condition);
END
$$;

-- The log of their statements: closed and given up, so that nobody looks for its tiles.
INSERT INTO log_shards (origin, shard, log_key, size, root, published_size, frozen_reason, frozen_at, closed_at)
    SELECT origin, 'fill', origin || '+' || encode(substr(sha256(convert_to(origin || chr(10), 'UTF8') || key), 1, 4), 'hex') || '+' || encode(key, 'base64'),
        size, sha256('fill'), size, 'forked', now(), now()
    FROM (SELECT 'rial.example/log/fill' AS origin, '\x01' || sha256('fill') AS key, current_setting('rial.rows')::bigint * 8 AS size) AS log;
DO $$
DECLARE
    known text;
BEGIN
    IF NOT EXISTS (SELECT FROM template) THEN RAISE EXCEPTION 'there is no complete capture to copy'; END IF;
    PERFORM pg_temp.copy_rows('devices', 'old.id = template.device_id AND fresh.number % 20 = 0');
    PERFORM pg_temp.copy_rows('captures', 'old.id = template.capture_id');
    FOREACH known IN ARRAY ARRAY[
        'media_objects', 'attestation_appraisals', 'depth_analyses', 'sync_jobs', 'evidence_parts', 'assertion_counters',
        'content_credentials', 'statements'
    ] LOOP
        PERFORM pg_temp.copy_rows(known::regclass, 'old.capture_id = template.capture_id');
    END LOOP;
END
$$;
UPDATE captures SET status = 'failed', failure = 'depth_unreadable', evidence = NULL, confidence_level = NULL, completed_at = NULL
    FROM fresh WHERE captures.id = fresh.id AND fresh.number % 100 = 99;
-- The entries and checkpoints of their log.
INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash, commitment)
    SELECT origin, leaf_index, leaf, sha256('\x00' || leaf), commitment
    FROM (SELECT origin, leaf_index, commitment, convert_to(encode(commitment, 'hex') || chr(10), 'UTF8') AS leaf
        FROM statements WHERE origin = 'rial.example/log/fill') AS entries;
-- Cosigned and stamped now: the times in the statements are those of the copied ones.
INSERT INTO log_checkpoints (origin, size, root, body, committed_at, note, published_at, token, token_at)
    SELECT 'rial.example/log/fill', number + 1, sha256(id_text::bytea), 'rial.example/log/fill', now() - age, 'rial.example/log/fill', now() - age,
        CASE number % 50 WHEN 0 THEN sha256(id_text::bytea) END, CASE number % 50 WHEN 0 THEN now() END
    FROM fresh WHERE number % 5 = 0;
INSERT INTO log_cosignatures (origin, size, witness, key_id, line, cosigned_at)
    SELECT origin, size, witness, '00000000', witness, now() FROM log_checkpoints,
        unnest(ARRAY['first.example', 'second.example']) AS witness WHERE origin = 'rial.example/log/fill';

-- A registration for each device, and many unfinished ones; the challenges of the last day; uploads of the last hours.
INSERT INTO registrations (id, outcome, device_id) SELECT gen_random_uuid(), 'registered', id FROM fresh_devices;
INSERT INTO registrations (id, outcome, attestation_failure) SELECT gen_random_uuid(), 'invalid_attestation', 'untrusted' FROM fresh;
INSERT INTO challenges (challenge, created_at, expires_at, consumed_at, body_sha256, registration_id, announced_at)
    SELECT sha256(id_text::bytea), past, past + interval '5 minutes', past, sha256('body'), gen_random_uuid(), past
    FROM fresh, LATERAL (SELECT now() - number % 1000 * interval '1 minute' AS past) AS times WHERE number < 20000;
INSERT INTO device_events (device_id, action, by, at)
    SELECT id, CASE times % 2 WHEN 0 THEN 'restored' ELSE 'revoked' END, 'operator', now() - interval '2 days' - (20 - times) * interval '1 hour'
    FROM fresh_devices, generate_series(1, 20) AS times WHERE number % 2 = 0 ORDER BY number, times;
INSERT INTO intakes (id, device_id, prefix, created_at)
    SELECT arriving, device_id, 'captures/' || arriving || '/', now() - number % 1000 * interval '1 minute'
    FROM fresh, LATERAL (SELECT sha256(id_text::bytea) AS digest) AS digests,
        LATERAL (SELECT encode(substr(digest, 1, 16), 'hex')::uuid AS arriving) AS names WHERE number < 20000;
-- Resumable uploads of the last week that became captures, and some that are open.
INSERT INTO uploads (id, type, token_sha256, device_id, interop_version, content_type, body_sha256, length_bytes, offset_bytes, state,
    capture_id, answer, received_at, emptied_at, created_at, expires_at)
    SELECT id, 'photo', sha256(id_text::bytea), device_id, 8, 'multipart/form-data; boundary=x', sha256(id_text::bytea), 1000, 1000, 'done',
        id, '{}', past, past, past, past + interval '7 days'
    FROM fresh, LATERAL (SELECT now() - number % 10000 * interval '1 minute' AS past) AS times WHERE number < 20000 AND number % 40 <> 0;
INSERT INTO uploads (id, type, token_sha256, device_id, interop_version, content_type, body_sha256, length_bytes, offset_bytes, expires_at)
    SELECT id, 'photo', sha256(id_text::bytea), device_id, 8, 'multipart/form-data; boundary=x', sha256(id_text::bytea), 1000, 10,
        now() + interval '1 day'
    FROM fresh WHERE number < 5000 AND number % 40 = 0;
INSERT INTO upload_segments (upload_id, start_bytes, size_bytes, object_key)
    SELECT id, number, 1, 'incoming/' || id || '/body/' || number || '-1' FROM uploads, generate_series(0, 9) AS number WHERE state = 'open';
-- Captures that were withdrawn, whose objects are deleted but for the last ones.
UPDATE captures SET status = 'withdrawn', withdrawn_at = now() - interval '2 days', failure = NULL, media_sha256 = NULL, depth_sha256 = NULL, assertion_sha256 = NULL,
    captured_at = NULL, uploaded_at = NULL, announcement = NULL, detection = NULL, location = NULL, stated_at = NULL
    FROM fresh WHERE captures.id = fresh.id AND fresh.number % 100 = 99 AND fresh.number % 200 = 199;
INSERT INTO withdrawals (capture_id, withdrawn_at, by, erased_at, opened_at, erase_next_at)
    SELECT id, withdrawn_at, 'owner', now(), withdrawn_at, now() + random() * interval '30 days' FROM captures WHERE status = 'withdrawn';
-- Damaged objects that have been repaired.
INSERT INTO media_damage (capture_id, name, object_key, problem, mended_at)
    SELECT id, 'original.jpg', 'captures/' || id_text || '/original.jpg', 'missing', now() FROM fresh WHERE number % 5 = 0;
-- Verifications of files.
INSERT INTO verification_logs (asked_at, method, file_sha256, client_network, status, capture_id)
    SELECT now() - number % 40000 * interval '1 minute', 'hash', sha256(id_text::bytea), '192.0.2.0/24', 'verified', id FROM fresh;
INSERT INTO rate_limits (bucket, tokens, updated_at, seconds_to_full)
    SELECT 'captures:' || id_text, 9, now(), 86400 FROM fresh WHERE number < 100000;
-- The events of the last two weeks.
DO $$
DECLARE
    service text;
BEGIN
    FOREACH service IN ARRAY ARRAY['gateway', 'attestation_verifier', 'depth_analyzer', 'upload_sync', 'evidence_assembler', 'transparency_log'] LOOP
        EXECUTE format($f$
            INSERT INTO %I (consumer, event_id, received_at)
            SELECT 'rial.capture.received.v1', gen_random_uuid(), now() - number %% 18000 * interval '1 minute' FROM fresh
        $f$, service || '_inbox');
    END LOOP;
END
$$;
DROP TABLE fresh, fresh_devices, template;
VACUUM (ANALYZE);
CHECKPOINT;
