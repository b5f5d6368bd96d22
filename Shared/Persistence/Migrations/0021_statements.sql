-- Why: each verdict becomes a statement that the public log commits to (SPEC §14). Its bytes are made once, in the transaction of what it
-- speaks of, and kept; what becomes public of it by itself are kind, time, subject and commitment.

-- Written by evidence-assembler. A withdrawal takes everything from which a commitment could be opened, and the link to the capture.
CREATE TABLE statements (
    -- SHA-256 over salt and statement; of a withdrawal 32 random bytes.
    commitment bytea PRIMARY KEY CHECK (octet_length(commitment) = 32),
    -- NULL once the capture is withdrawn.
    capture_id uuid REFERENCES captures,
    sequence integer NOT NULL CHECK (sequence >= 0),
    kind text NOT NULL CHECK (kind IN ('assessment', 'credentials', 'reassessment', 'revocation', 'withdrawal')),
    -- Random, the same for all statements of a capture.
    subject bytea NOT NULL CHECK (octet_length(subject) = 16),
    -- POSIX seconds; of a capture whose time is kept back the midnight after it was made.
    time bigint NOT NULL CHECK (time >= 0),
    -- Not in the log before this; NULL if it may be at once.
    not_before timestamptz,
    -- JSON by RFC 8785, byte for byte.
    statement bytea CHECK (octet_length(statement) BETWEEN 1 AND 16384),
    salt bytea CHECK (octet_length(salt) = 32),
    -- The public form of the evidence without the place, byte for byte; the statement has its digest.
    evidence bytea CHECK (octet_length(evidence) > 0),
    -- The digests of what the device sent, as hex by name; the statement has one digest over them and the salt.
    raw jsonb CHECK (jsonb_typeof(raw) = 'object'),
    raw_salt bytea CHECK (octet_length(raw_salt) = 32),
    -- Where it stands in the log, copied from log_entries.
    origin text,
    leaf_index bigint CHECK (leaf_index >= 0),
    UNIQUE (capture_id, sequence),
    UNIQUE (subject, sequence),
    CHECK ((kind = 'assessment') = (sequence = 0)),
    CHECK ((origin IS NULL) = (leaf_index IS NULL)),
    CHECK (CASE
        WHEN capture_id IS NULL THEN num_nonnulls(statement, salt, evidence, raw, raw_salt) = 0
        WHEN kind = 'revocation' THEN num_nulls(statement, salt) = 0 AND num_nonnulls(evidence, raw, raw_salt) = 0
        ELSE num_nulls(statement, salt, evidence, raw, raw_salt) = 0 END),
    CHECK (kind <> 'withdrawal' OR capture_id IS NULL)
);
-- What the log looks through once a minute.
CREATE INDEX statements_without_leaf ON statements (time) WHERE leaf_index IS NULL;

GRANT SELECT ON statements TO rial_gateway;
GRANT SELECT,
    INSERT (
        commitment, capture_id, sequence, kind, subject, time, not_before, statement, salt, evidence, raw, raw_salt
    ),
    UPDATE (origin, leaf_index) ON statements TO rial_evidence_assembler;

CREATE TRIGGER statements_withdrawn BEFORE INSERT ON statements FOR EACH ROW EXECUTE FUNCTION rial_guard_withdrawn();
-- Only a withdrawal makes a statement of no capture. A leaf's place is final.
CREATE FUNCTION rial_guard_statements() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.capture_id IS NULL THEN PERFORM rial_refuse('make a statement of no capture'); END IF;
    ELSIF OLD.leaf_index IS NOT NULL THEN
        PERFORM rial_refuse('move a leaf');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER statements_guard BEFORE INSERT OR UPDATE ON statements
    FOR EACH ROW WHEN (rial_is_service()) EXECUTE FUNCTION rial_guard_statements();

-- When the first statement about it was made; NULL for captures that were completed before there were statements.
ALTER TABLE captures ADD COLUMN stated_at timestamptz;
CREATE INDEX captures_unstated ON captures (id) WHERE status = 'complete' AND stated_at IS NULL;
GRANT UPDATE (stated_at) ON captures TO rial_evidence_assembler;

-- What the attestation was made over: without it, no attestation can be verified again. NULL for devices of before.
ALTER TABLE devices ADD COLUMN client_data_hash bytea CHECK (octet_length(client_data_hash) = 32);
GRANT INSERT (client_data_hash) ON devices TO rial_attestation_verifier;

-- From when on a revocation counts: captures received since then are revoked, too. NULL if it counts for nothing of before.
ALTER TABLE device_events ADD COLUMN since timestamptz CHECK (action = 'revoked' OR since IS NULL);
CREATE INDEX device_events_at ON device_events (at);
GRANT SELECT (id, device_id, action, at, since) ON device_events TO rial_evidence_assembler;

-- Withdraws a capture; the reason is an operator's, NULL its owner's. Answers `withdrawn`, `withdrawn_before`, or NULL without such a capture.
-- As before, and of its statements stay leaves that nothing opens, and one more that says so.
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

-- The headers of an event that the database writes, as services make them.
CREATE FUNCTION rial_event_headers(topic text, source text, subject text, at timestamptz) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_agg(jsonb_build_object('name', name, 'value', translate(encode(convert_to(value, 'UTF8'), 'base64'), E'\n', ''))
        ORDER BY number)
    FROM (VALUES
        (1, 'ce_specversion', '1.0'), (2, 'ce_id', gen_random_uuid()::text), (3, 'ce_type', topic), (4, 'ce_source', source),
        (5, 'ce_time', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
        (6, 'ce_subject', subject), (7, 'content-type', 'application/json'),
        (8, 'traceparent', format('00-%s-%s-01', encode(uuid_send(gen_random_uuid()), 'hex'),
            left(encode(uuid_send(gen_random_uuid()), 'hex'), 16)))) AS header (number, name, value)
$$;

-- What runs with the owner's rights looks nowhere but here. Replacing a function forgets its path.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['rial_withdraw(uuid, text)', 'rial_event_headers(text, text, text, timestamptz)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', name, current_schema());
    END LOOP;
END
$$;
