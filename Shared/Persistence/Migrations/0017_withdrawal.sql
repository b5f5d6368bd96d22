-- Why: whoever sent a capture may withdraw it (SPEC §6). Then nothing of what it was is left in any table, and what comes late, from a service
-- that had it in hand, is not let in again.
--
-- rial_withdraw is the one exception to "a column has one writer": with the owner's rights, in one transaction and under a lock of the
-- capture's row, it erases what five services have written. No service may erase on its own, and none may make a capture withdrawn otherwise.

ALTER TABLE captures ADD COLUMN withdrawn_at timestamptz;
ALTER TABLE captures DROP CONSTRAINT captures_status_check;
ALTER TABLE captures ADD CONSTRAINT captures_status_check CHECK (status IN ('processing', 'complete', 'failed', 'withdrawn'));
ALTER TABLE captures ADD CONSTRAINT captures_withdrawn_check CHECK ((status = 'withdrawn') = (withdrawn_at IS NOT NULL));
ALTER TABLE captures
    ALTER COLUMN media_sha256 DROP NOT NULL, ALTER COLUMN captured_at DROP NOT NULL, ALTER COLUMN uploaded_at DROP NOT NULL,
    ALTER COLUMN announcement DROP NOT NULL;
-- Of a withdrawn capture stay its ids, its kind, the device that may ask for it again, and when it was withdrawn.
ALTER TABLE captures ADD CONSTRAINT captures_erased_check CHECK (CASE WHEN status = 'withdrawn'
    THEN num_nonnulls(failure, confidence_level, media_sha256, depth_sha256, assertion_sha256, captured_at, uploaded_at, completed_at,
        announcement, detection, location, evidence) = 0
    ELSE num_nulls(media_sha256, uploaded_at, announcement) = 0 END);
-- What was withdrawn has no digests that could be the same; the same upload sent again is a new capture.
ALTER TABLE captures DROP CONSTRAINT captures_same_upload;
ALTER TABLE captures ADD CONSTRAINT captures_same_upload
    UNIQUE NULLS NOT DISTINCT (device_id, media_sha256, depth_sha256, assertion_sha256, withdrawn_at);

-- Inserted by rial_withdraw; upload-sync notes what is left to delete in the object store. Rows stay: they are the trace of each withdrawal.
CREATE TABLE withdrawals (
    capture_id uuid PRIMARY KEY REFERENCES captures,
    withdrawn_at timestamptz NOT NULL,
    by text NOT NULL CHECK (by IN ('owner', 'operator')),
    -- An operator's; it must not tell what the capture showed.
    reason text,
    -- The uploads that could be resumed and became the capture: what is stored of them goes as well.
    upload_ids uuid[] NOT NULL DEFAULT '{}',
    -- When to look again for objects, and when any were last found: a service that had the capture in hand may store one late.
    erase_next_at timestamptz NOT NULL DEFAULT now(),
    found_at timestamptz,
    -- Nothing was found for longer than any service can have it in hand.
    erased_at timestamptz,
    CHECK ((by = 'operator') = (reason IS NOT NULL))
);
CREATE INDEX withdrawals_to_erase ON withdrawals (erase_next_at) WHERE erased_at IS NULL;
GRANT SELECT (capture_id, withdrawn_at, upload_ids, erase_next_at, found_at, erased_at), UPDATE (erase_next_at, found_at, erased_at)
    ON withdrawals TO rial_upload_sync;

-- What was asked about a capture is forgotten with it.
CREATE INDEX verification_logs_capture_id ON verification_logs (capture_id) WHERE capture_id IS NOT NULL;
CREATE INDEX verification_logs_file_sha256 ON verification_logs (file_sha256) WHERE file_sha256 IS NOT NULL;

