-- Why: events announce and PostgreSQL decides (SPEC §1). What a handler acts on is read here, in the transaction of its effect, so that a
-- forged record of the broker makes a service look and nothing else.

-- What a registration asks for, in the row of its challenge; the record carries only the registration's id.
ALTER TABLE challenges ADD COLUMN submission jsonb;
GRANT SELECT (registration_id, submission) ON challenges TO rial_attestation_verifier;

-- A service that gave a capture up says so beside where its result would be: an error that is not here does not exist.
ALTER TABLE attestation_appraisals ALTER COLUMN result DROP NOT NULL;
ALTER TABLE attestation_appraisals ADD COLUMN failure text;
ALTER TABLE attestation_appraisals ADD CONSTRAINT attestation_appraisals_outcome CHECK ((result IS NULL) <> (failure IS NULL));
ALTER TABLE depth_analyses ALTER COLUMN result DROP NOT NULL;
ALTER TABLE depth_analyses ADD COLUMN failure text;
ALTER TABLE depth_analyses ADD CONSTRAINT depth_analyses_outcome CHECK ((result IS NULL) <> (failure IS NULL));
-- Before either, the row only counts announcements.
ALTER TABLE sync_jobs ADD COLUMN failure text;
-- How often a capture that failed by a fault of ours was announced again.
ALTER TABLE sync_jobs ADD COLUMN repairs integer NOT NULL DEFAULT 0;
ALTER TABLE sync_jobs ADD CONSTRAINT sync_jobs_outcome CHECK (result IS NULL OR failure IS NULL);

GRANT SELECT ON captures TO rial_attestation_verifier, rial_depth_analyzer;
GRANT UPDATE (result, failure, appraised_at) ON attestation_appraisals TO rial_attestation_verifier;
GRANT UPDATE (result, failure, analyzed_at) ON depth_analyses TO rial_depth_analyzer;
GRANT SELECT ON attestation_appraisals, depth_analyses, sync_jobs TO rial_evidence_assembler;

-- A capture that failed by a fault of ours is announced again, a few times.
CREATE INDEX captures_failed ON captures (failure, uploaded_at) WHERE status = 'failed';

-- Which records a service has in hand, and how often its process died over each: after three times the record is a dead letter. Unlogged:
-- it is written for every record, and a crash of the server may forget it.
CREATE UNLOGGED TABLE attestation_verifier_in_hand (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    tries integer NOT NULL DEFAULT 1,
    noted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, event_id)
);
CREATE UNLOGGED TABLE depth_analyzer_in_hand (LIKE attestation_verifier_in_hand INCLUDING ALL);
CREATE UNLOGGED TABLE upload_sync_in_hand (LIKE attestation_verifier_in_hand INCLUDING ALL);
CREATE UNLOGGED TABLE evidence_assembler_in_hand (LIKE attestation_verifier_in_hand INCLUDING ALL);
GRANT SELECT, INSERT, UPDATE, DELETE ON attestation_verifier_in_hand TO rial_attestation_verifier;
GRANT SELECT, INSERT, UPDATE, DELETE ON depth_analyzer_in_hand TO rial_depth_analyzer;
GRANT SELECT, INSERT, UPDATE, DELETE ON upload_sync_in_hand TO rial_upload_sync;
GRANT SELECT, INSERT, UPDATE, DELETE ON evidence_assembler_in_hand TO rial_evidence_assembler;

-- Readiness asks whether a service can write: a row of its own that it writes over.
CREATE TABLE gateway_heartbeat (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), beaten_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE attestation_verifier_heartbeat (LIKE gateway_heartbeat INCLUDING ALL);
CREATE TABLE depth_analyzer_heartbeat (LIKE gateway_heartbeat INCLUDING ALL);
CREATE TABLE upload_sync_heartbeat (LIKE gateway_heartbeat INCLUDING ALL);
CREATE TABLE evidence_assembler_heartbeat (LIKE gateway_heartbeat INCLUDING ALL);
INSERT INTO gateway_heartbeat DEFAULT VALUES;
INSERT INTO attestation_verifier_heartbeat DEFAULT VALUES;
INSERT INTO depth_analyzer_heartbeat DEFAULT VALUES;
INSERT INTO upload_sync_heartbeat DEFAULT VALUES;
INSERT INTO evidence_assembler_heartbeat DEFAULT VALUES;
GRANT UPDATE (beaten_at) ON gateway_heartbeat TO rial_gateway;
GRANT UPDATE (beaten_at) ON attestation_verifier_heartbeat TO rial_attestation_verifier;
GRANT UPDATE (beaten_at) ON depth_analyzer_heartbeat TO rial_depth_analyzer;
GRANT UPDATE (beaten_at) ON upload_sync_heartbeat TO rial_upload_sync;
GRANT UPDATE (beaten_at) ON evidence_assembler_heartbeat TO rial_evidence_assembler;
