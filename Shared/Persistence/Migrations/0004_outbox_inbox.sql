-- Why: an event is announced in the transaction of the state it announces (outbox), and handled in the transaction of its
-- effect (inbox). Each service has tables of its own. A new outbox row wakes the relays that LISTEN.

CREATE FUNCTION rial_wake_relay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify(TG_TABLE_NAME, '');
    RETURN NULL;
END
$$;

CREATE TABLE gateway_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text NOT NULL,
    record_key text NOT NULL,
    headers jsonb NOT NULL,
    value bytea,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER gateway_outbox_wake AFTER INSERT ON gateway_outbox FOR EACH STATEMENT EXECUTE FUNCTION rial_wake_relay();
CREATE TABLE gateway_inbox (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, event_id)
);
CREATE INDEX gateway_inbox_received_at ON gateway_inbox (received_at);
GRANT SELECT, INSERT, DELETE ON gateway_outbox, gateway_inbox TO rial_gateway;
GRANT UPDATE ON gateway_outbox TO rial_gateway; -- for SELECT … FOR UPDATE SKIP LOCKED

CREATE TABLE attestation_verifier_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text NOT NULL,
    record_key text NOT NULL,
    headers jsonb NOT NULL,
    value bytea,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER attestation_verifier_outbox_wake AFTER INSERT ON attestation_verifier_outbox FOR EACH STATEMENT EXECUTE FUNCTION rial_wake_relay();
CREATE TABLE attestation_verifier_inbox (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, event_id)
);
CREATE INDEX attestation_verifier_inbox_received_at ON attestation_verifier_inbox (received_at);
GRANT SELECT, INSERT, DELETE ON attestation_verifier_outbox, attestation_verifier_inbox TO rial_attestation_verifier;
GRANT UPDATE ON attestation_verifier_outbox TO rial_attestation_verifier; -- for SELECT … FOR UPDATE SKIP LOCKED

CREATE TABLE depth_analyzer_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text NOT NULL,
    record_key text NOT NULL,
    headers jsonb NOT NULL,
    value bytea,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER depth_analyzer_outbox_wake AFTER INSERT ON depth_analyzer_outbox FOR EACH STATEMENT EXECUTE FUNCTION rial_wake_relay();
CREATE TABLE depth_analyzer_inbox (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, event_id)
);
CREATE INDEX depth_analyzer_inbox_received_at ON depth_analyzer_inbox (received_at);
GRANT SELECT, INSERT, DELETE ON depth_analyzer_outbox, depth_analyzer_inbox TO rial_depth_analyzer;
GRANT UPDATE ON depth_analyzer_outbox TO rial_depth_analyzer; -- for SELECT … FOR UPDATE SKIP LOCKED

CREATE TABLE upload_sync_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text NOT NULL,
    record_key text NOT NULL,
    headers jsonb NOT NULL,
    value bytea,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER upload_sync_outbox_wake AFTER INSERT ON upload_sync_outbox FOR EACH STATEMENT EXECUTE FUNCTION rial_wake_relay();
CREATE TABLE upload_sync_inbox (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, event_id)
);
CREATE INDEX upload_sync_inbox_received_at ON upload_sync_inbox (received_at);
GRANT SELECT, INSERT, DELETE ON upload_sync_outbox, upload_sync_inbox TO rial_upload_sync;
GRANT UPDATE ON upload_sync_outbox TO rial_upload_sync; -- for SELECT … FOR UPDATE SKIP LOCKED

CREATE TABLE evidence_assembler_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text NOT NULL,
    record_key text NOT NULL,
    headers jsonb NOT NULL,
    value bytea,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER evidence_assembler_outbox_wake AFTER INSERT ON evidence_assembler_outbox FOR EACH STATEMENT EXECUTE FUNCTION rial_wake_relay();
CREATE TABLE evidence_assembler_inbox (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, event_id)
);
CREATE INDEX evidence_assembler_inbox_received_at ON evidence_assembler_inbox (received_at);
GRANT SELECT, INSERT, DELETE ON evidence_assembler_outbox, evidence_assembler_inbox TO rial_evidence_assembler;
GRANT UPDATE ON evidence_assembler_outbox TO rial_evidence_assembler; -- for SELECT … FOR UPDATE SKIP LOCKED
