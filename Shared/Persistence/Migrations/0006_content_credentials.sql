-- Why: every manifest that was made is known by its id, so that a copy whose file hash is unknown can still be told as ours.

-- Written by evidence-assembler, in the transaction that names the copy.
CREATE TABLE content_credentials (
    capture_id uuid PRIMARY KEY,
    manifest_id text NOT NULL UNIQUE,
    -- Of the signer's certificate, decimal: an id alone could be copied by anyone.
    certificate_serial text NOT NULL,
    signed_at timestamptz NOT NULL,
    has_timestamp boolean NOT NULL
);
CREATE INDEX captures_unsigned ON captures (completed_at) WHERE evidence #>> '{content_credentials,status}' = 'pending';

GRANT SELECT, INSERT ON content_credentials TO rial_evidence_assembler;
GRANT SELECT ON content_credentials TO rial_gateway;
