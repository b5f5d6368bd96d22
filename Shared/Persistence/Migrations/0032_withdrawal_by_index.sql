-- Why: a withdrawal read the whole log of look-ups, which grows with each, while every other withdrawal waited for it: no index
-- serves a subquery under an OR.
-- needs: 24

-- Withdraws a capture; the reason is an operator's, NULL its owner's. Answers `withdrawn`, `withdrawn_before`, or NULL without such a capture.
-- As before, but finds look-ups by their indexes, and looks for no earlier uploads: migration 30 leaves them no digest.
CREATE OR REPLACE FUNCTION rial_withdraw(capture uuid, reason text DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    state text;
    at timestamptz := clock_timestamp();
    sender uuid;
    received timestamptz;
    erased text;
    digests bytea[];
    part text;
    bodies uuid[] := '{}';
    known record;
    midnight timestamptz;
BEGIN
    -- First the open uploads of its device, in the order of the gateway: a transaction that closes one holds it when it looks at the capture.
    IF to_regclass('uploads') IS NOT NULL THEN
        EXECUTE 'SELECT FROM uploads WHERE device_id = (SELECT device_id FROM captures WHERE id = $1) AND state = ''open''
            ORDER BY id FOR UPDATE' USING capture;
    END IF;
    -- Waits for transactions that write something of the capture: each holds its row, see rial_guard_withdrawn.
    SELECT status, device_id, uploaded_at INTO state, sender, received FROM captures WHERE id = capture FOR UPDATE;
    IF state IS NULL THEN RETURN NULL; END IF;
    IF state = 'withdrawn' THEN RETURN 'withdrawn_before'; END IF;
    SELECT array_agg(sha256) INTO digests FROM (
        SELECT media_sha256 AS sha256 FROM captures WHERE id = capture
        UNION SELECT sha256 FROM media_objects WHERE capture_id = capture
    ) AS own;
    -- Every column but those named here, so that one that a later version adds is erased as well.
    SELECT string_agg(format('%I = %s', attname, CASE WHEN attnotnull THEN 'DEFAULT' ELSE 'NULL' END), ', ') INTO erased
    FROM pg_attribute WHERE attrelid = 'captures'::regclass AND attnum > 0 AND NOT attisdropped
        AND attname <> ALL (ARRAY['id', 'short_id', 'device_id', 'type', 'capture_mode', 'status', 'withdrawn_at']);
    EXECUTE format('UPDATE captures SET status = ''withdrawn'', withdrawn_at = $2, %s WHERE id = $1', erased) USING capture, at;
    FOREACH part IN ARRAY ARRAY[
        'attestation_appraisals', 'depth_analyses', 'sync_jobs', 'evidence_parts', 'media_objects', 'content_credentials', 'media_damage',
        'reassessments'
    ] LOOP
        EXECUTE format('DELETE FROM %I WHERE capture_id = $1', part) USING capture;
    END LOOP;
    -- A file that is another capture's as well is still known. One withdrawal at a time: else each of two of one file would leave it to the
    -- other. The digests are an array, which an index serves also beside the other condition.
    PERFORM pg_advisory_xact_lock(hashtext('rial-withdraw'));
    UPDATE verification_logs SET file_sha256 = NULL, capture_id = NULL WHERE capture_id = capture OR file_sha256 = ANY (ARRAY(
        SELECT sha256 FROM unnest(digests) AS own (sha256)
        WHERE NOT EXISTS (SELECT FROM captures WHERE media_sha256 = own.sha256)
            AND NOT EXISTS (SELECT FROM media_objects WHERE media_objects.sha256 = own.sha256)));
    -- What was not announced yet, and dead letters with what went wrong. A row that is being published at this moment is held by its relay.
    FOREACH part IN ARRAY ARRAY[
        'gateway_outbox', 'attestation_verifier_outbox', 'depth_analyzer_outbox', 'upload_sync_outbox', 'evidence_assembler_outbox',
        'transparency_log_outbox'
    ] LOOP
        EXECUTE format('DELETE FROM %1$I WHERE id IN (SELECT id FROM %1$I WHERE record_key = $1 FOR UPDATE SKIP LOCKED)', part)
            USING capture::text;
    END LOOP;
    -- Of an upload that could be resumed stay its segments' names, until they are deleted. One that is still open became this capture if
    -- its last byte came when the capture was received: a gateway of an earlier version died before it could close it. Those that ended
    -- before keep no digest (migration 30).
    IF to_regclass('uploads') IS NOT NULL THEN
        EXECUTE 'WITH own AS (
                SELECT id FROM uploads WHERE capture_id = $1 OR state = ''open'' AND device_id = $2 AND received_at = $3),
            ended AS (UPDATE uploads SET state = ''ended'', capture_id = NULL, answer = NULL, body_sha256 = sha256(token_sha256),
                epoch = epoch + 1, runner = NULL, running_since = NULL,
                expires_at = CASE state WHEN ''open'' THEN now() + interval ''7 days'' ELSE expires_at END
                WHERE id IN (SELECT id FROM own) RETURNING id)
            SELECT coalesce(array_agg(id), ''{}'') FROM ended' INTO bodies USING capture, sender, received;
    END IF;
    INSERT INTO withdrawals (capture_id, withdrawn_at, by, reason, upload_ids)
        VALUES (capture, at, CASE WHEN reason IS NULL THEN 'owner' ELSE 'operator' END, reason, bodies);
    INSERT INTO gateway_outbox (topic, record_key, headers, value) VALUES (
        'rial.capture.withdrawn.v1', capture::text, rial_event_headers('rial.capture.withdrawn.v1', '/rial/gateway', capture::text, at),
        convert_to(jsonb_build_object('capture_id', capture)::text, 'UTF8'));
    -- The leaves stay, and nobody can say any more whose they are. A capture that was never complete has none, and is nothing to the log.
    WITH erased AS (
        UPDATE statements SET capture_id = NULL, statement = NULL, salt = NULL, evidence = NULL, raw = NULL, raw_salt = NULL
        WHERE capture_id = capture RETURNING subject, sequence, not_before
    ) SELECT subject, max(sequence) AS sequence, bool_or(not_before IS NOT NULL) AS is_held INTO known FROM erased GROUP BY subject;
    IF known.subject IS NOT NULL THEN
        -- Where the time is kept back, the withdrawal tells no more of it than the capture's own leaf: the day.
        IF known.is_held THEN midnight := date_trunc('day', at, 'UTC') + interval '1 day'; END IF;
        INSERT INTO statements (commitment, sequence, kind, subject, time, not_before) VALUES (
            -- 366 random bits, of the server's generator for keys.
            sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
            known.sequence + 1, 'withdrawal', known.subject, floor(extract(epoch FROM coalesce(midnight, at))),
            midnight + interval '30 minutes');
        -- The log finds it once a minute, too.
        INSERT INTO evidence_assembler_outbox (topic, record_key, headers, value) VALUES (
            'rial.capture.evidence-assembled.v1', capture::text,
            rial_event_headers('rial.capture.evidence-assembled.v1', '/rial/evidence-assembler', capture::text, at),
            convert_to(jsonb_build_object('capture_id', capture, 'status', 'withdrawn')::text, 'UTF8'));
    END IF;
    RETURN 'withdrawn';
END
$$;

-- What runs with the owner's rights looks nowhere but here. Replacing a function forgets its path.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION rial_withdraw(uuid, text) SET search_path = %I, pg_temp', current_schema());
END
$$;