-- Withdraws a capture; the reason is an operator's, NULL its owner's. Answers `withdrawn`, `withdrawn_before`, or NULL without such a capture.
CREATE FUNCTION rial_withdraw(capture uuid, reason text DEFAULT NULL) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    state text;
    at timestamptz := clock_timestamp();
    sender uuid;
    received timestamptz;
    erased text;
    digests bytea[];
    part text;
    bodies uuid[] := '{}';
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
        'attestation_appraisals', 'depth_analyses', 'sync_jobs', 'evidence_parts', 'media_objects', 'content_credentials', 'media_damage'
    ] LOOP
        EXECUTE format('DELETE FROM %I WHERE capture_id = $1', part) USING capture;
    END LOOP;
    -- A file that is another capture's as well is still known. One withdrawal at a time: else each of two of one file would leave it to the
    -- other.
    PERFORM pg_advisory_xact_lock(hashtext('rial-withdraw'));
    UPDATE verification_logs SET file_sha256 = NULL, capture_id = NULL WHERE capture_id = capture OR file_sha256 IN (
        SELECT sha256 FROM unnest(digests) AS own (sha256)
        WHERE NOT EXISTS (SELECT FROM captures WHERE media_sha256 = own.sha256)
            AND NOT EXISTS (SELECT FROM media_objects WHERE media_objects.sha256 = own.sha256));
    -- What was not announced yet, and dead letters with what went wrong. A row that is being published at this moment is held by its relay.
    FOREACH part IN ARRAY ARRAY[
        'gateway_outbox', 'attestation_verifier_outbox', 'depth_analyzer_outbox', 'upload_sync_outbox', 'evidence_assembler_outbox'
    ] LOOP
        EXECUTE format('DELETE FROM %1$I WHERE id IN (SELECT id FROM %1$I WHERE record_key = $1 FOR UPDATE SKIP LOCKED)', part)
            USING capture::text;
    END LOOP;
    -- Of an upload that could be resumed stay its segments' names, until they are deleted. One that is still open became this capture if its
    -- last byte came when the capture was received: its gateway died before it could close it.
    IF to_regclass('uploads') IS NOT NULL THEN
        EXECUTE 'WITH ended AS (UPDATE uploads SET state = ''ended'', capture_id = NULL, answer = NULL, body_sha256 = sha256(token_sha256), epoch = epoch + 1,
                runner = NULL, running_since = NULL,
                expires_at = CASE state WHEN ''open'' THEN now() + interval ''7 days'' ELSE expires_at END
            WHERE capture_id = $1 OR state = ''open'' AND device_id = $2 AND received_at = $3 RETURNING id)
            SELECT coalesce(array_agg(id), ''{}'') FROM ended' INTO bodies USING capture, sender, received;
    END IF;
    INSERT INTO withdrawals (capture_id, withdrawn_at, by, reason, upload_ids)
        VALUES (capture, at, CASE WHEN reason IS NULL THEN 'owner' ELSE 'operator' END, reason, bodies);
    INSERT INTO gateway_outbox (topic, record_key, headers, value) VALUES (
        'rial.capture.withdrawn.v1', capture::text,
        (SELECT jsonb_agg(jsonb_build_object('name', name, 'value', translate(encode(convert_to(value, 'UTF8'), 'base64'), E'\n', ''))
            ORDER BY number)
        FROM (VALUES
            (1, 'ce_specversion', '1.0'), (2, 'ce_id', gen_random_uuid()::text), (3, 'ce_type', 'rial.capture.withdrawn.v1'),
            (4, 'ce_source', '/rial/gateway'), (5, 'ce_time', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
            (6, 'ce_subject', capture::text), (7, 'content-type', 'application/json'),
            (8, 'traceparent', format('00-%s-%s-01', encode(uuid_send(gen_random_uuid()), 'hex'),
                left(encode(uuid_send(gen_random_uuid()), 'hex'), 16)))) AS header (number, name, value)),
        convert_to(jsonb_build_object('capture_id', capture)::text, 'UTF8'));
    RETURN 'withdrawn';
END
$$;
REVOKE EXECUTE ON FUNCTION rial_withdraw(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rial_withdraw(uuid, text) TO rial_gateway;

-- Lets nothing of a withdrawn capture in: the row is left out, so that who had the capture in hand ends as if it had written. The lock makes it
-- exact: a withdrawal waits for this transaction, or has been committed before it looks. With the owner's rights, since services may not
-- lock captures. Rows that are only updated need no look: a withdrawal has deleted them.
CREATE FUNCTION rial_guard_withdrawn() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF (SELECT status FROM captures WHERE id = NEW.capture_id FOR KEY SHARE) = 'withdrawn' THEN RETURN NULL; END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER attestation_appraisals_withdrawn BEFORE INSERT ON attestation_appraisals
    FOR EACH ROW EXECUTE FUNCTION rial_guard_withdrawn();
CREATE TRIGGER depth_analyses_withdrawn BEFORE INSERT ON depth_analyses FOR EACH ROW EXECUTE FUNCTION rial_guard_withdrawn();
CREATE TRIGGER sync_jobs_withdrawn BEFORE INSERT ON sync_jobs FOR EACH ROW EXECUTE FUNCTION rial_guard_withdrawn();
CREATE TRIGGER evidence_parts_withdrawn BEFORE INSERT ON evidence_parts FOR EACH ROW EXECUTE FUNCTION rial_guard_withdrawn();
CREATE TRIGGER media_objects_withdrawn BEFORE INSERT ON media_objects FOR EACH ROW EXECUTE FUNCTION rial_guard_withdrawn();
CREATE TRIGGER content_credentials_withdrawn BEFORE INSERT ON content_credentials
    FOR EACH ROW EXECUTE FUNCTION rial_guard_withdrawn();
CREATE TRIGGER media_damage_withdrawn BEFORE INSERT ON media_damage FOR EACH ROW EXECUTE FUNCTION rial_guard_withdrawn();

-- What was asked while it was withdrawn is logged without the file.
CREATE FUNCTION rial_guard_verification_logs() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF (SELECT status FROM captures WHERE id = NEW.capture_id FOR KEY SHARE) = 'withdrawn' THEN
        NEW.capture_id := NULL;
        NEW.file_sha256 := NULL;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER verification_logs_withdrawn BEFORE INSERT ON verification_logs
    FOR EACH ROW WHEN (NEW.capture_id IS NOT NULL) EXECUTE FUNCTION rial_guard_verification_logs();

-- What runs with the owner's rights looks nowhere but here.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['rial_withdraw(uuid, text)', 'rial_guard_withdrawn()', 'rial_guard_verification_logs()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', name, current_schema());
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION rial_guard_captures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'processing' OR num_nonnulls(NEW.failure, NEW.confidence_level, NEW.evidence, NEW.completed_at) > 0 THEN
            PERFORM rial_refuse('record a capture with a verdict');
        END IF;
    ELSIF OLD.status = 'withdrawn' THEN
        -- As in rial_guard_withdrawn: whoever had it in hand goes on.
        RETURN NULL;
    ELSIF NEW.status = 'withdrawn' THEN
        PERFORM rial_refuse('withdraw a capture');
    ELSIF OLD.status = 'complete' AND (NEW.status, NEW.confidence_level, NEW.completed_at, NEW.failure)
        IS DISTINCT FROM (OLD.status, OLD.confidence_level, OLD.completed_at, OLD.failure) THEN
        PERFORM rial_refuse('change the verdict on a complete capture');
    END IF;
    RETURN NEW;
END
$$;
