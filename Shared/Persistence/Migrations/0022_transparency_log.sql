-- Why: every verdict is entered in an append-only log that anyone can follow (SPEC §14). A sixth service writes it, with a role of its own; its
-- tables hold what becomes public and nothing else: no capture id, no digest of media.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'rial_transparency_log') THEN
        CREATE ROLE rial_transparency_log LOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL; -- another database of the same cluster is being migrated at this moment
END
$$;
CREATE OR REPLACE FUNCTION rial_is_service() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT current_user IN (
        'rial_gateway', 'rial_attestation_verifier', 'rial_depth_analyzer', 'rial_upload_sync', 'rial_evidence_assembler',
        'rial_transparency_log')
$$;

-- What every service has.
CREATE TABLE transparency_log_outbox (LIKE evidence_assembler_outbox INCLUDING ALL);
CREATE TRIGGER transparency_log_outbox_wake AFTER INSERT ON transparency_log_outbox
    FOR EACH STATEMENT EXECUTE FUNCTION rial_wake_relay();
CREATE TABLE transparency_log_inbox (LIKE evidence_assembler_inbox INCLUDING ALL);
CREATE UNLOGGED TABLE transparency_log_in_hand (LIKE evidence_assembler_in_hand INCLUDING ALL);
CREATE TABLE transparency_log_heartbeat (LIKE gateway_heartbeat INCLUDING ALL);
INSERT INTO transparency_log_heartbeat DEFAULT VALUES;
GRANT SELECT, INSERT, UPDATE, DELETE ON transparency_log_outbox, transparency_log_in_hand TO rial_transparency_log;
GRANT SELECT, INSERT, DELETE ON transparency_log_inbox TO rial_transparency_log;
GRANT UPDATE (beaten_at) ON transparency_log_heartbeat TO rial_transparency_log;
-- A withdrawal takes what was not announced yet from this outbox as well; the rest of the function stays as it is.
DO $$
DECLARE
    definition text := pg_get_functiondef('rial_withdraw(uuid, text)'::regprocedure);
    known text := '''evidence_assembler_outbox''';
BEGIN
    IF position(known IN definition) = 0 THEN RAISE EXCEPTION 'rial_withdraw names no outbox'; END IF;
    EXECUTE replace(definition, known, known || ', ''transparency_log_outbox''');
END
$$;

-- One row per log: a shard has one tree and one key for its life. Opened and closed by an operator with the owner's role.
CREATE TABLE log_shards (
    origin text PRIMARY KEY CHECK (origin ~ '^[^\s+]+/log/[a-z0-9-]{1,32}$'),
    shard text NOT NULL UNIQUE CHECK (shard ~ '^[a-z0-9-]{1,32}$'),
    -- The verifier key, "name+id+base64".
    log_key text NOT NULL UNIQUE,
    previous text UNIQUE REFERENCES log_shards,
    -- The tree that is committed: more than what is signed and published while a round is under way.
    size bigint NOT NULL CHECK (size >= published_size),
    root bytea NOT NULL CHECK (octet_length(root) = 32),
    published_size bigint NOT NULL DEFAULT 0 CHECK (published_size >= 0),
    opened_at timestamptz NOT NULL DEFAULT now(),
    -- How far the scrub is in its pass, in blocks of 256 leaves, and when the last pass ended.
    scrubbed_blocks bigint NOT NULL DEFAULT 0,
    scrubbed_at timestamptz,
    -- Partial tiles that were full in a tree of this size are deleted.
    swept_size bigint NOT NULL DEFAULT 0,
    -- The next shard's verifier key, once this one is to be closed: the last leaf has it.
    next_key text,
    -- The index of that leaf. Nothing comes after it.
    end_index bigint,
    -- The final tree is published.
    closed_at timestamptz,
    frozen_reason text CHECK (frozen_reason IN ('database_behind', 'database_damaged', 'tile_differs', 'head_differs', 'forked',
        'witness_ahead', 'witness_refuses')),
    frozen_detail text,
    frozen_at timestamptz,
    CHECK ((frozen_reason IS NULL) = (frozen_at IS NULL)),
    CHECK (end_index IS NULL OR next_key IS NOT NULL AND size = end_index + 1),
    -- One that is given up, frozen, ends where it was published last.
    CHECK (closed_at IS NULL OR published_size = size AND (end_index IS NOT NULL OR frozen_reason IS NOT NULL))
);
CREATE UNIQUE INDEX log_shards_open ON log_shards ((true)) WHERE closed_at IS NULL;

