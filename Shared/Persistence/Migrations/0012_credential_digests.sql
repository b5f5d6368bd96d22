-- Why: a serial number and a label can be copied by anyone who gets a certificate; a copy is ours by the bytes of its manifest store and of
-- the certificate inside. Rows from before these were kept have neither until evidence-assembler has computed both from the stored store.
ALTER TABLE content_credentials
    -- SHA-256 of the signer's certificate (DER) and of the manifest store as it is inside the copy.
    ADD COLUMN leaf_sha256 bytea CHECK (octet_length(leaf_sha256) = 32),
    ADD COLUMN manifest_sha256 bytea CHECK (octet_length(manifest_sha256) = 32),
    ADD CONSTRAINT content_credentials_digests_check CHECK ((leaf_sha256 IS NULL) = (manifest_sha256 IS NULL));
CREATE INDEX content_credentials_without_digests ON content_credentials (capture_id) WHERE manifest_sha256 IS NULL;

GRANT UPDATE (leaf_sha256, manifest_sha256) ON content_credentials TO rial_evidence_assembler;