-- Statements that wait for their leaf. The sequencer takes them in this order: what may be entered at once by arrival; what waits for the end
-- of its day by commitment, so that the order tells nothing.
CREATE TABLE log_pending (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    commitment bytea NOT NULL UNIQUE CHECK (octet_length(commitment) = 32),
    subject bytea NOT NULL CHECK (octet_length(subject) = 16),
    kind text NOT NULL CHECK (kind IN ('assessment', 'credentials', 'reassessment', 'revocation', 'withdrawal')),
    -- POSIX seconds.
    time bigint NOT NULL,
    not_before timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX log_pending_order ON log_pending (not_before NULLS FIRST, (CASE WHEN not_before IS NULL THEN id END), commitment);

-- The leaves, written once. A commitment is in one log once.
CREATE TABLE log_entries (
    origin text NOT NULL REFERENCES log_shards,
    leaf_index bigint NOT NULL CHECK (leaf_index >= 0),
    -- The bytes that are hashed and published.
    leaf bytea NOT NULL CHECK (octet_length(leaf) <= 65535),
    -- SHA-256(0x00 ‖ leaf): what a damaged leaf can be put back by.
    leaf_hash bytea NOT NULL,
    -- NULL for a shard's first and last leaf.
    commitment bytea UNIQUE CHECK (octet_length(commitment) = 32),
    PRIMARY KEY (origin, leaf_index),
    CONSTRAINT log_entries_hash CHECK (leaf_hash = sha256('\x00' || leaf)),
    CONSTRAINT log_entries_commitment CHECK (commitment IS NULL
        OR substring(leaf FROM octet_length(leaf) - 64) = convert_to(encode(commitment, 'hex') || chr(10), 'UTF8'))
);

-- The texts that may be signed: one for each size, committed with its leaves.
CREATE TABLE log_checkpoints (
    origin text NOT NULL REFERENCES log_shards,
    size bigint NOT NULL CHECK (size > 0),
    root bytea NOT NULL CHECK (octet_length(root) = 32),
    body text NOT NULL,
    committed_at timestamptz NOT NULL DEFAULT now(),
    -- As the log alone signed it, with its publication.
    note text,
    published_at timestamptz,
    -- RFC 3161, over SHA-256 of the note.
    token bytea,
    token_at timestamptz,
    PRIMARY KEY (origin, size),
    CHECK ((note IS NULL) = (published_at IS NULL)),
    CHECK ((token IS NULL) = (token_at IS NULL))
);
CREATE INDEX log_checkpoints_stamped ON log_checkpoints (origin, size) WHERE token IS NOT NULL;

CREATE TABLE log_cosignatures (
    origin text NOT NULL,
    size bigint NOT NULL,
    -- The witness's key: name and, in hex, id.
    witness text NOT NULL,
    key_id text NOT NULL CHECK (key_id ~ '^[0-9a-f]{8}$'),
    -- The signature line without LF, and the time in it: the first is what proves when.
    line text NOT NULL,
    cosigned_at timestamptz NOT NULL,
    renewed_line text,
    renewed_at timestamptz,
    PRIMARY KEY (origin, size, witness, key_id),
    FOREIGN KEY (origin, size) REFERENCES log_checkpoints,
    CHECK ((renewed_line IS NULL) = (renewed_at IS NULL))
);

GRANT SELECT (capture_id, sequence, kind, subject, time, commitment, not_before, leaf_index) ON statements TO rial_transparency_log;
GRANT SELECT, UPDATE (
        size, root, published_size, end_index, closed_at, frozen_reason, frozen_detail, frozen_at, scrubbed_blocks, scrubbed_at, swept_size
    )
    ON log_shards TO rial_transparency_log;
GRANT SELECT, INSERT, DELETE ON log_pending TO rial_transparency_log;
GRANT SELECT, INSERT ON log_entries TO rial_transparency_log;
GRANT SELECT, INSERT (origin, size, root, body), UPDATE (note, published_at, token, token_at) ON log_checkpoints TO rial_transparency_log;
GRANT SELECT, INSERT (origin, size, witness, key_id, line, cosigned_at), UPDATE (renewed_line, renewed_at)
    ON log_cosignatures TO rial_transparency_log;
-- Who shows where in the log something is.
GRANT SELECT ON log_shards, log_entries, log_checkpoints, log_cosignatures TO rial_gateway;
GRANT SELECT (commitment) ON log_pending TO rial_gateway;
GRANT SELECT (origin, leaf_index, commitment) ON log_entries TO rial_evidence_assembler;
GRANT SELECT (origin, published_size) ON log_shards TO rial_evidence_assembler;

-- The service never goes back, and never unfreezes: that is an operator's, with the owner's role.
CREATE FUNCTION rial_guard_log_shards() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.size < OLD.size OR NEW.published_size < OLD.published_size OR NEW.size = OLD.size AND NEW.root <> OLD.root THEN
        PERFORM rial_refuse('take entries out of a log');
    ELSIF OLD.end_index IS NOT NULL AND NEW.end_index IS DISTINCT FROM OLD.end_index
        OR OLD.closed_at IS NOT NULL AND NEW.closed_at IS DISTINCT FROM OLD.closed_at THEN
        PERFORM rial_refuse('open a closed log again');
    ELSIF OLD.frozen_reason IS NOT NULL THEN
        PERFORM rial_refuse('write a frozen log');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER log_shards_guard BEFORE UPDATE ON log_shards
    FOR EACH ROW WHEN (rial_is_service()) EXECUTE FUNCTION rial_guard_log_shards();

-- What was signed, witnessed and stamped stays so.
CREATE FUNCTION rial_guard_log_checkpoints() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.note IS NOT NULL AND (NEW.note, NEW.published_at) IS DISTINCT FROM (OLD.note, OLD.published_at)
        OR OLD.token IS NOT NULL AND (NEW.token, NEW.token_at) IS DISTINCT FROM (OLD.token, OLD.token_at) THEN
        PERFORM rial_refuse('sign a checkpoint again');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER log_checkpoints_guard BEFORE UPDATE ON log_checkpoints
    FOR EACH ROW WHEN (rial_is_service()) EXECUTE FUNCTION rial_guard_log_checkpoints();

-- Nobody changes or takes out an entry by accident, the owner included: only who says that the log is being recovered.
CREATE FUNCTION rial_guard_log_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('rial.log_recovery', true) IS DISTINCT FROM 'on' THEN PERFORM rial_refuse('change entries of a log'); END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER log_entries_guard BEFORE UPDATE OR DELETE OR TRUNCATE ON log_entries
    FOR EACH STATEMENT EXECUTE FUNCTION rial_guard_log_entries();

-- Puts a damaged leaf back, or its hash, and nothing else: what is written was hashed when it was entered. Answers whether anything was wrong.
CREATE FUNCTION rial_mend_log_entry(log text, index bigint, entry bytea) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    mended integer;
BEGIN
    PERFORM set_config('rial.log_recovery', 'on', true);
    UPDATE log_entries SET leaf = entry, leaf_hash = sha256('\x00' || entry)
        WHERE origin = log AND leaf_index = index AND (leaf <> entry AND leaf_hash = sha256('\x00' || entry)
            OR leaf = entry AND leaf_hash <> sha256('\x00' || entry));
    GET DIAGNOSTICS mended = ROW_COUNT;
    PERFORM set_config('rial.log_recovery', 'off', true);
    RETURN mended = 1;
END
$$;
REVOKE EXECUTE ON FUNCTION rial_mend_log_entry(text, bigint, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rial_mend_log_entry(text, bigint, bytea) TO rial_transparency_log;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION rial_mend_log_entry(text, bigint, bytea) SET search_path = %I, pg_temp', current_schema());
END
$$;
